"""Which of the objects in manifests is the one to be rehearsed."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from trainshed.model.manifest import JsonObject, ObjectId
from trainshed.model.selection import SelectionError
from trainshed.model.suggest import did_you_mean
from trainshed.rehearse.stock import DEFAULT_NAMESPACE
from trainshed.validate.policy.reading.values import labels_of, map_at
from trainshed.validate.view import Member

_KUBEFLOW = ("PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob")

TRAINS = frozenset(
    {
        *(("kubeflow.org", kind) for kind in _KUBEFLOW),
        ("trainer.kubeflow.org", "TrainJob"),
        ("jobset.x-k8s.io", "JobSet"),
        ("ray.io", "RayJob"),
        ("batch.volcano.sh", "Job"),
        ("batch", "Job"),
        ("batch", "CronJob"),
    }
)
"""The kinds that come to an end: what there is to rehearse, where manifests hold anything else too."""

SERVES = frozenset(
    {
        ("ray.io", "RayCluster"),
        ("apps", "Deployment"),
        ("apps", "StatefulSet"),
        ("", "Pod"),
    }
)
"""The kinds that make pods, and are rehearsed where nothing comes to an end."""

CLUSTER_WIDE = frozenset(
    {
        "Namespace",
        "PriorityClass",
        "RuntimeClass",
        "ClusterTrainingRuntime",
        "ClusterQueue",
        "AdmissionCheck",
        "StorageClass",
    }
)
"""The kinds without a namespace that may stand beside a workload and are looked at."""

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"


def choose_workload(members: Sequence[Member], name: str | None) -> Member:
    """The one object that runs pods, or the one of a name (`KIND/NAME`, `NAME`).

    Raises SelectionError where there is none, or several.
    """
    candidates = _candidates(members)
    if name is not None:
        named = [one for one in candidates if name in _names(one.identity)]
        if not named:
            known = [_name(one.identity) for one in candidates]
            raise SelectionError(f'there is no workload "{name}"', did_you_mean(name, known))
        candidates = named
    elif trains := [one for one in candidates if _kind(one.identity) in TRAINS]:
        candidates = trains
    if not candidates:
        kinds = ", ".join(sorted({kind for _, kind in TRAINS | SERVES}))
        raise SelectionError("these manifests hold no workload", f"one of {kinds} can be rehearsed")
    if len(candidates) > 1:
        names = ", ".join(_name(one.identity) for one in candidates)
        raise SelectionError(
            f"these manifests hold {len(candidates)} workloads: {names}",
            "choose one of them with --name KIND/NAME",
        )
    return candidates[0]


def place(member: Member) -> Member:
    """The object in the namespace `default` if it says none, as kubectl would put it there."""
    if member.identity.kind in CLUSTER_WIDE or member.namespace:
        return member
    metadata = {**member.body["metadata"], "namespace": DEFAULT_NAMESPACE}
    return replace(member, body={**member.body, "metadata": metadata}, canonical="")


def with_nodes(workload: Member, members: Sequence[Member]) -> JsonObject:
    """The workload; a TrainJob that leaves it to its runtime how many nodes there are, with that number written."""
    trainer = map_at(workload.body, "spec", "trainer")
    if workload.identity.kind != "TrainJob" or not trainer or "numNodes" in trainer:
        return workload.body
    wanted = map_at(workload.body, "spec", "runtimeRef")
    kind = wanted.get("kind", "ClusterTrainingRuntime")
    for one in members:
        if (one.identity.kind, one.identity.name) == (kind, wanted.get("name")):
            nodes = map_at(one.body, "spec", "mlPolicy").get("numNodes", 1)
            spec = {**workload.body["spec"], "trainer": {**trainer, "numNodes": nodes}}
            return {**workload.body, "spec": spec}
    return workload.body


def left_out(workload: Member, members: Sequence[Member]) -> Iterator[str]:
    """A sentence for each other workload that stands beside the chosen one and is not run."""
    for one in _candidates(members):
        if one is not workload:
            yield f"{one.identity} is not run: only {workload.identity} is rehearsed"


def said_of_queue(workload: Member) -> Iterator[str]:
    """A sentence for a workload that would wait in a queue."""
    queue = labels_of(workload.body).get(QUEUE_LABEL)
    if queue:
        yield f"it does not wait in the queue {queue}: it is admitted at once"


def _candidates(members: Sequence[Member]) -> list[Member]:
    return [one for one in members if _kind(one.identity) in TRAINS | SERVES]


def _kind(identity: ObjectId) -> tuple[str, str]:
    return identity.api_version.rpartition("/")[0], identity.kind


def _name(identity: ObjectId) -> str:
    return f"{identity.kind}/{identity.name}"


def _names(identity: ObjectId) -> tuple[str, ...]:
    return (_name(identity), _name(identity).lower(), identity.name)
