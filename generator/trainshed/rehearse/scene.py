"""From manifests to what is rehearsed: a workload, the pods that its operator makes of it, and what is beside them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from trainshed.engine.admission import Court, make_pods, read_releases
from trainshed.engine.client import Caller
from trainshed.engine.messages import JsonObject, MadeObject, Production
from trainshed.load.manifest_files import read_manifests
from trainshed.model.cluster import Cluster
from trainshed.model.diagnostic import Findings, has_errors, sort_findings
from trainshed.model.files import RenderedObject
from trainshed.model.outcome import Outcome
from trainshed.model.rehearsal import PodToRun
from trainshed.model.source import Source
from trainshed.pipeline import describe_cluster
from trainshed.rehearse.autoscaler import without_autoscaler
from trainshed.rehearse.scale import shrink
from trainshed.rehearse.stock import Stock, namespace_of, stock_of
from trainshed.rehearse.workload import choose_workload, left_out, place, said_of_queue, with_nodes
from trainshed.validate.judges import convene, explain_refusals
from trainshed.validate.members import members_by_cluster
from trainshed.validate.schemas import explain_version, has_kubernetes, newest_folders, schema_folders
from trainshed.validate.view import Member

LONE_ROLE = "pod"
"""What faults call the pods of a workload that has no roles: `pod-0`."""

QUEUE = "kueue"
"""The judge that is not asked: nobody waits in a queue here, and a shrunk workload may be too small for its rules."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What is on the stage before anything runs.

    `workload` is the object that is rehearsed, after it was shrunk and as the API server keeps it; `made` all that
    controllers make of it, owners first; `pods` those of them that are pods. The objects by kind are those of the
    manifests and those that were made, in the workload's namespace, each name once. `notes` are sentences about what
    differs from the cluster; `source` is where the workload is written.
    """

    workload: JsonObject
    made: tuple[MadeObject, ...]
    pods: tuple[PodToRun, ...]
    config_maps: tuple[JsonObject, ...] = ()
    secrets: tuple[JsonObject, ...] = ()
    claims: tuple[JsonObject, ...] = ()
    services: tuple[JsonObject, ...] = ()
    notes: tuple[str, ...] = ()
    source: Source = field(default_factory=lambda: Source(PurePosixPath()))

    @property
    def kind(self) -> str:
        """The kind of the workload, with its API group: `kubeflow.org/PyTorchJob`, `batch/Job`."""
        group = self.workload["apiVersion"].rpartition("/")[0]
        return f"{group}/{self.workload['kind']}" if group else self.workload["kind"]

    @property
    def namespace(self) -> str:
        """Where everything runs."""
        return namespace_of(self.workload)


@dataclass(frozen=True, slots=True)
class Site:
    """Where manifests are rehearsed: a cluster of the specs and what is rendered for it, or any cluster."""

    root: Path
    cluster: Cluster | None = None
    beside: tuple[RenderedObject, ...] = ()


def set_scene(
    root: Path,
    paths: Sequence[str],
    cluster: str | None,
    name: str | None,
    nodes: int | None,
    procs: int | None,
    read_input: Callable[[int], bytes],
    engine: Caller,
) -> Outcome[Scene]:
    """The scene of the one workload that the manifests hold, or of the one of that name (`KIND/NAME`).

    It has at most so many nodes, of at most so many processes each; None cuts nothing. What judges and operators refuse
    is a finding at the manifest's line, and there is no scene then. Raises SelectionError where it is not clear what to
    rehearse, or where the specs describe no such cluster.
    """
    given = read_manifests(root, paths, cluster or "", read_input)
    if given.value is None or has_errors(given.findings):
        return Outcome(None, given.findings)
    site = Outcome(Site(root))
    if cluster is not None:
        site = _find_site(root, cluster, given.value.objects)
    if site.value is None:
        return Outcome(None, sort_findings(given.findings + site.findings))
    scene = _set(site.value, given.value.objects, name, (nodes, procs), engine)
    return Outcome(scene.value, sort_findings(given.findings + scene.findings))


def _find_site(root: Path, cluster: str, given: Sequence[RenderedObject]) -> Outcome[Site]:
    known = describe_cluster(root, cluster)
    if known.value is None:
        return Outcome(None, known.findings)
    target, committed = known.value
    rehearsed = {one.manifest.identity for one in given}
    return Outcome(
        Site(root, target, tuple(one for one in committed if one.manifest.identity not in rehearsed))
    )


def _set(
    site: Site,
    objects: Sequence[RenderedObject],
    name: str | None,
    size: tuple[int | None, int | None],
    engine: Caller,
) -> Outcome[Scene]:
    given = [place(member) for _, members in members_by_cluster(objects) for member in members]
    beside = [member for _, members in members_by_cluster(site.beside) for member in members]
    workload = choose_workload(given, name)
    small, cuts = shrink(with_nodes(workload, [*given, *beside]), *size)
    court = _convene(site, [*given, *beside])
    if isinstance(court, tuple):
        return Outcome(None, court)
    production = make_pods(small, court, engine=engine)
    findings = tuple(explain_refusals(workload, production.admission, _name(site), read_releases(engine)))
    if findings or production.kept is None:
        return Outcome(None, sort_findings(findings))
    notes = (*cuts, *said_of_queue(workload), *left_out(workload, given))
    bodies = [member.body for member in (*given, *beside)]
    scene = _compose(production.kept, production, stock_of(bodies, production.made, small), notes)
    return Outcome(replace(scene, source=workload.at()))


def _convene(site: Site, members: Sequence[Member]) -> Court | Findings:
    """Those who make the pods; or why nobody can: there are no schemas of the cluster's Kubernetes."""
    folders = schema_folders(site.cluster, site.root) if site.cluster else newest_folders(site.root)
    if site.cluster and not has_kubernetes(folders):
        return (explain_version(site.cluster, site.root),)
    return convene(members, site.cluster, folders, without=(QUEUE,))


def _name(site: Site) -> str:
    return site.cluster.name if site.cluster else ""


def _compose(kept: JsonObject, production: Production, stock: Stock, notes: tuple[str, ...]) -> Scene:
    made = production.made
    lone = (MadeObject("", 0, -1, kept),) if kept["kind"] == "Pod" else ()
    pods, said = without_autoscaler(tuple(_pods_of((*lone, *made))))
    return Scene(
        workload=kept,
        made=made,
        pods=pods,
        config_maps=stock.config_maps,
        secrets=stock.secrets,
        claims=stock.claims,
        services=stock.services,
        notes=(*notes, *said),
    )


def _pods_of(made: Sequence[MadeObject]) -> Iterator[PodToRun]:
    """Every pod by the name that faults give it: its role, and its number among all of that role."""
    numbers: dict[str, int] = {}
    for one in made:
        if one.body["kind"] == "Pod":
            role = one.role.lower() or LONE_ROLE
            number = numbers.get(role, 0)
            numbers[role] = number + 1
            yield PodToRun(f"{role}-{number}", one.role, number, one.body, one.owner)
