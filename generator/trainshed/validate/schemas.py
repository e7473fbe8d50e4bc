"""Every object against the schema of its kind, in the very release that its cluster runs."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from trainshed.engine.client import Caller
from trainshed.engine.messages import Status, Verdict
from trainshed.engine.verdicts import validate
from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.shipped import SHIPPED
from trainshed.validate.view import Member

EVERYWHERE = ("argo-cd", "snapshotter")
"""Whose kinds a cluster has without naming their release: what syncs it, and what snapshots its volumes."""


def ask_schemas(members: Sequence[Member], folders: Sequence[Path], engine: Caller) -> list[Verdict]:
    """What kubeconform says about each object."""
    return validate((member.body for member in members), folders, engine=engine)


def has_kubernetes(folders: Sequence[Path]) -> bool:
    """Whether anything can be checked at all: schemas of the cluster's Kubernetes are there."""
    return any(folder.parent.name == "kubernetes" for folder in folders)


def schema_folders(cluster: Cluster, root: Path) -> list[Path]:
    """The folders of the releases that the cluster runs, operators first; only those that exist."""
    homes = _homes(root)
    wanted = [f"{operator.name}/{operator.release}" for operator in cluster.operators.values()]
    folders = [home / release for release in wanted for home in homes]
    for home in homes:
        for name in EVERYWHERE:
            folders += sorted((home / name).glob("v*"), reverse=True)
        folders += sorted((home / "kubernetes").glob(f"v{cluster.kubernetes}.*"), reverse=True)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def newest_folders(root: Path) -> list[Path]:
    """The folders of the newest release of everything: what manifests of any origin are judged by."""
    releases: dict[str, list[Path]] = {}
    for home in reversed(_homes(root)):
        for folder in home.glob("*/v*"):
            releases.setdefault(folder.parent.name, []).append(folder)
    newest = [max(folders, key=_release_number) for name, folders in releases.items() if name != "trainshed"]
    return sorted(newest, key=lambda folder: folder.parent.name == "kubernetes")


def _release_number(folder: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", folder.name))


def _homes(root: Path) -> list[Path]:
    return [home for home in (root / "schemas", *SHIPPED) if home.is_dir()]


def explain_version(cluster: Cluster, root: Path) -> Diagnostic:
    """One finding for a Kubernetes version without schemas, not one for each object."""
    kept = sorted(folder.name for home in _homes(root) for folder in (home / "kubernetes").glob("v*"))
    minors = dict.fromkeys(".".join(name.removeprefix("v").split(".")[:2]) for name in kept)
    return error(
        Code.SCHEMA_UNCHECKED,
        cluster.sources.find("kubernetes"),
        f'nothing for cluster "{cluster.name}" can be checked: there are no schemas of Kubernetes {cluster.kubernetes}',
        f"there are of {', '.join(minors)}; `trainshed schemas add kubernetes v{cluster.kubernetes}.0` makes more",
    )


def explain_verdict(member: Member, verdict: Verdict, cluster: str) -> Iterator[Diagnostic]:
    """A finding for each place where an object does not fit its schema, and for an object without one."""
    place = f" on {cluster}" if cluster else ""
    if verdict.status is Status.UNCHECKED:
        reason = "; ".join(violation.message for violation in verdict.violations)
        yield error(
            Code.SCHEMA_UNCHECKED,
            member.at(),
            f"{member.identity} could not be checked{place}",
            f"{reason}; add the release's schemas with `trainshed schemas add`",
        )
    elif verdict.status is Status.INVALID:
        for violation in verdict.violations:
            yield error(
                Code.SCHEMA_INVALID,
                member.at(violation.pointer),
                f"{member.identity} does not fit its schema{place}: {violation.message}",
                f"at {violation.pointer or '/'} of {member.path}",
            )
