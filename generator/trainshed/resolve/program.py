"""What runs in the container: the launcher, the script, and the code that travels with the run."""

import re
from typing import Literal

from msgspec.structs import replace

from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.families import JOBS, JOBSETS
from trainshed.model.pods import PodGroup
from trainshed.model.spec.program import Run
from trainshed.resolve.draft import Draft
from trainshed.resolve.launch import Crew, Words, launch
from trainshed.resolve.mpi import mpirun, uses_mpirun

RUN_FORMS = ("script", "module", "command", "entrypoint")

TELLS_TORCH = frozenset({Backend.PYTORCHJOB}) | JOBSETS
"""Kinds whose pods are told how many processes there are in all."""


_RAY_UNSAFE = re.compile(r"[`$;&|<>()*?\[\]{}~#\"'!\\\n]")


def resolve_programs(
    draft: Draft, backend: Backend, groups: tuple[PodGroup, ...], procs: int
) -> tuple[Words, Words, tuple[PodGroup, ...]]:
    """The job's own command and arguments, and the groups with what their containers run."""
    start = backend.carrier.roles.start
    runs = {group.name: _role_run(draft, backend, group) for group in groups}
    starting = [group for group in groups if start == "all" or (start == "beside" and group is groups[0])]
    needed = backend is Backend.RAYJOB or any(runs[group.name] is None for group in starting)
    crew = Crew.of(tuple(starting), procs)
    job = resolve_program(draft, backend, draft.body.run, ("run",), crew) if needed else ((), ())
    if uses_mpirun(draft, backend):
        job = (mpirun(groups, procs), (*job[0], *job[1]))
    started: list[PodGroup] = []
    for group in groups:
        run = runs[group.name]
        at = ("run",) if run is None else (*group.field, "run")
        program = job if run is None else resolve_program(draft, backend, run, at, crew)
        command, args = program if group in starting else ((), ())
        setup = _setup(draft, run or draft.body.run, at, command) if group in starting else ()
        started.append(replace(group, command=command, args=args, setup=setup))
    return job[0], job[1], tuple(started)


def _setup(draft: Draft, run: Run | None, at: tuple[str, ...], command: Words) -> Words:
    """The commands before the program. An image's own entrypoint is not known, so nothing can be put before it."""
    setup = (run and run.setup) or ()
    if setup and run is not None and run.entrypoint is not None:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*at, "setup"),
            "what the image's own entrypoint is cannot be known, and so nothing can run before it",
            "write run: {command: […]}, or put the commands into the image",
        )
    return setup if command else ()


def resolve_runtime(draft: Draft) -> Literal["carried", "installed", "none"]:
    """How the training runtime comes into the pods. What an image starts by itself, it cannot start in its place."""
    written = draft.body.runtime or "none"
    run = draft.body.run
    if written != "none" and run is not None and run.entrypoint is not None:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("runtime",),
            "what the image's own entrypoint is cannot be known, and so the runtime cannot start it",
            "write run: {command: […]}, or leave runtime out and call the runtime in the image",
        )
    return written


def _role_run(draft: Draft, backend: Backend, group: PodGroup) -> Run | None:
    """What a role runs of its own, where its pods start a program at all."""
    role = (draft.body.roles or {}).get(group.name) if group.field else None
    run = role.run if role else None
    if run is not None and backend.carrier.roles.start != "all":
        draft.refuse(
            Code.BACKEND_CANNOT,
            (*group.field, "run"),
            f"the pods of {backend.noun} start what its operator tells them",
            "say what to run in the job: run: {…}",
        )
        return None
    return run


def resolve_program(
    draft: Draft, backend: Backend, run: Run | None, at: tuple[str, ...], crew: Crew
) -> tuple[Words, Words]:
    """The command and arguments that a `run` stands for."""
    written = [name for name in RUN_FORMS if getattr(run, name, None) is not None]
    if run is None or not written:
        draft.refuse(
            Code.MISSING_CHOICE,
            at,
            "the job does not say what to run",
            "write run: {script: train.py}, {module: …} or {command: […]}; for the image's own, {entrypoint: image}",
        )
        return (), ()
    if len(written) > 1:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*at, written[1]),
            f"run says {' and '.join(written)}",
            f"keep one of them; the other was written at {draft.source(*at, written[0])}",
        )
        return (), ()
    args = run.args or ()
    if backend is Backend.RAYJOB:
        _check_ray_words(draft, run.command or (), args)
    if run.entrypoint is not None or run.command is not None:
        _check_own_program(draft, backend)
    if run.entrypoint is not None:
        return _image_entrypoint(draft, backend, args)
    if run.command is not None:
        if backend in TELLS_TORCH:
            _check_processes(draft, run.command, (*at, "command"), crew.procs_per_node)
        if not run.command:
            draft.refuse(
                Code.MISSING_CHOICE, (*at, "command"), "the command is empty", "write at least a program"
            )
        return run.command, args
    if run.module is not None and backend is Backend.PADDLEJOB and draft.body.launcher in (None, "auto"):
        draft.refuse(
            Code.BACKEND_CANNOT,
            (*at, "module"),
            "paddle.distributed.launch starts scripts, not modules",
            "write run: {script: …}, or launcher: python if the module finds its peers by itself",
        )
    launcher, program = launch(draft, backend, crew, run)
    return launcher, (*program, *args)


UNTOLD = JOBSETS | {Backend.VOLCANOJOB}
"""Kinds whose pods hear of their processes from us, and only where PyTorch asks."""


def _check_own_program(draft: Draft, backend: Backend) -> None:
    """Wishes about how a script is started, beside a program that starts itself."""
    idle = ["launcher"] if backend.carrier.roles.start != "none" else []
    unread = backend in JOBS or (backend in UNTOLD and draft.body.framework != "pytorch")
    idle += ["procsPerNode"] if unread else []
    for field in idle:
        if draft.sources.has(field):
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                (field,),
                f"{field} is about scripts and modules, this job runs a program of its own",
                f"leave {field} out, or write run: {{script: …}}",
            )


def _check_ray_words(draft: Draft, command: tuple[str, ...], args: tuple[str, ...]) -> None:
    """Ray hands the entrypoint to a shell on the head, behind one that has already taken the quotes off."""
    run = draft.body.run
    places = [(("run", "script"), run.script), (("run", "module"), run.module)] if run else []
    places += [(("run", "command", index), word) for index, word in enumerate(command)]
    places += [(("run", "args", index), word) for index, word in enumerate(args)]
    for place, word in places:
        unsafe = _RAY_UNSAFE.search(word or "")
        if unsafe:
            draft.refuse(
                Code.BACKEND_CANNOT,
                place,
                f'"{unsafe[0]}" means something to the shell that Ray starts the program with',
                "put the value under parameters, which arrive as a file, or into the script",
            )


def _image_entrypoint(
    draft: Draft, backend: Backend, args: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if backend is Backend.RAYJOB:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("run", "entrypoint"),
            "Ray puts its own command in place of the image's entrypoint",
            "write run: {script: …} or {command: […]}",
        )
    return (), args


LAUNCHERS = frozenset({"torchrun", "accelerate", "deepspeed", "composer"})
"""Programs that start a process for each GPU by themselves."""


def _check_processes(draft: Draft, command: Words, at: tuple[str, ...], procs_per_node: int) -> None:
    """The operator's WORLD_SIZE counts processes: it must know how many a command of the job's own starts."""
    program = command[0].rpartition("/")[2] if command else ""
    launches = program in LAUNCHERS or any("torch.distributed" in word for word in command)
    if (
        draft.body.framework == "pytorch"
        and procs_per_node > 1
        and not launches
        and not draft.body.procs_per_node
    ):
        draft.refuse(
            Code.MISSING_CHOICE,
            at,
            f'how many processes "{program}" starts on each node is not said',
            f"write procsPerNode: 1 if it is one; or run: {{script: …}}, and torchrun starts {procs_per_node}",
        )
