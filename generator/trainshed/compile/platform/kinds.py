"""What a team's runs consist of on a cluster: kinds of Kubernetes, and those that the cluster's operators serve."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from trainshed.catalog.installed import release_of
from trainshed.model.backend import CARRIERS, Backend
from trainshed.model.catalog import ServedKind
from trainshed.model.cluster import Cluster, InstalledOperator

GroupKind: TypeAlias = tuple[str, str]
"""An API group, and a kind in it."""

PLAIN: tuple[GroupKind, ...] = (
    ("", "ConfigMap"),
    ("", "PersistentVolumeClaim"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget"),
)
"""What Kubernetes brings along: nothing that gives rights."""

ALONGSIDE: Mapping[Backend, tuple[GroupKind, ...]] = {
    Backend.TRAINJOB: (("jobset.x-k8s.io", "JobSet"), ("trainer.kubeflow.org", "TrainingRuntime")),
}
"""Kinds that go with another: a TrainJob leans on a runtime, and becomes a JobSet."""


POD_GROUPS: Mapping[str, tuple[GroupKind, ...]] = {
    "volcano": (("scheduling.volcano.sh", "PodGroup"),),
    "coscheduling": (("scheduling.x-k8s.io", "PodGroup"),),
}
"""The kind by which each gang scheduler is told which pods start together."""


def run_kinds(cluster: Cluster) -> tuple[GroupKind, ...]:
    """Everything that runs on the cluster may consist of, in order."""
    return tuple(sorted({*PLAIN, *operator_kinds(cluster)}))


def operator_kinds(cluster: Cluster) -> tuple[GroupKind, ...]:
    """The kinds of the cluster's operators that carry runs, and what goes with them, in order."""
    return tuple(sorted({*_served(cluster), *POD_GROUPS.get(cluster.gang, ())}))


def _served(cluster: Cluster) -> Iterator[GroupKind]:
    for backend, carrier in CARRIERS.items():
        installed = cluster.operators.get(carrier.operator)
        found = next((kind for kind in served_kinds(installed, cluster) if kind.kind == carrier.kind), None)
        if found is not None:
            yield found.api_version.rpartition("/")[0], found.kind
            yield from ALONGSIDE.get(backend, ())


def served_kinds(installed: InstalledOperator | None, cluster: Cluster) -> tuple[ServedKind, ...]:
    """The kinds that an operator serves: those that the cluster names, else all that no other operator owns."""
    if installed is None:
        return ()
    kinds = release_of(installed).kinds
    if installed.kinds:
        named = {kind.lower() for kind in installed.kinds}
        return tuple(kind for kind in kinds if kind.kind.lower() in named)
    owned = (
        {"MPIJob"} if installed.name == "training-operator" and "mpi-operator" in cluster.operators else set()
    )
    return tuple(kind for kind in kinds if kind.kind not in owned)
