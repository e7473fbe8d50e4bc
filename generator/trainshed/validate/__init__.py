"""Rendered objects in, findings out.

Judged by the schemas of each cluster's own releases, by the code that will judge them in the cluster, and by rules over
everything that the cluster will hold. May use the engine, and reads `schemas/`.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from trainshed.engine.admission import read_releases
from trainshed.engine.client import Caller
from trainshed.model.cluster import Cluster
from trainshed.model.diagnostic import Findings, sort_findings
from trainshed.model.files import Rendered, RenderedObject
from trainshed.model.plan import Plan
from trainshed.model.remember import Remember, make_anew
from trainshed.validate.hearing import Hearing
from trainshed.validate.members import members_by_cluster, objects_before
from trainshed.validate.waivers import unused_waivers

__all__ = ["judge_objects", "unused_waivers", "validate_rendered"]


def validate_rendered(
    rendered: Rendered,
    plan: Plan,
    base: Mapping[PurePosixPath, bytes],
    root: Path,
    engine: Caller,
    remember: Remember = make_anew,
) -> Findings:
    """Everything that is wrong with what was rendered, each at the line of the spec that caused it.

    `base` holds the generated files that the change is made upon: the judges are asked about the change too.
    """
    (releases,) = remember("releases", [()], lambda _: [read_releases(engine)])
    findings = [
        finding
        for name, members in members_by_cluster(rendered.objects)
        for finding in Hearing(
            cluster=plan.clusters[name],
            teams=tuple(team for team in plan.teams if team.cluster.name == name),
            targets={target.app: target for target in plan.targets if target.cluster.name == name},
            members=members,
            before=objects_before(name, rendered, base),
            rules=plan.rules,
        ).judge(root, releases, engine, remember)
    ]
    return sort_findings(findings)


def judge_objects(
    objects: Iterable[RenderedObject],
    cluster: Cluster | None,
    beside: Sequence[RenderedObject],
    root: Path,
    engine: Caller,
) -> Findings:
    """Everything that is wrong with manifests of any origin, each at its own line.

    `cluster` is where they are to be applied, None for any; `beside` is what is rendered for it already.
    """
    judged = [member for _, members in members_by_cluster(objects) for member in members]
    others = [member for _, members in members_by_cluster(beside) for member in members]
    hearing = Hearing(cluster=cluster, members=tuple(judged), beside=tuple(others))
    return sort_findings(hearing.judge(root, read_releases(engine), engine))
