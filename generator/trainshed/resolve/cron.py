"""When schedules fire, and what is wrong with those that never do."""

import re
from datetime import UTC, datetime

from cronsim import CronSim, CronSimError

from trainshed.model.codes import Code

_PLAIN, _DAYS = r"[0-9*/,\-]+", r"(?:[0-6*/,\-]|SUN|MON|TUE|WED|THU|FRI|SAT)+"
_MONTHS = r"(?:[0-9*/,\-]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+"
_CRON = re.compile(rf"{_PLAIN} {_PLAIN} {_PLAIN} {_MONTHS} {_DAYS}", re.IGNORECASE | re.ASCII)
"""What robfig/cron takes, which Kubernetes parses schedules with: no 7 for Sunday, no L, no #."""

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


def find_cron_fault(cron: str) -> tuple[Code, str, str] | None:
    """Code, summary and advice, where a schedule does not parse or never fires."""
    fields = cron.split()
    if not _CRON.fullmatch(" ".join(fields)) or not all(map(_fires, _without_month_or_day(fields))):
        return (
            Code.BAD_CRON,
            f'"{cron}" is not a schedule',
            'write five fields: minute, hour, day of month, month, day of week (0-6), such as "0 2 * * 0"',
        )
    if not _fires(fields):
        return (
            Code.CRON_NEVER,
            f'"{cron}" never fires',
            "no year has such a day: check the day of month against the month",
        )
    return None


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
