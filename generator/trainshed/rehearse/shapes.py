"""Where each kind says how many pods it has, and how many processes in each: a row a kind."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """JSON pointers into an object of the kind; `*` stands for every key of a map, or every item of a list.

    `groups` leads to what says how many like pods there are: the product of `counts`, pointers below it. Those below
    are never larger: `bounds` below the group, `limits` in the object. `same` is what is to stay equal to the last of
    the counts. Groups that are `outside` have no nodes of the job (launchers, parameter servers); those that are
    `first` have one, which is never cut. A group without pods is left out where it `may_go`. `procs` are the processes
    of a node; where the kind `writes_procs`, the first of them is written if none is: its operator counts GPUs then
    (`counts_gpus`), or leaves that to the launcher. `flags` tell programs of the kind of all processes.
    """

    groups: str
    counts: tuple[str, ...] = ("/replicas",)
    same: str = ""
    bounds: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    outside: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()
    may_go: bool = False
    procs: tuple[str, ...] = ()
    writes_procs: bool = False
    counts_gpus: bool = False
    flags: tuple[str, ...] = ()

    def below(self, prefix: str) -> "Shape":
        """The shape of an object that stands inside of another."""
        return replace(
            self,
            groups=prefix + self.groups,
            limits=tuple(prefix + limit for limit in self.limits),
            procs=tuple(prefix + procs for procs in self.procs),
        )


MPI_FLAGS = ("-np", "--np", "-n")
"""How mpirun and horovodrun are told of all processes."""

RAY_FLAGS = ("--num-workers", "--num_workers")
"""How training code that uses Ray is told of all workers."""

_RAY = Shape(
    groups="/workerGroupSpecs/*",
    counts=("/replicas", "/numOfHosts"),
    bounds=("/minReplicas", "/maxReplicas"),
    flags=RAY_FLAGS,
)
_JOB = Shape(groups="/spec", counts=("/parallelism",), same="/completions")
_REPLICAS = Shape(groups="/spec")


def _kubeflow(field: str, *, first: str = "", outside: tuple[str, ...] = ()) -> Shape:
    return Shape(
        groups=f"/spec/{field}/*",
        first=frozenset(first.split()),
        outside=frozenset(outside),
        may_go=True,
    )


SHAPES: Mapping[tuple[str, str], Shape] = MappingProxyType(
    {
        ("kubeflow.org", "PyTorchJob"): replace(
            _kubeflow("pytorchReplicaSpecs", first="Master"),
            limits=("/spec/elasticPolicy/minReplicas", "/spec/elasticPolicy/maxReplicas"),
            procs=("/spec/nprocPerNode", "/spec/elasticPolicy/nProcPerNode"),
            writes_procs=True,
        ),
        ("kubeflow.org", "TFJob"): _kubeflow(
            "tfReplicaSpecs", first="Chief Master", outside=("PS", "Evaluator")
        ),
        ("kubeflow.org", "XGBoostJob"): _kubeflow("xgbReplicaSpecs", first="Master"),
        ("kubeflow.org", "PaddleJob"): _kubeflow("paddleReplicaSpecs", outside=("Master",)),
        ("kubeflow.org", "JAXJob"): _kubeflow("jaxReplicaSpecs"),
        ("kubeflow.org", "MPIJob"): replace(
            _kubeflow("mpiReplicaSpecs", outside=("Launcher",)),
            procs=("/spec/slotsPerWorker",),
            flags=MPI_FLAGS,
        ),
        ("trainer.kubeflow.org", "TrainJob"): Shape(
            groups="/spec/trainer",
            counts=("/numNodes",),
            procs=("/spec/trainer/numProcPerNode",),
            writes_procs=True,
            counts_gpus=True,
        ),
        ("jobset.x-k8s.io", "JobSet"): Shape(
            groups="/spec/replicatedJobs/*",
            counts=("/replicas", "/template/spec/parallelism"),
            same="/template/spec/completions",
        ),
        ("ray.io", "RayJob"): _RAY.below("/spec/rayClusterSpec"),
        ("ray.io", "RayCluster"): _RAY.below("/spec"),
        ("batch.volcano.sh", "Job"): Shape(
            groups="/spec/tasks/*", bounds=("/minAvailable",), limits=("/spec/minAvailable",)
        ),
        ("batch", "Job"): _JOB,
        ("batch", "CronJob"): _JOB.below("/spec/jobTemplate"),
        ("apps", "Deployment"): _REPLICAS,
        ("apps", "StatefulSet"): _REPLICAS,
    }
)
"""The kinds that can be shrunk; of any other there is one pod."""
