"""One number for restarts after failures of the code, and what faults of the cluster cost."""

from collections.abc import Iterator

from trainshed.catalog.installed import release_on
from trainshed.model.backend import CARRIERS, Backend, Faults
from trainshed.model.codes import Code
from trainshed.model.families import JOBSETS
from trainshed.model.plan import Restarts
from trainshed.resolve.draft import Draft
from trainshed.resolve.objections import Objection, Weight
from trainshed.resolve.wishes import name_kinds


def resolve_restarts(draft: Draft, backend: Backend) -> Restarts:
    """The budgets, as the kind keeps them."""
    written = draft.body.restarts
    own = backend.carrier.restarts.faults
    default: Faults = own[0] if own else "unlimited"
    if written is None:
        return Restarts(0, default)
    return Restarts(written.failures or 0, written.faults or default, written.scope)


def resolve_codes(draft: Draft) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Exit codes after which starting again is useless, and the only ones after which it is worth it."""
    fatal, worth_it = draft.body.fail_on or (), draft.body.retry_on or ()
    if fatal and worth_it:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("retryOn",),
            "retryOn makes every other code fatal, and failOn names such codes",
            f"keep one of them; failOn was written at {draft.source('failOn')}",
        )
    return tuple(sorted(set(fatal))), tuple(sorted(set(worth_it)))


def object_to_restarts(draft: Draft, kind: Backend, elastic: bool) -> Iterator[Objection]:
    """Objections of a kind that cannot keep the budget for faults, or starts something else again."""
    written = draft.body.restarts
    able = kind.carrier.restarts
    yield from _object_to_fail_on(draft, kind)
    if written is None or not able.faults:
        return
    if written.faults is not None and written.faults not in able.faults:
        others = (other for other, carrier in CARRIERS.items() if written.faults in carrier.restarts.faults)
        yield Objection(
            Weight.WISH,
            Code.BACKEND_CANNOT,
            ("restarts", "faults"),
            f"{kind.noun} cannot keep faults of the cluster {written.faults}: there they are {able.faults[0]}",
            f"leave faults out, or take a kind that can: {name_kinds(others)}",
        )
    elif written.faults == "unlimited" and not written.failures and "none" not in able.faults:
        yield Objection(
            Weight.WISH,
            Code.BACKEND_CANNOT,
            ("restarts", "faults"),
            f"{kind.noun} that never restarts after a failure does not restart after a fault either",
            "write restarts: {failures: 1, faults: unlimited}",
        )
    if written.scope is not None and written.scope not in able.scopes:
        others = (other for other, carrier in CARRIERS.items() if written.scope in carrier.restarts.scopes)
        yield Objection(
            Weight.WISH,
            Code.BACKEND_CANNOT,
            ("restarts", "scope"),
            f"{kind.noun} starts the {' or the '.join(able.scopes)} again after a failure, not the {written.scope}",
            f"leave scope out, or take a kind that can: {name_kinds(others)}",
        )
    elif written.scope == "process" and not elastic:
        yield Objection(
            Weight.WISH,
            Code.BACKEND_CANNOT,
            ("restarts", "scope"),
            "only the nodes of an elastic job meet again: where one fails, its pod starts again",
            "leave scope out, or write nodes: {min: …, max: …}",
        )


def _object_to_fail_on(draft: Draft, kind: Backend) -> Iterator[Objection]:
    """A Job ended by an exit code and one ended by a disruption differ for a JobSet only in what they say."""
    if not draft.body.fail_on or kind not in JOBSETS or resolve_restarts(draft, kind).faults != "unlimited":
        return
    installed, release = draft.cluster.operators.get("jobset"), release_on(draft.cluster, "jobset")
    if installed and release and not release.can("failure-message-patterns"):
        yield Objection(
            Weight.WISH,
            Code.RELEASE_LACKS,
            ("failOn",),
            f"jobset {release.version} on {draft.cluster.name} cannot tell these codes from faults of the cluster",
            f"write restarts: {{faults: counted}} or none, or raise the release at {installed.source}",
        )
