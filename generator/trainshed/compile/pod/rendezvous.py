"""How the processes of a JobSet, a TrainJob or a Volcano Job find one another.

JobSet and Volcano give every pod a name in the network and its index, and say no more: what the Training Operator sets
on a PyTorchJob, we set. Trainer sets it on a TrainJob (v2.3.0, `pkg/runtime/framework/plugins`), all but what torchrun
would tell the process it starts; the names and the port are Trainer's. Each role of a JobSet is a group of its own.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from trainshed.compile.pod.indexes import INDEX_FIELD
from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.compile.said import said
from trainshed.model.backend import Backend
from trainshed.model.plan import Target
from trainshed.model.pods import EnvVar, PodGroup

PORT = "29500"

TASK_INDEX = "metadata.annotations['volcano.sh/task-index']"
"""Where Volcano says which pod of its task a pod is (v1.15.1, `pkg/controllers/job/job_controller_util.go`)."""

Variables: TypeAlias = Callable[[Target, PodGroup], Iterator[EnvVar]]


def rendezvous(target: Target, group: PodGroup) -> PodPart:
    """The variables of the job's framework, and in a job of several parts which one the pod belongs to."""
    if target.backend not in (Backend.JOBSET, Backend.TRAINJOB, Backend.VOLCANOJOB):
        return NO_PART
    known = SET_ON_TRAINJOBS if target.backend is Backend.TRAINJOB else SET_ON_JOBSETS
    variables = known.get(target.framework)
    role = (_plain("TRAINSHED_ROLE", group.name),) if group.field else ()
    return PodPart(
        env=(*role, *(variables(target, group) if variables else ())),
        source=said(target, group, ("nodes",)),
        sources={"PET_NPROC_PER_NODE": said(target, group, ("procsPerNode",), ("gpus",))},
    )


def host_of_first(target: Target, group: PodGroup) -> str:
    """The name of a group's first pod in the run's own subdomain: of a JobSet the first pod of a group's first Job."""
    if target.backend is Backend.VOLCANOJOB:
        return f"{target.run}-{group.name}-0.{target.run}"
    return f"{target.run}-{group.name}-0-0.{target.run}"


def _torchrun(target: Target, group: PodGroup) -> Iterator[EnvVar]:
    """What torchrun takes for its arguments."""
    yield _plain("PET_NNODES", group.max_pods)
    yield _plain("PET_NPROC_PER_NODE", _processes(target, group))
    yield EnvVar("PET_NODE_RANK", "field", _index(target))
    yield _plain("PET_MASTER_ADDR", host_of_first(target, group))
    yield _plain("PET_MASTER_PORT", PORT)
    yield from _torch_process(target, group)


def _torch_process(target: Target, group: PodGroup) -> Iterator[EnvVar]:
    """What torchrun tells a process, where a pod's program is the only process and torchrun does not start it."""
    if group.command[:1] == ("torchrun",) or _processes(target, group) > 1:
        return
    yield _plain("MASTER_ADDR", host_of_first(target, group))
    yield _plain("MASTER_PORT", PORT)
    yield _plain("WORLD_SIZE", group.max_pods)
    yield EnvVar("RANK", "field", _index(target))
    yield _plain("LOCAL_WORLD_SIZE", 1)
    yield _plain("LOCAL_RANK", 0)


def _jax(target: Target, group: PodGroup) -> Iterator[EnvVar]:
    yield _plain("JAX_NUM_PROCESSES", group.max_pods)
    yield EnvVar("JAX_PROCESS_ID", "field", _index(target))
    yield _plain("JAX_COORDINATOR_ADDRESS", f"{host_of_first(target, group)}:{PORT}")


def _xgboost(target: Target, group: PodGroup) -> Iterator[EnvVar]:
    """The tracker runs in the first pod; there is a worker for each GPU, or one a pod."""
    yield _plain("DMLC_TRACKER_URI", host_of_first(target, group))
    yield _plain("DMLC_TRACKER_PORT", PORT)
    yield EnvVar("DMLC_TASK_ID", "field", _index(target))
    yield _plain("DMLC_NUM_WORKER", group.max_pods * max(group.gpus, 1))


SET_ON_JOBSETS: Mapping[str, Variables] = {"pytorch": _torchrun, "jax": _jax, "xgboost": _xgboost}
SET_ON_TRAINJOBS: Mapping[str, Variables] = {"pytorch": _torch_process}
"""What we set, by framework; on a TrainJob only what Trainer leaves out."""


def _processes(target: Target, group: PodGroup) -> int:
    """The processes of a pod: as the job says, else one for each of its role's GPUs."""
    return target.procs_per_node if target.sources.has("procsPerNode") else max(group.gpus, 1)


def _index(target: Target) -> str:
    return TASK_INDEX if target.backend is Backend.VOLCANOJOB else INDEX_FIELD


def _plain(name: str, value: str | int) -> EnvVar:
    return EnvVar(name, "value", str(value))
