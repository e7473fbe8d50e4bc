"""`kubeflow.org/v1` PyTorchJob: a master and workers, or elastic workers only."""

from constructs import Construct

from trainshed.compile.labels import run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod import pod_template
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import PodGroup, Target

CONTAINER = "pytorch"
"""The name that the Training Operator's webhook demands."""

CLEAN_POD_POLICY = {"running": "Running", "all": "All", "none": "None"}
REPLICAS = "/spec/pytorchReplicaSpecs"


class PyTorchJob(PlainObject):
    """A distributed run. The operator sets PET_* and MASTER_*; torchrun reads them."""

    def __init__(self, scope: Construct, target: Target) -> None:
        replicas = _elastic_replicas(target) if target.is_elastic else _fixed_replicas(target)
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": "kubeflow.org/v1",
                "kind": "PyTorchJob",
                "metadata": run_metadata(target),
                "spec": without_empty(
                    {
                        "nprocPerNode": str(target.procs_per_node),
                        "elasticPolicy": _elastic_policy(target) if target.is_elastic else None,
                        "runPolicy": {
                            "cleanPodPolicy": CLEAN_POD_POLICY[target.cleanup],
                            "backoffLimit": _container_restarts(target),
                        },
                        "pytorchReplicaSpecs": replicas,
                    }
                ),
            },
            run_origins(
                target,
                {
                    "/spec/nprocPerNode": ("procsPerNode",),
                    "/spec/elasticPolicy": ("nodes",),
                    "/spec/elasticPolicy/maxRestarts": ("restarts",),
                    "/spec/runPolicy/cleanPodPolicy": ("cleanup",),
                    "/spec/runPolicy/backoffLimit": ("restarts",),
                    REPLICAS: ("nodes",),
                },
                {f"{REPLICAS}/{role}/template": target.groups[0] for role in replicas},
            ),
        )


def _container_restarts(target: Target) -> int:
    """The operator counts restarts of containers and gives up when it reaches the number; one failure restarts all."""
    return target.restarts * target.max_pods + 1 if target.restarts else 0


def _fixed_replicas(target: Target) -> JsonObject:
    """One master and the rest workers; no Worker at all for one node, for zero replicas are refused."""
    group = target.groups[0]
    workers = group.max_pods - 1
    return {"Master": _replica(target, group, 1)} | (
        {"Worker": _replica(target, group, workers)} if workers else {}
    )


def _elastic_replicas(target: Target) -> JsonObject:
    """Workers only: with a master beside them torchrun would count one node too few."""
    group = target.groups[0]
    return {"Worker": _replica(target, group, group.max_pods)}


def _replica(target: Target, group: PodGroup, replicas: int) -> JsonObject:
    return {
        "replicas": replicas,
        "restartPolicy": "OnFailure" if target.restarts else "Never",
        "template": pod_template(
            target, group, container=CONTAINER, command=target.command, args=target.args
        ),
    }


def _elastic_policy(target: Target) -> JsonObject:
    """The rendezvous is named after the run, attempt included: a late pod of an old attempt finds nobody."""
    group = target.groups[0]
    return without_empty(
        {
            "minReplicas": group.min_pods,
            "maxReplicas": group.max_pods,
            "rdzvBackend": "c10d",
            "rdzvId": target.run,
            "maxRestarts": target.restarts or None,
        }
    )
