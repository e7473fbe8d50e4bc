"""Which Kubernetes kind carries a run, and which wishes that kind can honour."""

from collections.abc import Mapping
from dataclasses import dataclass

from trainshed.catalog import operators
from trainshed.model.codes import Code
from trainshed.model.plan import Backend
from trainshed.resolve.draft import Draft

OPERATOR_OF: Mapping[Backend, str] = {Backend.PYTORCHJOB: "training-operator", Backend.RAYJOB: "kuberay"}

_JOBS = frozenset({Backend.JOB, Backend.CRONJOB})


@dataclass(frozen=True, slots=True)
class Wish:
    """A field that only some kinds can honour, and what to do on the others."""

    field: tuple[str, ...]
    honoured_by: frozenset[Backend]
    advice: str


WISHES = (
    Wish(
        ("failOn",), _JOBS, "one node with backend: job has a pod failure policy; leave failOn out elsewhere"
    ),
    Wish(
        ("cleanup",),
        frozenset({Backend.PYTORCHJOB}),
        "leave cleanup out: this kind removes its running pods by itself",
    ),
    Wish(
        ("procsPerNode",),
        _JOBS | {Backend.PYTORCHJOB},
        "Ray places processes itself: say num_workers in the code",
    ),
    Wish(("launcher",), _JOBS | {Backend.PYTORCHJOB}, "Ray starts the script itself"),
    Wish(
        ("roles",), frozenset({Backend.RAYJOB}), "roles are the parts of a Ray cluster: write framework: ray"
    ),
    Wish(("security", "readOnlyRoot"), _JOBS | {Backend.PYTORCHJOB}, "Ray writes its sessions below /tmp"),
    Wish(("runtimeEnv",), frozenset({Backend.RAYJOB}), "write framework: ray"),
    Wish(("rayVersion",), frozenset({Backend.RAYJOB}), "write framework: ray"),
)


def choose_backend(draft: Draft, max_nodes: int, elastic: bool) -> Backend:
    """The kind for the job's framework, size and schedule; what stands against it is left as findings."""
    framework = draft.body.framework or "generic"
    wanted = draft.body.backend or "auto"
    several = max_nodes > 1 or elastic
    backend = {
        "ray": Backend.RAYJOB,
        "pytorch": Backend.PYTORCHJOB if several else Backend.JOB,
        "generic": Backend.JOB,
    }[framework]
    if wanted != "auto":
        backend = _check_choice(draft, Backend(wanted), framework, several)
    elif framework == "generic" and several:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("nodes",),
            f"framework generic runs on one node, this job asks for {'a range' if elastic else max_nodes}",
            "write framework: pytorch (PyTorchJob) or framework: ray (RayJob), which can run on several",
        )
    if draft.file.spec.schedule is not None:
        backend = _check_schedule(draft, backend)
    _check_operator(draft, backend)
    _check_wishes(draft, backend)
    return backend


def _check_choice(draft: Draft, backend: Backend, framework: str, several: bool) -> Backend:
    takes = {Backend.JOB: ("generic", "pytorch"), Backend.PYTORCHJOB: ("pytorch",), Backend.RAYJOB: ("ray",)}
    if framework not in takes[backend]:
        able = next(kind for kind, frameworks in takes.items() if framework in frameworks)
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("backend",),
            f"a {backend.kind} does not run framework {framework}",
            f"write backend: {able}, or leave it out",
        )
        return able
    if backend is Backend.JOB and several:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("backend",),
            "a Job runs on one node, this job asks for several",
            "write backend: pytorchjob with framework: pytorch, or nodes: 1",
        )
    return backend


def _check_schedule(draft: Draft, backend: Backend) -> Backend:
    if backend is not Backend.JOB:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("schedule",),
            f"a {backend.kind} cannot be scheduled",
            "a job on one node can, as a CronJob: write nodes: 1 and leave the backend out",
        )
        return backend
    return Backend.CRONJOB


def _check_operator(draft: Draft, backend: Backend) -> None:
    name = OPERATOR_OF.get(backend)
    if name is None:
        return
    installed = draft.cluster.operators.get(name)
    if installed is None:
        draft.refuse(
            Code.MISSING_OPERATOR,
            ("framework",),
            f'cluster "{draft.cluster.name}" has no {name}, which a {backend.kind} needs',
            f"write operators: {{{name}: …}} in {draft.cluster.source.path}, or run on another cluster",
        )
        return
    release = operators()[name].releases.get(installed.release)
    if installed.kinds and backend.kind.lower() not in map(str.lower, installed.kinds):
        draft.refuse(
            Code.RELEASE_LACKS,
            ("framework",),
            f"{name} on {draft.cluster.name} is told not to serve {backend.kind}",
            f"add {backend.kind} to its kinds, beside {installed.source}",
        )
    elif release is not None and release.serves(backend.kind) is None:
        draft.refuse(
            Code.RELEASE_LACKS,
            ("framework",),
            f"{name} {installed.release} on {draft.cluster.name} does not serve {backend.kind}",
            f"raise the release at {installed.source}",
        )


def _check_wishes(draft: Draft, backend: Backend) -> None:
    for wish in WISHES:
        if backend not in wish.honoured_by and draft.sources.has(*wish.field):
            draft.refuse(
                Code.BACKEND_CANNOT,
                wish.field,
                f"a {backend.kind} cannot honour {'.'.join(wish.field)}",
                wish.advice,
            )
