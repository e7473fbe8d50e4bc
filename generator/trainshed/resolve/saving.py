"""Where a run saves its state, and where its results go: on a volume, on a claim of its own, or in a bucket."""

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Related
from trainshed.model.pods import Mount
from trainshed.model.spec.saving import Checkpoint as CheckpointSpec
from trainshed.model.spec.saving import Kept
from trainshed.model.storage import Checkpoint, LocalTier
from trainshed.resolve.draft import Draft
from trainshed.resolve.found import Found, Mounting
from trainshed.resolve.local_space import LEAST_SIZE, storage_class

CHECKPOINT_PATH = "/checkpoints"
OUTPUT_PATH = "/output"
_FORMS = ("volume", "create", "uri")


def resolve_checkpoint(draft: Draft, lineage: str, own: str) -> Checkpoint | None:
    """Where and how often the run saves; `own` is the folder of each pod, or firing, that saves for itself."""
    written = draft.body.checkpoint
    if written is None:
        return None
    every, keep = written.every, written.keep
    resume = written.resume or "auto"
    return Checkpoint(
        directory=_directory(draft, written, CHECKPOINT_PATH, lineage, own),
        every_seconds=(every and every.time) or 0,
        every_steps=(every and every.steps) or 0,
        keep_last=(keep and keep.last) or 0,
        keep_best=(keep and keep.best) or 0,
        save_seconds=written.save_time or 0,
        resume=resume if resume == "auto" or resume == "never" else "from",
        resume_from="" if resume in ("auto", "never") else resume,
        in_background=bool(written.in_background),
        local=_resolve_local(draft, written),
    )


def resolve_output(draft: Draft, lineage: str, own: str) -> str:
    """Where results go: a folder for each lineage, or nothing."""
    written = draft.body.output
    return _directory(draft, written, OUTPUT_PATH, lineage, own) if written else ""


def _directory(draft: Draft, kept: Kept, path: str, lineage: str, own: str) -> str:
    top = kept.uri or kept.mount_path or path
    return f"{top}/{draft.team.name}/{draft.name}/{draft.cluster.name}/{lineage[:8]}{own}"


def mount_kept(mounting: Mounting) -> list[Mount]:
    """The mounts for checkpoints and results; a bucket needs none."""
    body = mounting.draft.body
    places = (
        ("checkpoint", "checkpoints", body.checkpoint, CHECKPOINT_PATH),
        ("output", "output", body.output, OUTPUT_PATH),
    )
    mounts: list[Mount] = []
    for field, name, kept, path in places:
        form = _choose_form(mounting.draft, field, kept) if kept else ""
        found = _find(mounting, field, name, kept, form) if kept and form else None
        if kept and found:
            at = (field, form)
            where = kept.mount_path or path
            if field == "checkpoint":
                _check_retained(mounting, kept, at)
            mounts.append(Mount(name, found.kind, found.origin, where, kept.sub_path or "", False, at))
    return mounts


def _check_retained(mounting: Mounting, kept: Kept, at: tuple[str, str]) -> None:
    """Whether checkpoints outlive their claim, which a cleared namespace takes along."""
    draft = mounting.draft
    claim = draft.team.volumes.get(kept.volume) if kept.volume else mounting.claims[-1]
    if claim is not None and claim.storage.deletes and claim.bucket is None:
        keeping = [f'"{name}"' for name, storage in draft.cluster.storage.items() if not storage.deletes]
        draft.refuse(
            Code.STORAGE_RECLAIM,
            at,
            f'checkpoints would lie on storage "{claim.storage.name}", which deletes what it holds with the claim',
            f"use storage that retains it: {', '.join(keeping)}"
            if keeping
            else f"give {draft.cluster.name} a class whose reclaimPolicy is Retain, and write reclaim: retain",
            related=(Related(claim.storage.source, "the storage is described here"),),
        )


def _choose_form(draft: Draft, field: str, kept: Kept) -> str:
    """Which of the forms is written; nothing where none can be taken."""
    forms = [form for form in _FORMS if getattr(kept, form) is not None]
    if not forms:
        draft.refuse(Code.MISSING_FIELD, (field,), f"the {field} names no volume", "write volume: <a volume>")
        return ""
    if len(forms) > 1:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (field, forms[-1]),
            f"{field} says {' and '.join(forms)}",
            "keep one of them",
        )
        return ""
    idle = ("mountPath", "subPath") if forms == ["uri"] else ("credentials",)
    for word in idle:
        if draft.sources.has(field, word):
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                (field, word),
                f"{field} says {forms[0]}, which has no {word}",
                f"leave {word} out",
            )
    if kept.sub_path is not None and (kept.sub_path.startswith("/") or ".." in kept.sub_path.split("/")):
        draft.refuse(
            Code.BAD_PATH,
            (field, "subPath"),
            f'"{kept.sub_path}" leads out of the volume',
            'write a path inside the volume, without a leading "/" and without ".."',
        )
    return forms[0]


def _find(mounting: Mounting, field: str, name: str, kept: Kept, form: str) -> Found | None:
    if form == "volume":
        return mounting.volume(kept.volume or "", (field, form), writes=True)
    return mounting.create(name, kept.create, (field, form)) if kept.create else None


def _resolve_local(draft: Draft, written: CheckpointSpec) -> LocalTier | None:
    local = written.local
    if local is None:
        return None
    if local.size is None:
        draft.refuse(
            Code.MISSING_FIELD,
            ("checkpoint", "local"),
            "the local checkpoints have no size",
            "write local: 100Gi",
        )
    return LocalTier(
        size=local.size or LEAST_SIZE,
        medium=local.medium or "disk",
        storage_class=storage_class(draft, local, "local checkpoints"),
        every_seconds=(local.every and local.every.time) or 0,
        every_steps=(local.every and local.every.steps) or 0,
    )
