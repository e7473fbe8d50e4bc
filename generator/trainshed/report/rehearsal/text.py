"""The verdict in words, for a terminal and for a pipe."""

from collections.abc import Iterator

import click

from trainshed.model.verdict import EndState, Rehearsal
from trainshed.report.glyphs import make_visible
from trainshed.report.rehearsal.phrases import (
    END_STATES,
    count,
    say_cost,
    say_end,
    say_seconds,
    say_training,
    write_headline,
)


def format_text(rehearsal: Rehearsal, color: bool) -> str:
    """The headline, and a line for each thing that can be said."""
    rows = [(name, make_visible(words)) for name, words in _rows(rehearsal)]
    width = max(len(name) for name, _ in rows)
    tone = "green" if rehearsal.verdict.is_well else "red"
    headline = make_visible(write_headline(rehearsal))
    title = click.style(headline, fg=tone, bold=True) if color else headline
    lines = [f"  {name:{width}}  {words}".rstrip() for name, words in rows]
    return "\n".join([title, *lines]) + "\n"


def _rows(rehearsal: Rehearsal) -> Iterator[tuple[str, str]]:
    verdict = rehearsal.verdict
    where = f" on {rehearsal.cluster}" if rehearsal.cluster else ""
    yield (
        "rehearsed",
        f"{rehearsal.kind} {rehearsal.namespace}/{rehearsal.name}{where}, {count(len(rehearsal.pods), 'pod')}",
    )
    yield "end", say_end(verdict)
    yield "training", say_training(verdict)
    for cost in verdict.costs:
        yield "fault", f"{cost.fault}: {say_cost(verdict, cost)}"
    for fault in verdict.pending:
        yield "fault", f"{fault}: never came"
    if verdict.costs or verdict.end_state is not EndState.NOT_COMPARED:
        yield "end state", END_STATES[verdict.end_state]
    for difference in verdict.differences:
        yield "", difference
    for number, words in enumerate(rehearsal.last_words):
        yield "" if number else "last words", words
    if verdict.undisturbed_seconds is not None:
        yield "undisturbed", f"took {say_seconds(verdict.undisturbed_seconds)}"
