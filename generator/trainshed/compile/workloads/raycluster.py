"""`ray.io/v1` RayCluster: a Ray cluster that waits for work; stable name, rendered afresh at every change."""

from constructs import Construct

from trainshed.catalog.installed import release_on
from trainshed.compile.labels import run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins
from trainshed.compile.workloads.ray import (
    API_VERSION,
    ray_cluster,
    ray_cluster_origins,
    ray_cluster_templates,
)
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

CLUSTER = "/spec"


class RayCluster(PlainObject):
    """A cluster that stands until it is stopped. Whether it is suspended is Kueue's to say."""

    def __init__(self, scope: Construct, target: Target) -> None:
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": API_VERSION,
                "kind": "RayCluster",
                "metadata": run_metadata(target),
                "spec": {**ray_cluster(target), **_upgrade(target)},
            },
            run_origins(target, ray_cluster_origins(target, CLUSTER), ray_cluster_templates(target, CLUSTER)),
        )


def _upgrade(target: Target) -> JsonObject:
    """An edit makes the pods anew where the operator can do that; older ones leave the pods that run as they are."""
    kuberay = release_on(target.cluster, "kuberay")
    can = kuberay is not None and kuberay.can("raycluster-upgrade")
    return {"upgradeStrategy": {"type": "Recreate"}} if can else {}
