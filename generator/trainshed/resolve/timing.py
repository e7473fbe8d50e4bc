"""Times: the grace period against the save, the save against a spot notice, and when a schedule fires."""

from importlib.resources import files

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.plan import Schedule
from trainshed.model.pods import PodGroup
from trainshed.model.spec.schedule import Schedule as WrittenSchedule
from trainshed.model.storage import Checkpoint
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.cron import find_cron_fault
from trainshed.resolve.draft import Draft
from trainshed.resolve.launch import DEEPSPEED
from trainshed.resolve.pools import DEFAULT_CAPACITY

DEFAULT_GRACE_SECONDS = 30
SAVE_MARGIN_SECONDS = 30
"""Between the end of a save and the kill: for the signal to reach every rank, and for torchrun to leave."""

TORCHRUN_KILLS_AFTER = 30
"""Seconds that torchrun gives its processes after SIGTERM unless told otherwise (as torch 2.12 and newer can be)."""

DEEPSPEED_KILLS_AFTER = 30
"""Seconds that deepspeed gives its processes (deepspeedai/DeepSpeed, `deepspeed/launcher/launch.py`)."""

TORCHRUN_LEAVES_WITHIN = 10
"""Seconds that torchrun itself needs to leave once its processes have."""


def resolve_grace(draft: Draft, checkpoint: Checkpoint | None) -> int:
    """Seconds between the signal to stop and the kill: enough for one save."""
    save = checkpoint.save_seconds if checkpoint else 0
    written = draft.body.grace_period
    if written is not None and save > written:
        draft.refuse(
            Code.GRACE_TOO_SHORT,
            ("gracePeriod",),
            f"one save takes {save}s, but the run is killed after {written}s",
            f"write gracePeriod: {save + SAVE_MARGIN_SECONDS}s, or leave it out",
        )
    for name in draft.body.capacity or DEFAULT_CAPACITY:
        capacity = draft.cluster.provider.capacities.get(name)
        notice = capacity.notice_seconds if capacity else None
        if notice is not None and save > notice:
            draft.refuse(
                Code.NOTICE_TOO_SHORT,
                ("checkpoint", "saveTime"),
                f"{draft.cluster.provider.title} gives {notice}s before it takes a {name} node back, "
                f"one save takes {save}s",
                "save more often, so that losing the last save costs little, or run on-demand",
                severity=Severity.WARNING,
            )
    if written is not None:
        return written
    return max(DEFAULT_GRACE_SECONDS, save + SAVE_MARGIN_SECONDS if save else 0)


def resolve_shutdown(
    draft: Draft, groups: tuple[PodGroup, ...], checkpoint: Checkpoint | None, grace: int
) -> int:
    """Seconds that torchrun gives its processes between the signal to stop and the kill; 0 for its own default."""
    launched = any(group.command[:1] == ("torchrun",) for group in groups)
    written = draft.body.shutdown_timeout
    save = checkpoint.save_seconds if checkpoint else 0
    if save > DEEPSPEED_KILLS_AFTER and any(DEEPSPEED in group.command for group in groups):
        draft.refuse(
            Code.GRACE_TOO_SHORT,
            ("checkpoint", "saveTime"),
            f"one save takes {save}s, but deepspeed kills its processes {DEEPSPEED_KILLS_AFTER}s after the signal "
            "to stop, whatever gracePeriod says",
            "write launcher: torchrun, which waits as long as the run may; or save more often",
            severity=Severity.WARNING,
        )
    if written is None:
        return grace - TORCHRUN_LEAVES_WITHIN if launched and grace > TORCHRUN_KILLS_AFTER else 0
    if not launched:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("shutdownTimeout",),
            "shutdownTimeout is torchrun's, and nothing here is started by torchrun",
            "leave it out: gracePeriod is what the run gets",
        )
    elif written < save:
        draft.refuse(
            Code.GRACE_TOO_SHORT,
            ("shutdownTimeout",),
            f"one save takes {save}s, but torchrun kills its processes after {written}s",
            f"write shutdownTimeout: {save}s or more",
        )
    elif written >= grace:
        draft.refuse(
            Code.GRACE_TOO_SHORT,
            ("shutdownTimeout",),
            f"torchrun would wait {written}s for its processes, but the run is killed after {grace}s",
            f"write gracePeriod: {written + SAVE_MARGIN_SECONDS}s, or a shorter shutdownTimeout",
        )
    return written


def resolve_schedule(draft: Draft) -> Schedule | None:
    """When the job runs by itself, if it does."""
    written = draft.file.spec.schedule
    if written is None:
        return None
    if written.cron is None:
        draft.refuse(Code.MISSING_FIELD, ("schedule",), "the schedule has no cron", 'write cron: "0 2 * * 0"')
    else:
        _check_cron(draft, written.cron)
    zone = written.time_zone or "Etc/UTC"
    zones = frozenset(files("tzdata").joinpath("zones").read_text().split())
    if zone not in zones:
        draft.refuse(
            Code.UNKNOWN_TIME_ZONE,
            ("schedule", "timeZone"),
            f'"{zone}" is not an IANA time zone',
            did_you_mean(zone, zones),
        )
    keep = written.keep
    return Schedule(
        cron=written.cron or "",
        time_zone=zone,
        overlap=written.overlap or "forbid",
        keep_succeeded=3 if keep is None or keep.succeeded is None else keep.succeeded,
        keep_failed=3 if keep is None or keep.failed is None else keep.failed,
        start_within_seconds=written.start_within or 0,
        paused=bool(written.paused),
        resume_previous=_resumes_previous(draft, written),
    )


def _resumes_previous(draft: Draft, written: WrittenSchedule) -> bool:
    """Whether firings share their checkpoints; then one of them at a time writes to them."""
    if not written.resume_previous:
        return False
    field = ("schedule", "resumePrevious")
    checkpoint = draft.body.checkpoint
    if checkpoint is None:
        draft.refuse(
            Code.MISSING_FIELD,
            field,
            "firings go on where the last one stopped, and the job saves no checkpoint",
            "write checkpoint: {volume: …, every: 15m}, or leave resumePrevious out",
        )
    elif checkpoint.resume == "never":
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            field,
            "firings go on where the last one stopped, and the checkpoint says resume: never",
            "keep one of them",
        )
    if written.overlap == "allow":
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("schedule", "overlap"),
            "firings that run at once would write to the same checkpoints",
            "leave overlap out, or resumePrevious",
        )
    return True


def _check_cron(draft: Draft, cron: str) -> None:
    fault = find_cron_fault(cron)
    if fault is not None:
        code, summary, advice = fault
        draft.refuse(code, ("schedule", "cron"), summary, advice)
