"""`kubeflow.org/v1` PyTorchJob: a master and workers, or elastic workers only."""

from constructs import Construct

from trainshed.compile.plain import without_empty
from trainshed.compile.workloads.kubeflow import KubeflowJob
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

REPLICAS = "pytorchReplicaSpecs"
RENDEZVOUS = ("rdzvBackend", "rdzvHost", "rdzvPort", "rdzvConf")


class PyTorchJob(KubeflowJob):
    """A distributed run. The operator sets PET_* and MASTER_*; torchrun reads them.

    One node has no Worker at all, for zero replicas are refused; an elastic run has no Master, for with one beside
    its workers torchrun would count one node too few.
    """

    def __init__(self, scope: Construct, target: Target) -> None:
        spec = {
            "nprocPerNode": str(target.procs_per_node),
            "elasticPolicy": _elastic_policy(target) if target.is_elastic else None,
        }
        origins = {
            "/spec/nprocPerNode": ("procsPerNode",),
            "/spec/elasticPolicy": ("nodes",),
            "/spec/elasticPolicy/maxRestarts": ("restarts",),
            **{f"/spec/elasticPolicy/{field}": ("rendezvous",) for field in RENDEZVOUS},
        }
        super().__init__(scope, target, REPLICAS, spec, origins)


def _elastic_policy(target: Target) -> JsonObject:
    """The rendezvous is named after the run, attempt included: a late pod of an old attempt finds nobody.

    An empty list of settings would panic the operator (v1.9.4, `pkg/controller.v1/pytorch/elastic.go`).
    """
    (group,) = target.groups
    wanted = target.rendezvous
    conf = wanted.conf if wanted else {}
    return without_empty(
        {
            "minReplicas": group.min_pods,
            "maxReplicas": group.max_pods,
            "rdzvBackend": wanted.backend if wanted else "c10d",
            "rdzvHost": wanted.host if wanted else "",
            "rdzvPort": (wanted.port or None) if wanted else None,
            "rdzvId": target.run,
            "rdzvConf": [{"key": key, "value": value} for key, value in sorted(conf.items())],
            "maxRestarts": _process_restarts(target) or None,
        }
    )


def _process_restarts(target: Target) -> int:
    """How often torchrun starts its processes again before its pod fails; never where pods are what starts again."""
    return 0 if target.restarts.scope == "pod" else target.restarts.failures
