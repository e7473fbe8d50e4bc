"""From what happened to the verdict."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from trainshed.model.rehearsal import Event, Happening, PodToRun
from trainshed.model.verdict import Interval, Verdict
from trainshed.rehearse.costs import count_costs
from trainshed.rehearse.end_state import compare
from trainshed.rehearse.play import Ending

DIRECTORY = "TRAINSHED_CHECKPOINT_DIR"
EVERY_STEPS = "TRAINSHED_CHECKPOINT_EVERY_STEPS"
EVERY_SECONDS = "TRAINSHED_CHECKPOINT_EVERY_SECONDS"


def judge_play(events: Sequence[Event], ending: Ending, interval: Interval) -> Verdict:
    """The verdict on one play, compared with nothing yet."""
    finish = ending.finish
    saves = [event for event in events if event.happening is Happening.SAVED]
    steps = [event.step for event in events if event.happening is Happening.STEP]
    return Verdict(
        succeeded=finish is not None and finish.succeeded,
        reason=finish.reason if finish else "TimedOut",
        text=finish.text if finish else f"not over after {ending.seconds:.0f} s",
        seconds=ending.seconds,
        steps=max(steps, default=0),
        saves=len({event.step for event in saves}),
        costs=count_costs(events),
        pending=tuple(map(str, ending.pending)),
        interval=interval,
        save_seconds=max((event.seconds for event in saves), default=0.0),
    )


def compare_plays(
    verdict: Verdict, undisturbed: Verdict, before: Mapping[str, str], after: Mapping[str, str]
) -> Verdict:
    """The verdict with what the rehearsal without faults took and left."""
    state, differences = compare(before, after)
    return replace(verdict, end_state=state, differences=differences, undisturbed_seconds=undisturbed.seconds)


def interval_of(pods: Sequence[PodToRun], image: Mapping[str, str]) -> Interval:
    """What containers are told about how often to save, by their `image` where the manifest does not say.

    The first that is told anything counts, and where to save.
    """
    for pod in pods:
        for container in pod.body["spec"]["containers"]:
            told = {**image, **{each["name"]: each.get("value", "") for each in container.get("env", ())}}
            if DIRECTORY not in told:
                continue
            steps, seconds = told.get(EVERY_STEPS, ""), told.get(EVERY_SECONDS, "")
            if steps.isdigit() or seconds.isdigit():
                return Interval(
                    int(steps) if steps.isdigit() else 0, float(seconds) if seconds.isdigit() else 0.0
                )
    return Interval()
