"""A team's volumes on a cluster: what is said everywhere and what differs there, on the cluster's storage."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.inputs import SpecFile
from trainshed.model.provenance import FieldPath
from trainshed.model.source import Source
from trainshed.model.spec import TeamSpec
from trainshed.model.spec.storage import LocalVolume, Volume
from trainshed.model.storage import Snapshots
from trainshed.model.team import VolumeClaim
from trainshed.model.tree import Tree
from trainshed.resolve.buckets import resolve_bucket
from trainshed.resolve.claims import Locate, resolve_claim
from trainshed.resolve.cron import find_cron_fault

SNAPSHOTS_KEPT = 7
SCHEDULER = "snapscheduler"
_SCHEDULE = re.compile(r"(?:(?:(?:\d+,)*\d+|\d+[/-]\d+|\*(?:/\d+)?) ?){5}")
"""The five fields that a SnapshotSchedule takes (snapscheduler.backube/v1, spec.schedule): no names of days."""


def resolve_volumes(
    file: SpecFile[TeamSpec], cluster: Cluster, findings: list[Diagnostic]
) -> dict[str, VolumeClaim]:
    """The team's claims on the cluster, by name."""
    spec = file.spec
    here = (spec.clusters or {}).get(cluster.name)
    local = (here.volumes if here else None) or {}
    everywhere = {
        name: volume
        for name, volume in (spec.volumes or {}).items()
        if volume is not None and (volume.clusters is None or cluster.name in volume.clusters)
    }
    claims: dict[str, VolumeClaim] = {}
    for name in [*everywhere, *(name for name in local if name not in everywhere)]:
        if name in local and local[name] is None:
            continue
        volume = _merge(everywhere.get(name), local.get(name))
        claim, found = _resolve(name, volume, cluster, partial(_locate, file.tree, cluster.name, name))
        findings.extend(found)
        if claim is not None:
            claims[name] = claim
    return claims


def _resolve(
    name: str, volume: LocalVolume, cluster: Cluster, locate: Locate
) -> tuple[VolumeClaim | None, list[Diagnostic]]:
    if volume.bucket is not None:
        claim, findings = resolve_bucket(name, volume, cluster, locate)
    else:
        snapshots = volume.snapshots and Snapshots(
            volume.snapshots.cron or "", volume.snapshots.keep or SNAPSHOTS_KEPT
        )
        claim, findings = resolve_claim(
            name, volume, cluster, locate, snapshots=snapshots, filled_by=volume.filled_by or ""
        )
        if volume.cache is not None:
            findings.append(_refuse_cache(locate))
    if claim is not None and volume.snapshots is not None:
        findings.extend(_check_snapshots(claim, volume.snapshots.cron, cluster, locate))
    return claim, findings


def _refuse_cache(locate: Locate) -> Diagnostic:
    return error(
        Code.CONFLICTING_CHOICE,
        locate("cache"),
        "only a bucket has a cache on each node",
        'leave cache out, or write bucket: "s3://…"',
    )


def _check_snapshots(
    claim: VolumeClaim, cron: str | None, cluster: Cluster, locate: Locate
) -> Iterator[Diagnostic]:
    driver, place = claim.storage.driver, locate("snapshots")
    described = [Related(claim.storage.source, "the storage is described here")]
    if not driver.snapshots or claim.bucket is not None:
        yield error(
            Code.STORAGE_SNAPSHOTS,
            place,
            f'{driver.title} ("{claim.storage.name}") takes no snapshots',
            f"leave snapshots out and back it up in the cloud, or take another storage{_able(cluster)}",
            described,
        )
    elif driver.snapshot_parameters is None and not claim.storage.snapshot_class:
        yield error(
            Code.MISSING_FIELD,
            claim.storage.source,
            f'storage "{claim.storage.name}" does not say its snapshotClass',
            f"a VolumeSnapshotClass of {driver.title} names things of the site: "
            "write snapshotClass: <one that exists>, with deletionPolicy Retain",
            [Related(place, "which these snapshots need")],
        )
    if SCHEDULER not in cluster.operators:
        yield error(
            Code.MISSING_OPERATOR,
            place,
            f'cluster "{cluster.name}" has no {SCHEDULER}, which takes the snapshots',
            f"write operators: {{{SCHEDULER}: …}} in {cluster.source.path}, or leave snapshots out",
        )
    fault = None if cron is None else find_cron_fault(cron)
    if cron is None:
        yield error(
            Code.MISSING_FIELD,
            place,
            f'volume "{claim.name}" does not say when its snapshots are taken',
            'write snapshots: {cron: "0 3 * * *", keep: 7}',
        )
    elif fault is not None:
        yield error(fault[0], place, fault[1], fault[2])
    elif not _SCHEDULE.fullmatch(" ".join(cron.split())):
        yield error(
            Code.BAD_CRON,
            place,
            f'"{cron}" is not a schedule that {SCHEDULER} takes',
            'write numbers, lists, ranges or */steps: "0 3 * * 1-5"',
        )


def _able(cluster: Cluster) -> str:
    able = [name for name, storage in cluster.storage.items() if storage.driver.snapshots]
    return f" ({', '.join(able)})" if able else ""


def _locate(tree: Tree, cluster: str, name: str, *fields: str) -> Source:
    """The first of the fields that is written, on the cluster or everywhere; else the volume's own name."""
    places: tuple[FieldPath, ...] = (("clusters", cluster, "volumes", name), ("volumes", name))
    written = ((*place, field) for field in fields for place in places if (*place, field) in tree.marks)
    field = next(written, None)
    if field is not None:
        return tree.value_source(field)
    return tree.key_source(next(place for place in places if place in tree.marks))


def _merge(everywhere: Volume | None, here: LocalVolume | None) -> LocalVolume:
    merged: dict[str, Any] = {}
    for volume in (everywhere, here):
        written = volume.model_dump(exclude_unset=True, by_alias=True) if volume else {}
        for key, value in written.items():
            below = merged.get(key)
            merged[key] = {**below, **value} if isinstance(below, dict) and isinstance(value, dict) else value
    said = {key: value for key, value in merged.items() if key != "clusters" and value is not None}
    return LocalVolume.model_validate(said)
