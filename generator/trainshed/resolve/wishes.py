"""What each kind can honour: a row for every field that some kinds cannot, and for every field that asks for a release.

A field without a row is honoured by every kind. The rows decide which kind `backend: auto` takes, what an explicit one
is refused for, and the table in `docs/backends.md`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from trainshed.model.backend import CARRIERS, Backend
from trainshed.model.families import EVERY, JOBS, JOBSETS, KUBEFLOW, LASTING, MPI, ONE_PROCESS, RAY


@dataclass(frozen=True, slots=True)
class Wish:
    """A field that only some kinds can honour, and what to do on the others."""

    field: tuple[str, ...]
    honoured_by: frozenset[Backend]
    advice: str


@dataclass(frozen=True, slots=True)
class Need:
    """A field that a kind honours only with an operator's release that has the feature."""

    field: tuple[str, ...]
    kinds: frozenset[Backend]
    operator: str
    feature: str


WISHES: tuple[Wish, ...] = (
    Wish(
        ("failOn",),
        JOBS | JOBSETS,
        "this kind's operator looks at no exit code of ours: leave failOn out",
    ),
    Wish(
        ("cleanup",),
        KUBEFLOW | {Backend.MPIJOB},
        "leave cleanup out: this kind removes its running pods by itself",
    ),
    Wish(("procsPerNode",), EVERY - RAY, "Ray places processes itself: say num_workers in the code"),
    Wish(("launcher",), EVERY - RAY, "Ray starts the script itself"),
    Wish(("procsPerNode",), EVERY - ONE_PROCESS, "this kind starts one process on each node: leave it out"),
    Wish(
        ("deadline",),
        EVERY - {Backend.MPIJOB_V1},
        "nothing ends this kind in time: stop in the code, or install mpi-operator, whose MPIJob is ended",
    ),
    Wish(("deadline",), EVERY - {Backend.VOLCANOJOB}, "nothing ends a Volcano Job in time: stop in the code"),
    Wish(
        ("roles",),
        frozenset(kind for kind, carrier in CARRIERS.items() if carrier.roles.known),
        "this kind has pods of one sort only: say nodes",
    ),
    Wish(("security", "readOnlyRoot"), EVERY - RAY, "Ray writes its sessions below /tmp"),
    Wish(("run", "setup"), EVERY - RAY, "write runtimeEnv: {pip: […]}: Ray prepares its workers by itself"),
    Wish(
        ("run", "setup"),
        EVERY - MPI,
        "it would prepare the launcher, and the workers train: prepare the image",
    ),
    Wish(
        ("runtime",),
        EVERY - MPI - {Backend.RAYCLUSTER},
        "nothing of ours starts the processes there: install the runtime in the image, and import it",
    ),
    Wish(
        ("rendezvous",), frozenset({Backend.PYTORCHJOB}), "only an elastic PyTorchJob meets at a rendezvous"
    ),
    Wish(("runtimeEnv",), frozenset({Backend.RAYJOB}), "write framework: ray"),
    Wish(("rayVersion",), RAY, "write framework: ray"),
    Wish(("autoscaler",), RAY, "no other kind grows by itself: leave autoscaler out"),
    Wish(
        ("sweep",),
        JOBS,
        "a sweep is an Indexed Job: leave the backend out; on Ray, let Ray Tune make the points",
    ),
    Wish(
        ("retryOn",),
        JOBS | JOBSETS,
        "this kind's operator looks at no exit code of ours: leave retryOn out",
    ),
    Wish(
        ("successWhen",),
        JOBS | {Backend.JOBSET, Backend.TFJOB, Backend.VOLCANOJOB},
        "leave successWhen out: this kind has one way",
    ),
    Wish(
        ("startupTimeout",),
        frozenset({Backend.RAYJOB}),
        "leave it out: where Kueue waits for pods to be ready, it puts what does not start back into its queue",
    ),
    Wish(
        ("keepFailedFor",),
        frozenset({Backend.RAYJOB}),
        "leave it out: the pods that failed stay as long as the run does",
    ),
    Wish(
        ("run",), EVERY - {Backend.RAYCLUSTER}, "a Ray cluster waits for work: submit it, or write a RayJob"
    ),
    Wish(("restarts",), EVERY - {Backend.RAYCLUSTER}, "a Ray cluster replaces its pods by itself"),
    Wish(("deadline",), EVERY - {Backend.RAYCLUSTER}, "a Ray cluster has no end: write state: stopped"),
    Wish(("attempt",), EVERY - {Backend.RAYCLUSTER}, "a Ray cluster has no runs: it is changed in place"),
    Wish(("whenEdited",), EVERY - LASTING, "it keeps one name and is changed in place: leave whenEdited out"),
)

NEEDS: tuple[Need, ...] = (
    Need(("startupTimeout",), frozenset({Backend.RAYJOB}), "kuberay", "rayjob-pre-running-deadline"),
    Need(("autoscaler", "version"), RAY, "kuberay", "autoscaler-v2"),
)


def honouring(field: tuple[str, ...]) -> frozenset[Backend]:
    """The kinds that honour a field."""
    carried = EVERY
    for wish in WISHES:
        if wish.field == field[: len(wish.field)]:
            carried &= wish.honoured_by
    return carried


def name_kinds(kinds: Iterable[Backend]) -> str:
    """Kinds as a spec names them, in the order of the table: "pytorchjob, trainjob or jobset"."""
    named = frozenset(kinds)
    words = list(dict.fromkeys(spell(kind) for kind in Backend if kind in named))
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def spell(kind: Backend) -> str:
    """A kind as `backend:` names it; which MPIJob it is, the cluster says, and a schedule makes the CronJob."""
    return {Backend.MPIJOB_V1: "mpijob", Backend.CRONJOB: "job"}.get(kind, kind.value)
