"""What controllers make from two objects has two names: a pod, or the Job, JobSet or cluster between."""

from collections.abc import Iterator, Mapping

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.manifest import ObjectId
from trainshed.validate.policy.reading.values import labels_of, text_at
from trainshed.validate.view import ClusterView, MadePod, Member

MAKERS: Mapping[str, str] = {
    "batch.kubernetes.io/job-name": "Job",
    "jobset.sigs.k8s.io/jobset-name": "JobSet",
    "ray.io/cluster": "RayCluster",
}
"""The labels by which pods name what made them, where that is made from something else in turn."""


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at the second of two objects whose children would have one name."""
    owners: dict[tuple[str, str, str], Member] = {
        (kind, one.namespace, one.identity.name): one
        for kind in ("Pod", *MAKERS.values())
        for one in view.of_kind(kind)
    }
    said: set[tuple[ObjectId, ObjectId]] = set()
    for pod in view.pods:
        for kind, name in _children(pod):
            first = owners.setdefault((kind, pod.owner.namespace, name), pod.owner)
            pair = (first.identity, pod.owner.identity)
            if first.identity != pod.owner.identity and pair not in said:
                said.add(pair)
                cut = "" if name.startswith(pod.owner.identity.name) else ", once it is cut to its limit"
                yield error(
                    Code.NAMES_COLLIDE,
                    pod.owner.at("/metadata/name"),
                    f"{pod.owner.identity} and {first.identity} both come to a {kind} called {name}{cut}",
                    "give one of them another name",
                    [Related(first.at("/metadata/name"), "the other one")],
                )


def _children(pod: MadePod) -> Iterator[tuple[str, str]]:
    """The kinds and names of what is made on the way to a pod; random names cannot collide."""
    name = text_at(pod.body, "metadata", "name")
    if name:
        yield "Pod", name
    labels = labels_of(pod.body)
    yield from ((kind, labels[label]) for label, kind in MAKERS.items() if label in labels)
