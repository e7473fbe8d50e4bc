"""What has to be there before an object can be applied, or be healthy: the pairs that an order must respect."""

from collections.abc import Iterator

from trainshed.validate.policy.reading.pods import references
from trainshed.validate.policy.reading.queues import QUEUE_LABEL, kueue_labels
from trainshed.validate.policy.reading.storage import waits_for_consumer
from trainshed.validate.policy.reading.values import text_at
from trainshed.validate.view import ClusterView, MadePod, Member

CLAIM = "PersistentVolumeClaim"
WAITED_FOR = frozenset({"Job", "Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})
"""The kinds with pods whose health Argo CD judges by itself: a wave waits until they are healthy."""


def needs_to_apply(view: ClusterView, member: Member) -> Iterator[Member | None]:
    """Without these the API server refuses the object, or Argo CD the Application."""
    yield view.find("Namespace", "", member.namespace)
    group = member.identity.api_version.rpartition("/")[0]
    for definition in view.of_kind("CustomResourceDefinition"):
        names = (text_at(definition.body, "spec", "group"), text_at(definition.body, "spec", "names", "kind"))
        if names == (group, member.identity.kind):
            yield definition
    if member.identity.kind == "Application":
        yield view.find("AppProject", member.namespace, text_at(member.body, "spec", "project"))


def needs_to_start(view: ClusterView, pod: MadePod) -> Iterator[Member | None]:
    """Without these the pod does not start, and its owner is not healthy."""
    owner = pod.owner
    for reference in references(pod, CLAIM, "ConfigMap", "Secret"):
        yield view.find(reference.kind, owner.namespace, reference.name)
    yield view.find("ServiceAccount", owner.namespace, text_at(pod.body, "spec", "serviceAccountName"))
    for _, name in kueue_labels(owner, QUEUE_LABEL):
        yield view.find("LocalQueue", owner.namespace, name)


def is_waited_for(view: ClusterView, member: Member) -> bool:
    """Whether a sync wave waits until the object is healthy: by Argo CD's own rules, or by those it was given."""
    identity = member.identity
    rule = f"resource.customizations.health.{identity.api_version.rpartition('/')[0]}_{identity.kind}"
    given = any(text_at(one.body, "data", rule) for one in view.of_kind("ConfigMap"))
    return identity.kind in WAITED_FOR or given


def pending_claims(view: ClusterView) -> Iterator[tuple[Member, list[Member]]]:
    """Claims that stay pending until one of these consumers runs."""
    consumers: dict[tuple[str, str], list[Member]] = {}
    for pod in view.pods:
        for reference in references(pod, CLAIM):
            consumers.setdefault((pod.owner.namespace, reference.name), []).append(pod.owner)
    for claim in view.of_kind(CLAIM):
        found = consumers.get((claim.namespace, claim.identity.name))
        if found and waits_for_consumer(view, claim):
            yield claim, found
