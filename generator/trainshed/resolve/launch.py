"""What starts a script or module: one process a node, or a launcher that starts one for each GPU.

On several nodes a launcher is told where the first node is by the variables that PyTorchJob, TrainJob and JobSet set
(PET_*); Kubernetes puts their values into the arguments.
"""

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.families import JOBS, JOBSETS
from trainshed.model.manifest import canonical_json
from trainshed.model.pods import PodGroup
from trainshed.model.spec.program import Run
from trainshed.resolve.code import code_directory
from trainshed.resolve.draft import Draft
from trainshed.resolve.mpi import check_mpirun, uses_mpirun
from trainshed.resolve.objections import Objection, Weight
from trainshed.resolve.wishes import name_kinds

Words: TypeAlias = tuple[str, ...]

PADDLE_LAUNCH = ("python", "-m", "paddle.distributed.launch")
"""It finds the others by the operator's PADDLE_*, and starts a process for each GPU; it takes scripts, no modules."""

DEEPSPEED = "deepspeed.launcher.launch"
"""The module that starts the processes of one node."""

NODE_RANK, FIRST_NODE, FIRST_PORT = "$(PET_NODE_RANK)", "$(PET_MASTER_ADDR)", "$(PET_MASTER_PORT)"

TOLD_THE_FIRST_NODE = frozenset({Backend.PYTORCHJOB}) | JOBSETS | JOBS
"""Kinds that say where the first node is, or have no other."""


@dataclass(frozen=True, slots=True)
class Crew:
    """The processes of a run: on how many nodes, how many on each, and whether the nodes have GPUs."""

    nodes: int
    procs_per_node: int
    has_gpus: bool

    @classmethod
    def of(cls, groups: tuple[PodGroup, ...], procs_per_node: int) -> "Crew":
        """The processes of like pods."""
        return cls(
            sum(group.max_pods for group in groups), procs_per_node, any(group.gpus for group in groups)
        )

    @property
    def processes(self) -> int:
        """All of them."""
        return self.nodes * self.procs_per_node


def _torchrun(crew: Crew, alone: bool) -> Words:
    """Torchrun reads the PET_* variables by itself; alone on a node it needs none."""
    return ("torchrun", "--standalone", f"--nproc-per-node={crew.procs_per_node}") if alone else ("torchrun",)


def _accelerate(crew: Crew, alone: bool) -> Words:
    """Source: https://github.com/huggingface/accelerate, src/accelerate/commands/launch.py."""
    device = (
        () if crew.processes == 1 and crew.has_gpus else ("--multi_gpu",) if crew.has_gpus else ("--cpu",)
    )
    size = (f"--num_machines={crew.nodes}", f"--num_processes={crew.processes}")
    place = (
        f"--machine_rank={NODE_RANK}",
        f"--main_process_ip={FIRST_NODE}",
        f"--main_process_port={FIRST_PORT}",
    )
    return ("accelerate", "launch", *device, *size, *(() if alone else place))


def _deepspeed(crew: Crew, alone: bool) -> Words:
    """The launcher that `deepspeed` starts on each node by ssh, started by Kubernetes: no ssh, no host file.

    Source: https://github.com/deepspeedai/DeepSpeed, deepspeed/launcher/launch.py.
    """
    world = {f"node-{index:04}": list(range(crew.procs_per_node)) for index in range(crew.nodes)}
    told = base64.urlsafe_b64encode(canonical_json(world).encode()).decode()
    place = (f"--node_rank={NODE_RANK}", f"--master_addr={FIRST_NODE}", f"--master_port={FIRST_PORT}")
    return ("python", "-m", DEEPSPEED, f"--world_info={told}", *(() if alone else place))


_OF_TORCH: Mapping[str, Callable[[Crew, bool], Words]] = {
    "torchrun": _torchrun,
    "accelerate": _accelerate,
    "deepspeed": _deepspeed,
}
_MODULE_WORD: Mapping[str, str] = {"accelerate": "--module", "deepspeed": "--module"}


def launch(draft: Draft, backend: Backend, crew: Crew, run: Run) -> tuple[Words, Words]:
    """The launcher, and the script or module that it starts; findings where they do not fit the job."""
    check_mpirun(draft, backend)
    if uses_mpirun(draft, backend):
        return ("python",), _program(draft, run, "-m")
    if backend is Backend.PADDLEJOB and draft.body.launcher in (None, "auto"):
        return PADDLE_LAUNCH, _program(draft, run, "-m")
    launcher = _choose(draft)
    _check_framework(draft, launcher)
    _check_python(draft, launcher, crew.procs_per_node)
    _check_crew(draft, launcher, crew)
    known = _OF_TORCH.get(launcher)
    words = known(crew, backend in JOBS) if known else ("python",)
    return words, _program(draft, run, _MODULE_WORD.get(launcher, "-m"))


def object_to_launcher(draft: Draft, kind: Backend) -> Iterator[Objection]:
    """Objections of a kind whose pods are not told what the launcher has to know, or whose nodes come and go."""
    launcher = draft.body.launcher
    if launcher not in ("accelerate", "deepspeed"):
        return
    if kind is Backend.JOBSET and len(draft.body.roles or {}) > 1:
        yield Objection(
            Weight.WISH,
            Code.BACKEND_CANNOT,
            ("launcher",),
            f"{launcher} counts the nodes of the whole job, and each role of a JobSet is a group of its own",
            "write launcher: torchrun, which counts those of its role",
        )
    if kind in TOLD_THE_FIRST_NODE:
        return
    yield Objection(
        Weight.WISH,
        Code.BACKEND_CANNOT,
        ("launcher",),
        f"the pods of {kind.noun} are not told what {launcher} has to know of the first node",
        f"write launcher: torchrun, or take a kind that tells them: {name_kinds(TOLD_THE_FIRST_NODE)}",
    )


def _choose(draft: Draft) -> str:
    written = draft.body.launcher or "auto"
    by_framework = "torchrun" if draft.body.framework == "pytorch" else "python"
    return by_framework if written == "auto" else written


def _program(draft: Draft, run: Run, module_word: str) -> Words:
    if run.module is not None:
        return (module_word, run.module)
    script = run.script or ""
    return (script if script.startswith("/") else f"{code_directory(draft)}/{script}",)


def _check_framework(draft: Draft, launcher: str) -> None:
    framework = draft.body.framework or "generic"
    if launcher in _OF_TORCH and framework != "pytorch":
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("launcher",),
            f"framework {framework} is not started by {launcher}",
            "write framework: pytorch, or launcher: python",
        )


def _check_python(draft: Draft, launcher: str, procs_per_node: int) -> None:
    framework = draft.body.framework or "generic"
    several = procs_per_node > 1 and (draft.body.procs_per_node or framework == "pytorch")
    if launcher == "python" and several and framework != "ray":
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("launcher",) if draft.sources.has("launcher") else ("procsPerNode",),
            f"python starts one process on each node, not {procs_per_node}",
            "write launcher: torchrun, or procsPerNode: 1",
        )


def _check_crew(draft: Draft, launcher: str, crew: Crew) -> None:
    """What accelerate and deepspeed cannot do with the nodes that the job asks for."""
    if launcher not in ("accelerate", "deepspeed"):
        return
    nodes = draft.body.nodes
    if nodes is not None and nodes.max is not None and nodes.min != nodes.max:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("launcher",),
            f"{launcher} cannot go on with fewer nodes than it starts with",
            f"write launcher: torchrun, or nodes: {nodes.max}",
        )
    if launcher == "accelerate" and not crew.has_gpus and crew.processes > 1:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("launcher",),
            f"accelerate starts {crew.processes} processes on GPUs only",
            "write gpus: N, or launcher: torchrun",
        )
