"""The GPU hours that a run may take: all its GPUs, until its deadline."""

from fractions import Fraction

from trainshed.model.plan import Target


def gpu_hours(target: Target) -> Fraction | None:
    """None where nothing ends the run."""
    if target.max_gpus and not target.deadline_seconds:
        return None
    return Fraction(target.max_gpus * target.deadline_seconds, 3600)


def describe_hours(hours: Fraction | None) -> str:
    """As people say it."""
    return "GPU hours without end" if hours is None else f"{float(hours):g} GPU hours"
