"""Why a run is of its kind, and what its restarts come to there."""

from trainshed.model.plan import Target

FAULTS = {
    "unlimited": "do not count",
    "counted": "count as failures",
    "none": "end the run",
}
ENDS = {
    "field": "the kind itself ends the run",
    "queue": "its queue ends the run, for the operator does not look at the clock by itself",
    "": "nothing ends the run",
}


def sealed_words(target: Target) -> tuple[str, ...]:
    """A line about a run that is sealed: what is resolved today it will only be at the next edit."""
    if target.life.current is None:
        return ()
    return (
        "  this run is sealed and stays as it was rendered: what follows counts at the job's next edit or attempt",
    )


def describe_choice(target: Target) -> str:
    """The kind and its reasons, then restarts and deadline in the kind's own terms."""
    carrier = target.backend.carrier
    heading = f"{target.team.name}/{target.job} on {target.cluster.name} ({target.backend.kind} {target.run})"
    lines = [heading, *sealed_words(target), *(f"  {reason}" for reason in target.why)]
    if carrier.restarts.field:
        lines.append(
            f"  restarts: {target.restarts.failures}: {carrier.restarts.field} counts {carrier.restarts.counts}; "
            f"drains, evictions and lost nodes {FAULTS[target.restarts.faults]}"
        )
    else:
        lines.append(f"  restarts: {carrier.restarts.counts}")
    if target.deadline_seconds:
        lines.append(f"  deadline: {target.deadline_seconds}s: {ENDS[carrier.deadline]}")
    return "\n".join(lines)
