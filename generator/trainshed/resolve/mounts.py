"""What is mounted into the pods: the team's volumes, claims, the job's own claims, and the checkpoints."""

from functools import partial
from typing import Literal

from trainshed.model.catalog import AccessMode
from trainshed.model.codes import Code
from trainshed.model.contract import CODE_DIRECTORY, CONTRACT_DIRECTORY
from trainshed.model.diagnostic import Related, Severity
from trainshed.model.naming import claim_name
from trainshed.model.plan import Backend, Checkpoint, Mount, Scratch
from trainshed.model.source import Source
from trainshed.model.spec.storage import DataMount
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import VolumeClaim
from trainshed.resolve.claims import resolve_claim
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import check_config_map, check_secret

CHECKPOINT_PATH = "/checkpoints"
SCRATCH_PATH = "/scratch"

TAKEN = {
    "/dev/shm": "shared memory (see shm)",
    CODE_DIRECTORY: "the code that travels with the run",
    CONTRACT_DIRECTORY: "the run's parameters",
}

VOLUME_NAMES = frozenset({"code", "git", "parameters", "shm", "scratch", "tmp", "checkpoints"})
"""Names of volumes that pods have for other purposes."""

_FORMS = {
    "volume": "volume",
    "claim": "claim",
    "create": "create",
    "config_map": "configMap",
    "secret": "secret",
    "host_path": "hostPath",
}
"""What data may be, and the word for it."""

_RWX = AccessMode.READ_WRITE_MANY
_Found = tuple[Literal["claim", "configMap", "secret", "hostPath"], str]


def resolve_mounts(
    draft: Draft, max_pods: int, approved: bool
) -> tuple[tuple[Mount, ...], tuple[VolumeClaim, ...]]:
    """Everything mounted, and the claims that the job itself makes."""
    claims: list[VolumeClaim] = []
    mounts: list[Mount] = []
    for name, data in sorted((draft.body.data or {}).items()):
        if data is not None:
            mounts += _resolve_data(draft, name, data, max_pods, approved, claims)
    checkpoint = draft.body.checkpoint
    if checkpoint is not None:
        if checkpoint.volume is None:
            draft.refuse(
                Code.MISSING_FIELD,
                ("checkpoint",),
                "the checkpoint names no volume",
                "write volume: <a volume>",
            )
        else:
            field = ("checkpoint", "volume")
            found = _find_volume(draft, checkpoint.volume, field, max_pods)
            path = checkpoint.mount_path or CHECKPOINT_PATH
            mounts += [Mount("checkpoints", kind, origin, path, "", False, field) for kind, origin in found]
    _check_places(draft, mounts)
    return tuple(mounts), tuple(claims)


def _resolve_data(
    draft: Draft, name: str, data: DataMount, max_pods: int, approved: bool, claims: list[VolumeClaim]
) -> list[Mount]:
    field = ("data", name)
    if name in VOLUME_NAMES:
        draft.refuse(
            Code.NAME_TAKEN, field, f'"{name}" is the name of a volume of our own', "call the data otherwise"
        )
    forms = [form for form in _FORMS if getattr(data, form) is not None]
    if not forms:
        draft.refuse(
            Code.MISSING_CHOICE,
            field,
            f'data "{name}" does not say what is mounted',
            "write one of volume, claim, create, configMap and secret, such as {volume: data, mountPath: /data}",
        )
        return []
    if len(forms) > 1:
        words = [_FORMS[form] for form in forms]
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*field, words[-1]),
            f'data "{name}" says {" and ".join(words)}',
            "keep one of them",
        )
        return []
    if data.mount_path is None:
        draft.refuse(
            Code.MISSING_FIELD,
            field,
            f'data "{name}" does not say where it is mounted',
            "write mountPath: /data",
        )
        return []
    if data.sub_path is not None and (data.sub_path.startswith("/") or ".." in data.sub_path.split("/")):
        draft.refuse(
            Code.BAD_PATH,
            (*field, "subPath"),
            f'"{data.sub_path}" leads out of the volume',
            'write a path inside the volume, without a leading "/" and without ".."',
        )
    if data.volume is not None and data.read_only and approved:
        draft.refuse(
            Code.VOLUME_APART,
            (*field, "volume"),
            f'in {draft.team.privileged_namespace} "{data.volume}" is a claim of its own, and nothing fills it here',
            "fill it by a job at level privileged that writes to it, before this one reads from it",
            severity=Severity.WARNING,
        )
    found = {
        "volume": lambda: _find_volume(draft, data.volume or "", (*field, "volume"), max_pods),
        "claim": lambda: _find_claim(draft, data.claim or "", (*field, "claim")),
        "create": lambda: _create_claim(draft, name, data, (*field, "create"), max_pods, claims),
        "config_map": lambda: _find_config_map(draft, data.config_map or "", (*field, "configMap")),
        "secret": lambda: _find_secret(draft, data.secret or "", (*field, "secret")),
        "host_path": lambda: _find_host_path(draft, data.host_path or "", (*field, "hostPath"), approved),
    }[forms[0]]()
    return [
        Mount(name, kind, origin, data.mount_path, data.sub_path or "", bool(data.read_only), field)
        for kind, origin in found
    ]


def _find_volume(draft: Draft, name: str, field: tuple[str, ...], max_pods: int) -> list[_Found]:
    volume = draft.team.volumes.get(name)
    if volume is None:
        draft.refuse(
            Code.UNKNOWN_VOLUME,
            field,
            f'team "{draft.team.name}" has no volume "{name}" on {draft.cluster.name}',
            did_you_mean(name, draft.team.volumes) or f"add it to the volumes in {draft.team.source.path}",
        )
        return []
    _check_access(draft, volume, field, max_pods)
    return [("claim", volume.name)]


def _check_access(draft: Draft, claim: VolumeClaim, field: tuple[str, ...], max_pods: int) -> None:
    if claim.access == "rwx" or max_pods == 1 or draft.cluster.num_nodes <= 1:
        return
    shared = [f'"{name}"' for name, volume in draft.team.volumes.items() if volume.access == "rwx"]
    able = [
        f'"{name}"' for name, storage in draft.cluster.storage.items() if _RWX in storage.driver.access_modes
    ]
    ways = [
        *([f"use a volume that many nodes can mount ({', '.join(shared)})"] if shared else []),
        *([f"make it anew on storage that they can (access: rwx on {', '.join(able)})"] if able else []),
        "run on one node",
    ]
    draft.refuse(
        Code.VOLUME_ACCESS,
        field,
        f'volume "{claim.name}" can be mounted by one node, this job has up to {max_pods}',
        ", or ".join(ways),
        related=(Related(claim.source, f"{claim.name} is described here"),),
    )


def _find_claim(draft: Draft, name: str, field: tuple[str, ...]) -> list[_Found]:
    if name not in draft.team.claims:
        draft.refuse(
            Code.UNKNOWN_CLAIM,
            field,
            f'team "{draft.team.name}" declares no claim "{name}"',
            did_you_mean(name, draft.team.claims)
            or f"add it to the claims in {draft.team.source.path}, if it exists in namespace {draft.team.namespace}",
        )
        return []
    return [("claim", name)]


def _find_config_map(draft: Draft, name: str, field: tuple[str, ...]) -> list[_Found]:
    check_config_map(draft, name, field)
    return [("configMap", name)]


def _find_secret(draft: Draft, name: str, field: tuple[str, ...]) -> list[_Found]:
    check_secret(draft, name, field)
    return [("secret", name)]


def _create_claim(
    draft: Draft, name: str, data: DataMount, field: tuple[str, ...], max_pods: int, claims: list[VolumeClaim]
) -> list[_Found]:
    if data.create is None:
        return []
    resolved, findings = resolve_claim(
        claim_name(draft.name, name), data.create, draft.cluster, partial(_locate, draft, field)
    )
    draft.findings.extend(findings)
    if resolved is None:
        return []
    claims.append(resolved)
    _check_access(draft, resolved, field, max_pods)
    return [("claim", resolved.name)]


def _locate(draft: Draft, claim: tuple[str, ...], *fields: str) -> Source:
    """The first of the claim's fields that is written, else the claim itself."""
    written = (draft.source(*claim, field) for field in fields if draft.sources.has(*claim, field))
    return next(written, draft.source(*claim))


def _find_host_path(draft: Draft, path: str, field: tuple[str, ...], approved: bool) -> list[_Found]:
    if not approved:
        draft.refuse(
            Code.HOST_PATH_UNAPPROVED,
            field,
            f"{path} of the node is mounted by a job that is not privileged",
            "use a volume; or write security: {level: privileged, why: …}, which cluster and team must approve",
        )
    return [("hostPath", path)]


def _check_places(draft: Draft, mounts: list[Mount]) -> None:
    places = dict(TAKEN)
    if draft.body.security is not None and draft.body.security.read_only_root:
        places["/tmp"] = "space for temporary files (see readOnlyRoot)"
    if draft.body.scratch is not None:
        path = draft.body.scratch.mount_path or SCRATCH_PATH
        _take_place(draft, places, path, "the scratch space", ("scratch", "mountPath"))
    for mount in mounts:
        field = (*mount.field, "mountPath") if mount.field[0] == "data" else mount.field
        _take_place(draft, places, mount.mount_path, f'"{mount.name}"', field)


def _take_place(
    draft: Draft, places: dict[str, str], path: str, what: str, field: tuple[str | int, ...]
) -> None:
    if path in places:
        draft.refuse(
            Code.MOUNT_TAKEN, field, f"{path} is where {places[path]} is mounted", "mount it somewhere else"
        )
    places[path] = what


def resolve_scratch(draft: Draft) -> Scratch | None:
    """Local space, if the job asks for it."""
    scratch = draft.body.scratch
    if scratch is None:
        return None
    if scratch.size is None:
        draft.refuse(
            Code.MISSING_FIELD, ("scratch",), "the scratch space has no size", "write scratch: 100Gi"
        )
    return Scratch(scratch.size or "1Gi", scratch.mount_path or SCRATCH_PATH, scratch.medium or "disk")


def resolve_checkpoint(draft: Draft, backend: Backend, lineage: str) -> Checkpoint | None:
    """Where and how often the run saves; each firing of a schedule saves for itself."""
    written = draft.body.checkpoint
    if written is None:
        return None
    every, keep = written.every, written.keep
    folder = f"{draft.team.name}/{draft.name}/{draft.cluster.name}/{lineage[:8]}"
    firing = "/$(TRAINSHED_FIRING)" if backend is Backend.CRONJOB else ""
    return Checkpoint(
        directory=f"{written.mount_path or CHECKPOINT_PATH}/{folder}{firing}",
        every_seconds=(every and every.time) or 0,
        every_steps=(every and every.steps) or 0,
        keep_last=(keep and keep.last) or 0,
        keep_best=(keep and keep.best) or 0,
        save_seconds=written.save_time or 0,
        resume=written.resume or "auto",
    )
