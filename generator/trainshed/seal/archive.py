"""What a cluster shows of its runs, beside their seals: which of them have ended."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec.structs import replace

from trainshed.model.diagnostic import Diagnostic, sort_findings
from trainshed.model.endings import SIGNS, backend_of, read_ending, resource
from trainshed.model.files import RenderedObject
from trainshed.model.manifest import AppId, JsonObject
from trainshed.model.outcome import Outcome
from trainshed.model.plan import Plan, Target
from trainshed.model.seal import SealedRun, SealedRuns

State: TypeAlias = Literal["succeeded", "failed"]
Place: TypeAlias = tuple[str, str, str, str]
"""Group, kind, namespace and name of an object."""

TRACKING = "argocd.argoproj.io/tracking-id"
"""Where Argo CD writes the Application whose an object is: `<application>:<group>/<kind>:<namespace>/<name>`, with
`<namespace>_` before the application where that lives outside of Argo CD's own."""


class Fate(StrEnum):
    """What becomes of an object that a cluster shows."""

    ENDED = "archived"
    OTHER = "ended in another state than was asked for"
    GOING = "not ended: queued, running or suspended"
    BEFORE = "archived before"
    ELSEWHERE = "another cluster's, by Argo CD's tracking"
    UNKNOWN = "no run of this cluster's seals"


@dataclass(frozen=True, slots=True)
class Shown:
    """An object that a cluster showed: its fate, its name, and its run if it is one, with the outcome if it ended."""

    fate: Fate
    name: str
    run: SealedRun | None = None


def ask_kubectl(sealed: SealedRuns, cluster: str) -> str:
    """The command that prints the cluster's runs, of the kinds that those without an outcome have."""
    runs = (run.seal for app, runs in sealed.items() if app.cluster == cluster for run in runs)
    kinds = {backend_of(seal) for seal in runs if seal.outcome is None}
    resources = sorted({resource(kind) for kind in kinds if kind is not None}) or ["jobs.batch"]
    return f"kubectl get {','.join(resources)} -A -l app.kubernetes.io/managed-by=trainshed -o json"


def read_archive(
    objects: Iterable[RenderedObject], sealed: SealedRuns, plan: Plan, cluster: str, state: State | None
) -> Outcome[tuple[Shown, ...]]:
    """What becomes of each object that a cluster shows; `state` says which endings to archive, None for both.

    An object is the run of a seal if it has its kind, one of its team's namespaces, its name and its job's labels.
    Findings for runs whose status cannot be read.
    """
    runs = {place: pair for pair in _runs(sealed, plan, cluster) for place in _places(*pair)}
    shown = {_place(one): one for one in objects}
    read = [_read(one, runs.get(place), state) for place, one in sorted(shown.items(), key=_by_place)]
    findings = [one for one in read if isinstance(one, Diagnostic)]
    return Outcome(tuple(one for one in read if isinstance(one, Shown)), sort_findings(findings))


def _by_place(entry: tuple[Place, RenderedObject]) -> Place:
    return entry[0]


def _read(
    one: RenderedObject, found: tuple[SealedRun, Target] | None, state: State | None
) -> Shown | Diagnostic:
    body, identity = one.manifest.body, one.manifest.identity
    if found is None or not _is_labelled(body, found[1]):
        return Shown(Fate.UNKNOWN, f"{identity.kind}/{identity.name}")
    run, target = found
    if not _is_tracked_here(body, target):
        return Shown(Fate.ELSEWHERE, run.seal.run, run)
    if run.seal.outcome is not None:
        return Shown(Fate.BEFORE, run.seal.run, run)
    kind = backend_of(run.seal)
    ending = read_ending(SIGNS[kind], body.get("status"), one.manifest.origins) if kind else None
    if isinstance(ending, Diagnostic):
        return ending
    if ending is None:
        return Shown(Fate.GOING, run.seal.run, run)
    if state not in (None, ending.state):
        return Shown(Fate.OTHER, run.seal.run, run)
    ended = replace(run, seal=replace(run.seal, outcome=ending))
    return Shown(Fate.ENDED, run.seal.run, ended)


def _runs(sealed: SealedRuns, plan: Plan, cluster: str) -> Iterator[tuple[SealedRun, Target]]:
    """The cluster's sealed runs, each with its job."""
    for target in plan.targets:
        if target.cluster.name == cluster:
            yield from ((run, target) for run in sealed.get(AppId(cluster, target.app), ()))


def _places(run: SealedRun, target: Target) -> Iterator[Place]:
    """Where the run's object may be."""
    kind = backend_of(run.seal)
    if kind is not None:
        for namespace in target.team.all_namespaces:
            yield SIGNS[kind].group, run.seal.kind, namespace, run.seal.run


def _place(one: RenderedObject) -> Place:
    identity = one.manifest.identity
    return identity.api_version.rpartition("/")[0], identity.kind, identity.namespace, identity.name


def _is_labelled(body: JsonObject, target: Target) -> bool:
    """Whether the object says that it is the job's."""
    labels = _words(body, "labels")
    return (labels.get("trainshed.dev/team"), labels.get("trainshed.dev/job")) == (
        target.team.name,
        target.job,
    )


def _is_tracked_here(body: JsonObject, target: Target) -> bool:
    """Whether Argo CD, if it made the object, made it for this cluster: runs may have one name on several."""
    tracked = _words(body, "annotations").get(TRACKING)
    if not isinstance(tracked, str):
        return True
    application = tracked.partition(":")[0].rpartition("_")[2]
    return application == f"{target.cluster.name}-{target.app}"


def _words(body: JsonObject, part: str) -> Mapping[str, object]:
    """Labels or annotations; none where they are no map."""
    written = body["metadata"].get(part)
    return written if isinstance(written, dict) else {}
