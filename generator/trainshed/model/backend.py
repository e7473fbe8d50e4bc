"""The kinds that carry runs, and what is true of each whatever the job: a row a kind.

Facts of the operators' own source: containers, variables and restarts of the Training Operator v1.9.4 (`pkg/webhooks`,
`pkg/controller.v1`), the MPI Operator v0.8.2, KubeRay v1.6.2, Trainer v2.3.0, JobSet v0.12.0, Volcano v1.15.1 and the
API server's `batch/v1`.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from msgspec import Struct, field

Faults = Literal["unlimited", "counted", "none"]
Scope = Literal["job", "pod", "process"]


class Backend(StrEnum):
    """The Kubernetes kind that carries a run."""

    JOB = "job"
    CRONJOB = "cronjob"
    PYTORCHJOB = "pytorchjob"
    TFJOB = "tfjob"
    XGBOOSTJOB = "xgboostjob"
    PADDLEJOB = "paddlejob"
    JAXJOB = "jaxjob"
    MPIJOB = "mpijob"
    MPIJOB_V1 = "mpijob-v1"
    TRAINJOB = "trainjob"
    JOBSET = "jobset"
    RAYJOB = "rayjob"
    RAYCLUSTER = "raycluster"
    VOLCANOJOB = "volcanojob"

    @property
    def carrier(self) -> "Carrier":
        """What is true of the kind."""
        return CARRIERS[self]

    @property
    def kind(self) -> str:
        """The kind as Kubernetes spells it."""
        return CARRIERS[self].kind

    @property
    def noun(self) -> str:
        """The kind in a sentence, with its article."""
        return CARRIERS[self].noun or f"a {CARRIERS[self].kind}"

    @property
    def is_alone(self) -> bool:
        """Whether nothing but Kubernetes carries it: its pods must find one another by themselves."""
        return not CARRIERS[self].operator


class Roles(Struct, frozen=True):
    """The parts of a kind.

    `nodes: 4` alone means one `first` and three `rest`. `beside` is a part that `nodes` does not count and that takes
    no size from the job (a launcher, a Ray head). `known` are the parts that specs may name, `ANY` where names are
    free; `single` those of which there is one pod at most. Where roles are written, `first` is among them if `needed`.
    `start` says which pods start the job's program themselves: all, those of the part beside, or none. The kind ends
    with one of the `ending` parts, where it does not matter which of them are there.
    """

    first: str = ""
    rest: str = "node"
    beside: str = ""
    known: tuple[str, ...] = ()
    single: frozenset[str] = frozenset()
    needed: bool = False
    start: Literal["all", "beside", "none"] = "all"
    ending: tuple[str, ...] = ()


ANY = "*"


class Restarting(Struct, frozen=True):
    """What `restarts` becomes: the field, what its number counts there, and the budgets for faults it can keep.

    Of `faults` the first holds unless the spec says otherwise; `scopes` is what starts again after a failure.
    """

    field: str
    counts: str
    faults: tuple[Faults, ...] = ()
    scopes: tuple[Scope, ...] = ()


class Carrier(Struct, frozen=True, kw_only=True):
    """What is true of a kind.

    `operator` is empty for what Kubernetes brings along. `container` is the name that a webhook demands. `deadline`
    says who ends the run: a `field` of the kind, its `queue`, or nobody. `env` is what operator or launcher set.
    """

    kind: str
    noun: str = ""
    operator: str = ""
    frameworks: frozenset[str]
    roles: Roles = field(default_factory=Roles)
    container: str = "train"
    elastic: bool = False
    deadline: Literal["field", "queue", ""] = "field"
    env: frozenset[str] = frozenset()
    restarts: Restarting


TORCH_ENV = frozenset({"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"})
_JOB_ENV = TORCH_ENV | {"JOB_COMPLETION_INDEX"}
_RAY_ENV = frozenset(
    {"RAY_ADDRESS", "RAY_IP", "RAY_PORT", "RAY_DASHBOARD_ADDRESS", "FQ_RAY_IP", "RAY_CLUSTER_NAME"}
)
_TRAINER_ENV = frozenset(
    {"JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"}
    | {"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER"}
)
_ALONE = frozenset(
    {"generic", "pytorch", "tensorflow", "jax", "xgboost", "lightgbm", "paddle", "mpi", "horovod"}
)
"""What one node can run without an operator; Ray brings a cluster of its own."""

_GROUPED = _ALONE - {"tensorflow", "mpi", "horovod", "paddle"}
"""What needs no more than the names and indexes of like pods."""

_PER_CONTAINER = "restarts of containers, summed over the running pods"
_JOB = Restarting(
    "spec.backoffLimit (spec.backoffLimitPerIndex where there are several pods)",
    "failed pods; of several, those of each index by itself",
    ("unlimited", "counted", "none"),
    ("job",),
)
_JOBSET_FAULTS: tuple[Faults, ...] = ("unlimited", "counted", "none")

_MASTER = Roles("master", "worker", known=("master", "worker"), single=frozenset({"master"}), needed=True)
_CHIEF = Roles(
    "chief",
    "worker",
    known=("chief", "worker", "ps", "evaluator"),
    single=frozenset({"chief", "evaluator"}),
    ending=("chief", "worker"),
)
_LAUNCHER = Roles(
    "", "worker", "launcher", known=("launcher", "worker"), single=frozenset({"launcher"}), start="beside"
)
_HEAD = Roles("", "worker", "head", known=(ANY,), single=frozenset({"head"}), start="none")


CARRIERS: Mapping[Backend, Carrier] = MappingProxyType(
    {
        Backend.JOB: Carrier(kind="Job", frameworks=_ALONE, env=_JOB_ENV, restarts=_JOB),
        Backend.CRONJOB: Carrier(kind="CronJob", frameworks=_ALONE, env=_JOB_ENV, restarts=_JOB),
        Backend.PYTORCHJOB: Carrier(
            kind="PyTorchJob",
            operator="training-operator",
            frameworks=frozenset({"pytorch"}),
            roles=_MASTER,
            container="pytorch",
            elastic=True,
            deadline="queue",
            env=TORCH_ENV | {"PYTHONUNBUFFERED"},
            restarts=Restarting(
                "spec.runPolicy.backoffLimit", _PER_CONTAINER, ("unlimited",), ("pod", "process")
            ),
        ),
        Backend.TFJOB: Carrier(
            kind="TFJob",
            operator="training-operator",
            frameworks=frozenset({"tensorflow"}),
            roles=_CHIEF,
            container="tensorflow",
            deadline="queue",
            env=frozenset({"TF_CONFIG"}),
            restarts=Restarting("spec.runPolicy.backoffLimit", _PER_CONTAINER, ("unlimited",), ("pod",)),
        ),
        Backend.XGBOOSTJOB: Carrier(
            kind="XGBoostJob",
            noun="an XGBoostJob",
            operator="training-operator",
            frameworks=frozenset({"xgboost", "lightgbm"}),
            roles=_MASTER,
            container="xgboost",
            deadline="queue",
            env=TORCH_ENV | {"WORKER_PORT", "WORKER_ADDRS", "PYTHONUNBUFFERED"},
            restarts=Restarting("spec.runPolicy.backoffLimit", _PER_CONTAINER, ("none",), ("pod",)),
        ),
        Backend.PADDLEJOB: Carrier(
            kind="PaddleJob",
            operator="training-operator",
            frameworks=frozenset({"paddle"}),
            roles=Roles("", "worker", known=("master", "worker")),
            container="paddle",
            deadline="queue",
            env=frozenset(
                {
                    "PADDLE_JOB_ID",
                    "PADDLE_NNODES",
                    "PADDLE_MASTER",
                    "PADDLE_SERVER_NUM",
                    "PADDLE_TRAINER_NUM",
                    "POD_IP_DUMMY",
                    "PYTHONUNBUFFERED",
                }
            ),
            restarts=Restarting("spec.runPolicy.backoffLimit", _PER_CONTAINER, ("unlimited",), ("pod",)),
        ),
        Backend.JAXJOB: Carrier(
            kind="JAXJob",
            operator="training-operator",
            frameworks=frozenset({"jax"}),
            roles=Roles("", "worker", known=("worker",)),
            container="jax",
            deadline="queue",
            env=frozenset(
                {
                    "COORDINATOR_ADDRESS",
                    "COORDINATOR_PORT",
                    "NUM_PROCESSES",
                    "PROCESS_ID",
                    "PYTHONUNBUFFERED",
                }
            ),
            restarts=Restarting("spec.runPolicy.backoffLimit", _PER_CONTAINER, ("unlimited",), ("pod",)),
        ),
        Backend.MPIJOB: Carrier(
            kind="MPIJob",
            noun="an MPIJob",
            operator="mpi-operator",
            frameworks=frozenset({"mpi", "horovod", "pytorch", "tensorflow", "generic"}),
            roles=_LAUNCHER,
            container="mpi",
            env=frozenset(
                {
                    "K_MPI_JOB_ROLE",
                    "OMPI_MCA_orte_default_hostfile",
                    "OMPI_MCA_orte_keep_fqdn_hostnames",
                    "OMPI_MCA_orte_set_default_slots",
                    "OMPI_MCA_plm_rsh_args",
                }
            ),
            restarts=Restarting("spec.runPolicy.backoffLimit", "failed launchers", ("counted",), ("job",)),
        ),
        Backend.MPIJOB_V1: Carrier(
            kind="MPIJob",
            noun="an MPIJob (kubeflow.org/v1)",
            operator="training-operator",
            frameworks=frozenset({"mpi", "horovod", "pytorch", "tensorflow", "generic"}),
            roles=_LAUNCHER,
            container="mpi",
            deadline="",
            env=frozenset({"OMPI_MCA_plm_rsh_agent", "OMPI_MCA_orte_default_hostfile"}),
            restarts=Restarting(
                "spec.runPolicy.backoffLimit", "restarts of the launcher's container", ("none",), ("job",)
            ),
        ),
        Backend.TRAINJOB: Carrier(
            kind="TrainJob",
            operator="trainer",
            frameworks=frozenset({"generic", "pytorch", "jax", "xgboost"}),
            container="node",
            env=TORCH_ENV | _TRAINER_ENV,
            restarts=Restarting(
                "spec.template.spec.failurePolicy.maxRestarts of the TrainingRuntime",
                "restarts of all pods",
                _JOBSET_FAULTS,
                ("job",),
            ),
        ),
        Backend.JOBSET: Carrier(
            kind="JobSet",
            operator="jobset",
            frameworks=_GROUPED,
            roles=Roles(known=(ANY,)),
            deadline="queue",
            env=TORCH_ENV | _TRAINER_ENV,
            restarts=Restarting(
                "spec.failurePolicy.maxRestarts", "restarts of all pods", _JOBSET_FAULTS, ("job",)
            ),
        ),
        Backend.RAYJOB: Carrier(
            kind="RayJob",
            operator="kuberay",
            frameworks=frozenset({"ray"}),
            roles=_HEAD,
            elastic=True,
            env=_RAY_ENV,
            restarts=Restarting("spec.backoffLimit", "new Ray clusters", ("counted",), ("job",)),
        ),
        Backend.RAYCLUSTER: Carrier(
            kind="RayCluster",
            operator="kuberay",
            frameworks=frozenset({"ray"}),
            roles=_HEAD,
            elastic=True,
            deadline="",
            env=_RAY_ENV,
            restarts=Restarting("", "nothing: lost pods are replaced for as long as it stands"),
        ),
        Backend.VOLCANOJOB: Carrier(
            kind="Job",
            noun="a Volcano Job",
            operator="volcano",
            frameworks=_GROUPED,
            roles=Roles(known=(ANY,)),
            env=TORCH_ENV | {"VC_TASK_INDEX", "VK_TASK_INDEX"},
            deadline="",
            restarts=Restarting("spec.maxRetry", "restarts of all pods", ("counted",), ("job",)),
        ),
    }
)
"""Every kind that carries runs."""
