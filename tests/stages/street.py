"""The first stages of the street in this process: literal files in, a plan or plain objects out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from repositories import write_project

from trainshed.compile import compile_manifests
from trainshed.load import load_inputs
from trainshed.model.diagnostic import Findings
from trainshed.model.manifest import AppId, JsonObject, Manifests
from trainshed.model.plan import Plan, Target
from trainshed.resolve import resolve_plan

Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Resolved:
    """A plan and what was found on the way to it."""

    plan: Plan
    findings: Findings

    @property
    def said(self) -> list[str]:
        """Each finding as `path:line:column code: summary`."""
        return [f"{finding.source} {finding.code}: {finding.summary}" for finding in self.findings]

    def target(self, job: str = "resnet", cluster: str = "lab") -> Target:
        """The one target of the job on the cluster."""
        (found,) = (t for t in self.plan.targets if (t.job, t.cluster.name) == (job, cluster))
        return found


def resolve(files: Files) -> Resolved:
    """Load and resolve; findings are kept, whatever they say."""
    with TemporaryDirectory() as folder:
        loaded = load_inputs(write_project(Path(folder), files).path)
    assert loaded.value is not None
    assert not loaded.has_errors, loaded.findings
    resolved = resolve_plan(loaded.value, {})
    assert resolved.value is not None
    return Resolved(resolved.value, loaded.findings + resolved.findings)


def plan(files: Files) -> Plan:
    """The plan of specs in which nothing is wrong."""
    resolved = resolve(files)
    assert resolved.said == []
    return resolved.plan


def compile_files(files: Files) -> Manifests:
    """The manifests of specs in which nothing is wrong."""
    compiled = compile_manifests(plan(files))
    assert compiled.value is not None
    assert compiled.findings == ()
    return compiled.value


def bodies(manifests: Manifests, apps: Iterable[str] = ()) -> list[JsonObject]:
    """The objects of the named apps, or of all."""
    chosen = frozenset(apps)
    return [
        manifest.body
        for app in manifests.apps
        if not chosen or app.identity.app in chosen
        for manifest in app.manifests
    ]


def body(manifests: Manifests, kind: str, app: str, cluster: str = "lab") -> JsonObject:
    """The one object of a kind in an app."""
    (found,) = (
        manifest.body
        for one in manifests.apps
        if one.identity == AppId(cluster, app)
        for manifest in one.manifests
        if manifest.identity.kind == kind
    )
    return found
