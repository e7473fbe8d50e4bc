"""The sentences that all forms of a rehearsal's report share."""

from collections.abc import Iterator

from trainshed.model.verdict import Cost, EndState, Rehearsal, Verdict

END_STATES = {
    EndState.SAME: "the same as undisturbed",
    EndState.DIFFERENT: "not the one of an undisturbed run",
    EndState.NOTHING: "no file is left in any claim, so there is nothing to compare",
    EndState.NOT_COMPARED: "not compared with an undisturbed run",
}


def write_headline(rehearsal: Rehearsal) -> str:
    """The verdict in one line."""
    verdict = rehearsal.verdict
    if not verdict.succeeded:
        return f"{rehearsal.name} did not end well: {verdict.reason}"
    if not verdict.is_well:
        return f"{rehearsal.name} ended, but {' and '.join(_objections(verdict))}"
    if not verdict.costs:
        return f"{rehearsal.name} ended well"
    lost = f"{count(verdict.steps_lost, 'step')} lost" if verdict.steps_lost else "no step lost"
    same = ", and the end state is the same" if verdict.end_state is EndState.SAME else ""
    return f"{rehearsal.name} ended well: {count(len(verdict.costs), 'fault')}, {lost}{same}"


def _objections(verdict: Verdict) -> Iterator[str]:
    beyond = [cost for cost in verdict.costs if verdict.is_beyond(cost)]
    if beyond:
        yield f"{count(len(beyond), 'fault')} cost more than a checkpoint interval ({verdict.interval})"
    if verdict.end_state is EndState.DIFFERENT:
        verb = "differs" if len(verdict.differences) == 1 else "differ"
        yield f"{count(len(verdict.differences), 'file')} {verb} from an undisturbed run"


def say_cost(verdict: Verdict, cost: Cost) -> str:
    """What one fault cost."""
    if cost.seconds is None:
        return "training never stepped again" if verdict.steps else "no steps are told: nothing can be said"
    lost = (
        f"{count(cost.steps_lost, 'step')} lost ({cost.before} to {cost.resumed})"
        if cost.steps_lost
        else "no step lost"
    )
    limit = f", the interval is {verdict.interval}" if verdict.is_beyond(cost) else ""
    return f"{lost}{limit}; training again after {say_seconds(cost.seconds)}"


def say_end(verdict: Verdict) -> str:
    """How it ended, in the controller's words."""
    word = "succeeded" if verdict.succeeded else "failed"
    text = f", {verdict.text}" if verdict.text else ""
    return f"{word} after {say_seconds(verdict.seconds)}: {verdict.reason}{text}"


def say_training(verdict: Verdict) -> str:
    """How far it came."""
    if not verdict.steps:
        return "no steps told"
    saves = f"{count(verdict.saves, 'checkpoint')} saved" if verdict.saves else "no checkpoint saved"
    return f"{count(verdict.steps, 'step')}, {saves}"


def say_seconds(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 20 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min {whole % 60} s"


def count(number: int, noun: str) -> str:
    """`1 step`, `2 steps`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
