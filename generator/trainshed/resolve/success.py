"""When a run has succeeded."""

from collections.abc import Iterator

from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.suggest import did_you_mean
from trainshed.model.sweep import Success
from trainshed.resolve.draft import Draft
from trainshed.resolve.objections import Objection, Weight

WORKER = "worker"
CHIEF = "chief"


def resolve_success(draft: Draft) -> Success | None:
    """What has to end well, where the job says so."""
    written = draft.body.success_when
    if written is None or (written.done is None and written.role is None):
        return None
    return Success(written.done or "all", written.role or "")


def object_to_success(draft: Draft, kind: Backend, pods: int, roles: tuple[str, ...]) -> Iterator[Objection]:
    """Objections of a kind that ends otherwise; `pods` are those of the job, or the points of its sweep."""
    written = draft.body.success_when
    if written is None:
        return
    if kind.is_alone:
        yield from _object_of_job(written.done, written.role, pods)
    elif kind is Backend.TFJOB:
        yield from _object_of_tfjob(written.done, written.role, roles)
    elif kind in (Backend.JOBSET, Backend.VOLCANOJOB):
        yield from _object_of_roles(kind, written.done, written.role, roles)


def _object_of_job(done: str | None, role: str | None, pods: int) -> Iterator[Objection]:
    if role is not None:
        yield _objection(Code.BACKEND_CANNOT, "role", "the pods of a Job have no roles", "write all or any")
    elif done == "any" and pods < 2:
        yield _objection(
            Code.BACKEND_CANNOT,
            "done",
            "this job has one pod, and ends when it does",
            "leave successWhen out",
        )


def _object_of_roles(
    kind: Backend, done: str | None, role: str | None, roles: tuple[str, ...]
) -> Iterator[Objection]:
    if role is not None and role not in roles:
        yield _objection(
            Code.UNKNOWN_VALUE,
            "role",
            f'the job has no role "{role}"',
            did_you_mean(role, roles) or "name one of its roles",
        )
    elif done == "any" and len(roles) < 2:
        yield _objection(
            Code.BACKEND_CANNOT,
            "done",
            f"{kind.noun} asks about roles, and this job has one",
            "leave successWhen out",
        )


def _object_of_tfjob(done: str | None, role: str | None, roles: tuple[str, ...]) -> Iterator[Objection]:
    """A chief decides where there is one, else worker 0, or all workers (`tensorflow/tfjob_controller.go`)."""
    has_chief = not roles or CHIEF in roles
    decides = CHIEF if has_chief else WORKER
    if done == "any" or role not in (None, decides) or (has_chief and role is None):
        yield _objection(
            Code.BACKEND_CANNOT,
            "role" if role is not None else "done",
            f"a TFJob ends with its {'chief' if has_chief else 'first worker, or with all of them'}",
            f"write successWhen: {{role: {CHIEF}}}" if has_chief else "write successWhen: all",
        )


def _objection(code: Code, field: str, summary: str, advice: str) -> Objection:
    return Objection(Weight.WISH, code, ("successWhen", field), summary, advice)
