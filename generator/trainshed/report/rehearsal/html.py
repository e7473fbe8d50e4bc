"""A rehearsal as one page that needs nothing else: the verdict, the picture, what each fault cost, what differs."""

from collections.abc import Iterator
from pathlib import Path

from trainshed.model.verdict import Cost, EndState, Rehearsal, Verdict
from trainshed.report.page import page, pill, section, show, tile
from trainshed.report.rehearsal.phrases import END_STATES, say_cost, say_end, say_seconds, write_headline
from trainshed.report.rehearsal.timeline import draw_legend, draw_timeline

_STYLE = Path(__file__).with_name("html.css")
_TONES = {
    EndState.SAME: "green",
    EndState.DIFFERENT: "red",
    EndState.NOTHING: "quiet",
    EndState.NOT_COMPARED: "quiet",
}


def format_html(rehearsal: Rehearsal) -> str:
    """The page, whole."""
    verdict = rehearsal.verdict
    where = f" on {rehearsal.cluster}" if rehearsal.cluster else ""
    picture = f'<div class="card picture">{draw_timeline(rehearsal)}\n{draw_legend()}</div>'
    return page(
        title=f"trainshed: {write_headline(rehearsal)}",
        kicker=f"trainshed rehearse · {rehearsal.kind} {rehearsal.namespace}/{rehearsal.name}{where}",
        headline=write_headline(rehearsal),
        tiles="".join(_tiles(verdict)),
        body="\n".join(
            filter(
                None,
                (
                    f'<p class="lead">{show(say_end(verdict))}</p>',
                    _last_words(rehearsal),
                    section("Who ran when", picture),
                    section("What the faults cost", _costs(verdict)),
                    section("End state", _end_state(verdict)),
                    section("What differs from the cluster", _notes(rehearsal)),
                ),
            )
        ),
        foot="Processes of one machine stood for pods. Times are those of this machine, never those of a cluster.",
        style=_STYLE.read_text("utf-8"),
    )


def _last_words(rehearsal: Rehearsal) -> str:
    if not rehearsal.last_words:
        return ""
    who, *lines = rehearsal.last_words
    printed = "\n".join(map(show, lines))
    return f'<div class="card edge red"><b>{show(who)}</b><pre>{printed}</pre></div>'


def _tiles(verdict: Verdict) -> Iterator[str]:
    yield tile(round(verdict.seconds), "seconds", "blue" if verdict.is_well else "red")
    yield tile(verdict.steps, "steps", "blue")
    yield tile(verdict.saves, "checkpoints", "green")
    if verdict.costs or verdict.pending:
        yield tile(len(verdict.costs), "faults", "amber")
        yield tile(verdict.steps_lost, "steps lost", "red" if not verdict.is_well else "amber")


def _costs(verdict: Verdict) -> str:
    if not (verdict.costs or verdict.pending):
        return ""
    head = "<tr><th></th><th>fault</th><th>at</th><th>what it cost</th></tr>"
    rows = [_cost(verdict, number, cost) for number, cost in enumerate(verdict.costs, 1)]
    rows += [
        f"<tr><td></td><td>{show(fault)}</td><td></td><td>never came</td></tr>" for fault in verdict.pending
    ]
    body = "\n".join(rows)
    return f'<table class="costs"><thead>{head}</thead><tbody>\n{body}\n</tbody></table>'


def _cost(verdict: Verdict, number: int, cost: Cost) -> str:
    bad = verdict.is_beyond(cost) or (cost.seconds is None and verdict.steps > 0)
    mark = pill("too much", "red") if bad else ""
    return (
        f'<tr><td class="number">{number}</td><td>{show(cost.fault)}</td><td>{say_seconds(cost.at)}</td>'
        f"<td>{show(say_cost(verdict, cost))} {mark}</td></tr>"
    )


def _end_state(verdict: Verdict) -> str:
    if not verdict.costs and verdict.end_state is EndState.NOT_COMPARED:
        return ""
    state = pill(verdict.end_state, _TONES[verdict.end_state])
    items = "".join(f"<li>{show(difference)}</li>" for difference in verdict.differences)
    listed = f'<ul class="notes">{items}</ul>' if items else ""
    took = verdict.undisturbed_seconds
    beside = f" An undisturbed rehearsal took {say_seconds(took)}." if took is not None else ""
    return f"<p>{state} {show(END_STATES[verdict.end_state])}.{beside}</p>{listed}"


def _notes(rehearsal: Rehearsal) -> str:
    items = "".join(f"<li>{show(note)}</li>" for note in rehearsal.notes)
    return f'<ul class="notes">{items}</ul>' if items else ""
