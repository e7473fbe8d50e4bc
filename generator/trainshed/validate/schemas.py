"""Every object against the schema of its kind, in the very release that its cluster runs."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from trainshed.engine.client import Caller
from trainshed.engine.messages import Status, Verdict
from trainshed.engine.verdicts import validate
from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.files import Rendered, RenderedObject
from trainshed.model.plan import Plan

SHIPPED = (Path(__file__).parents[1] / "schemas", Path(__file__).parents[3] / "schemas")
"""Where schemas lie when the repository has none of its own: in the wheel, or beside the source."""


def check_schemas(rendered: Rendered, plan: Plan, root: Path, engine: Caller) -> Iterator[Diagnostic]:
    """A finding for each place where an object does not fit its schema, and for each object without one."""
    by_cluster = sorted(rendered.objects, key=lambda one: one.app)
    for name, group in groupby(by_cluster, key=lambda one: one.app.cluster):
        objects = list(group)
        folders = schema_folders(plan.clusters[name], root)
        if not any(folder.parent.name == "kubernetes" for folder in folders):
            yield _explain_version(plan.clusters[name], root)
            continue
        verdicts = validate((one.manifest.body for one in objects), folders, engine=engine)
        for one, verdict in zip(objects, verdicts, strict=True):
            yield from _explain(one, verdict, name)


def schema_folders(cluster: Cluster, root: Path) -> list[Path]:
    """The folders of the releases that the cluster runs, operators first; only those that exist."""
    homes = _homes(root)
    wanted = [f"{operator.name}/{operator.release}" for operator in cluster.operators.values()]
    folders = [home / release for release in wanted for home in homes]
    for home in homes:
        folders += sorted((home / "argo-cd").glob("v*"), reverse=True)
        folders += sorted((home / "kubernetes").glob(f"v{cluster.kubernetes}.*"), reverse=True)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def _homes(root: Path) -> list[Path]:
    return [home for home in (root / "schemas", *SHIPPED) if home.is_dir()]


def _explain_version(cluster: Cluster, root: Path) -> Diagnostic:
    """One finding for a Kubernetes version without schemas, not one for each object."""
    kept = sorted(folder.name for home in _homes(root) for folder in (home / "kubernetes").glob("v*"))
    minors = dict.fromkeys(".".join(name.removeprefix("v").split(".")[:2]) for name in kept)
    return error(
        Code.SCHEMA_UNCHECKED,
        cluster.sources.find("kubernetes"),
        f'nothing for cluster "{cluster.name}" can be checked: there are no schemas of Kubernetes {cluster.kubernetes}',
        f"there are of {', '.join(minors)}; `trainshed schemas add kubernetes v{cluster.kubernetes}.0` makes more",
    )


def _explain(one: RenderedObject, verdict: Verdict, cluster: str) -> Iterator[Diagnostic]:
    identity = one.manifest.identity
    if verdict.status is Status.UNCHECKED:
        reason = "; ".join(violation.message for violation in verdict.violations)
        yield error(
            Code.SCHEMA_UNCHECKED,
            one.manifest.origins.whole,
            f"{identity} could not be checked for {cluster}",
            f"{reason}; add the release's schemas with `trainshed schemas add`",
        )
    elif verdict.status is Status.INVALID:
        for violation in verdict.violations:
            yield error(
                Code.SCHEMA_INVALID,
                one.manifest.origins.find(violation.pointer),
                f"{identity} does not fit its schema on {cluster}: {violation.message}",
                f"at {violation.pointer or '/'} of {one.path}",
            )
