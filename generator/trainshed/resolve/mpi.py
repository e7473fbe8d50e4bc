"""MPI jobs: what starts their processes, and what neither of the two MPIJobs can carry."""

from collections.abc import Iterator
from itertools import pairwise

from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.pods import PodGroup, RunAs
from trainshed.resolve.draft import Draft
from trainshed.resolve.objections import Objection, Weight

LAUNCHER = "launcher"
OPEN_MPI = frozenset({"mpirun", "mpiexec", "orterun"})
"""Names of the program that starts processes; an MPIJob is OpenMPI's unless a patch says otherwise."""


def uses_mpirun(draft: Draft, backend: Backend) -> bool:
    """Whether the launcher runs a script or module by mpirun, and not a program of the job's own."""
    run = draft.body.run
    return backend.carrier.roles.beside == LAUNCHER and bool(run and (run.script or run.module))


def mpirun(groups: tuple[PodGroup, ...], procs_per_node: int) -> tuple[str, ...]:
    """One process in each slot of each worker, bound to no core: its threads would share it (horovod, docs/mpi.rst)."""
    workers = sum(group.max_pods for group in groups if group.name != LAUNCHER)
    processes = str(workers * procs_per_node)
    return ("mpirun", "-np", processes, "--bind-to", "none", "--map-by", "slot")


def check_mpirun(draft: Draft, backend: Backend) -> None:
    """A finding where mpirun is asked for and has no launcher to run on, or something else where it has one."""
    written = draft.body.launcher or "auto"
    by_mpirun = uses_mpirun(draft, backend)
    if by_mpirun and written not in ("auto", "mpirun"):
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("launcher",),
            f"the launcher of {backend.noun} starts scripts with mpirun, not with {written}",
            "leave launcher out, or write run: {command: […]}, which starts once, on the launcher",
        )
    elif written == "mpirun" and not by_mpirun:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("launcher",),
            f"{backend.noun} has no launcher for mpirun to run on",
            "write framework: mpi or horovod, or leave launcher out",
        )


def object_to_mpi_v1(draft: Draft, kind: Backend) -> Iterator[Objection]:
    """What stands against the MPIJob of the Training Operator.

    It gives the launcher an init container without a security context (`kubectl-delivery`), and Kueue does not know
    it: `kubeflow.org/mpijob` among Kueue's integrations is mpi-operator's.
    """
    if kind is not Backend.MPIJOB_V1:
        return
    field = draft.kind_field
    way_out = f"write operators: {{mpi-operator: …}} in {draft.cluster.source.path}"
    security = draft.body.security
    if not security or not (security.level == "privileged" or security.privileged):
        yield Objection(
            Weight.WISH,
            Code.BACKEND_CANNOT,
            field,
            "Pod Security restricted refuses the init container that training-operator gives an MPIJob's launcher",
            f"{way_out}, whose MPIJob has none; or write security: {{level: privileged, why: …}}",
        )
    if draft.team.queue and draft.body.queue != "none":
        yield Objection(
            Weight.WISH,
            Code.BACKEND_CANNOT,
            ("queue",) if draft.sources.has("queue") else field,
            "Kueue holds no MPIJob of training-operator in a queue: it would start past every quota",
            f"{way_out}, whose MPIJob waits; or write queue: none",
        )


def check_mpi(draft: Draft, backend: Backend, groups: tuple[PodGroup, ...], run_as: RunAs) -> None:
    """Findings for what an MPI job would lose: GPUs of the launcher, and variables that no login by ssh sees."""
    if backend.carrier.roles.beside != LAUNCHER:
        return
    _check_launcher(draft, backend, groups)
    if backend is Backend.MPIJOB:
        _check_variables(draft, groups)
        _check_handed_on(draft, groups)
        _check_login(draft, run_as)


def _check_launcher(draft: Draft, backend: Backend, groups: tuple[PodGroup, ...]) -> None:
    launcher, *workers = groups
    if launcher.gpus:
        draft.refuse(
            Code.BACKEND_CANNOT,
            (*launcher.field, "gpus"),
            f"the launcher of {backend.noun} trains nothing, its GPUs would idle",
            "give GPUs to the workers: write gpus in the job",
        )
    if not workers:
        draft.refuse(
            Code.MISSING_CHOICE,
            ("roles",),
            f"{backend.noun} with a launcher alone has nobody to train",
            "write how many workers there are: nodes: 4",
        )


def _check_variables(draft: Draft, groups: tuple[PodGroup, ...]) -> None:
    """The workers' processes are told the launcher's variables by name."""
    for group in groups:
        if group.name != LAUNCHER and group.env:
            draft.refuse(
                Code.BACKEND_CANNOT,
                (*group.field, "env"),
                "processes of an MPIJob log in by ssh and see no variable of their own container",
                "write env in the job: mpirun hands it on",
            )
    for part in ("secrets", "configMaps"):
        if uses_mpirun(draft, Backend.MPIJOB) and draft.sources.has("envFrom", part):
            draft.refuse(
                Code.BACKEND_CANNOT,
                ("envFrom", part),
                "mpirun hands variables on by name, envFrom names none",
                "write env: {NAME: {secret: …, key: …}}, or run a command of your own",
            )


def _check_handed_on(draft: Draft, groups: tuple[PodGroup, ...]) -> None:
    """OpenMPI's mpirun hands the variables on that -x names, and no others, to processes on other nodes."""
    run = draft.body.run
    words = (*(run.command or ()), *(run.args or ())) if run else ()
    if not words or words[0].rpartition("/")[2] not in OPEN_MPI:
        return
    named = {word.partition("=")[0] for flag, word in pairwise(words) if flag == "-x"}
    own = {name: ("env", name) for name, value in (draft.body.env or {}).items() if value is not None}
    fabric = {name: ("run", "command") for group in groups if group.fabric for name in group.fabric.env}
    for name, field in {**fabric, **own}.items():
        if name not in named:
            draft.refuse(
                Code.BACKEND_CANNOT,
                field,
                f"{name} does not reach the workers: {words[0]} hands on what -x names",
                f"write -x, {name} in the command; or run: {{script: …}}, where all is handed on",
                severity=Severity.WARNING,
            )


def _check_login(draft: Draft, run_as: RunAs) -> None:
    """Sshd looks the user up in the image, where a user that the platform assigns has no shell."""
    if run_as.user is None:
        draft.refuse(
            Code.BACKEND_CANNOT,
            draft.kind_field,
            f"processes of an MPIJob log in as a user of the image, {draft.cluster.name} assigns another",
            "write security: {level: privileged, why: …, runAs: {user: 1000, group: 1000}}: images made from"
            " mpioperator/base have that user, and there approved jobs may take it",
        )
