"""Times: the grace period against the save, the save against a spot notice, and when a schedule fires."""

import re
from datetime import UTC, datetime
from importlib.resources import files

from cronsim import CronSim, CronSimError

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.plan import Checkpoint, Schedule
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft

DEFAULT_GRACE_SECONDS = 30
SAVE_MARGIN_SECONDS = 30
"""Between the end of a save and the kill: for the signal to reach every rank, and for torchrun to leave."""

_PLAIN, _DAYS = r"[0-9*/,\-]+", r"(?:[0-6*/,\-]|SUN|MON|TUE|WED|THU|FRI|SAT)+"
_MONTHS = r"(?:[0-9*/,\-]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+"
_CRON = re.compile(rf"{_PLAIN} {_PLAIN} {_PLAIN} {_MONTHS} {_DAYS}", re.IGNORECASE | re.ASCII)
"""What robfig/cron takes, which Kubernetes parses schedules with: no 7 for Sunday, no L, no #."""

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


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
    capacity = draft.cluster.provider.capacities.get(draft.body.capacity or "on-demand")
    notice = capacity.notice_seconds if capacity else None
    if notice is not None and save > notice:
        draft.refuse(
            Code.NOTICE_TOO_SHORT,
            ("checkpoint", "saveTime"),
            f"{draft.cluster.provider.title} gives {notice}s before it takes a spot node back, one save takes {save}s",
            "save more often, so that losing the last save costs little, or run on-demand",
            severity=Severity.WARNING,
        )
    if written is not None:
        return written
    return max(DEFAULT_GRACE_SECONDS, save + SAVE_MARGIN_SECONDS if save else 0)


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
    )


def _check_cron(draft: Draft, cron: str) -> None:
    fields = cron.split()
    if not _CRON.fullmatch(" ".join(fields)) or not all(map(_fires, _without_month_or_day(fields))):
        draft.refuse(
            Code.BAD_CRON,
            ("schedule", "cron"),
            f'"{cron}" is not a schedule',
            'write five fields: minute, hour, day of month, month, day of week (0-6), such as "0 2 * * 0"',
        )
    elif not _fires(fields):
        draft.refuse(
            Code.CRON_NEVER,
            ("schedule", "cron"),
            f'"{cron}" never fires',
            "no year has such a day: check the day of month against the month",
        )


def _without_month_or_day(fields: list[str]) -> tuple[list[str], list[str]]:
    """The schedule in any month, and on any day of the month: CronSim refuses a day that its month never has."""
    minute, hour, day, month, weekday = fields
    return [minute, hour, day, "*", weekday], [minute, hour, "*", month, weekday]


def _fires(fields: list[str]) -> bool:
    """Whether the schedule parses and ever fires."""
    try:
        return next(CronSim(" ".join(fields), _EPOCH), None) is not None
    except CronSimError:
        return False
