"""A review on a terminal: the sentence, risks, causes, runs, objects."""

from collections.abc import Iterable, Iterator

import click

from trainshed.model.review import FieldChange, ObjectGroup, Review, RunGroup, RunVerb, Verb
from trainshed.report.glyphs import make_visible
from trainshed.report.review.phrases import (
    by_kind,
    following,
    label_of,
    life_of,
    lines_of,
    lines_of_risk,
    name_some,
    note_of_objects,
    place_of_causes,
    places_of_objects,
    same_for,
    title_of_causes,
    title_of_objects,
    title_of_runs,
    unexplained,
    verb_of_objects,
)

_SIGNS = {
    Verb.CREATED: ("+", "green"),
    Verb.CHANGED: ("~", "yellow"),
    Verb.REPLACED: ("±", "yellow"),
    Verb.DELETED: ("-", "red"),
}
_RUN_COLORS = {RunVerb.STARTS: "green", RunVerb.ENDS: "red", RunVerb.STOPS: "red", RunVerb.RESTARTS: "yellow"}
_MOST_RISKS = 8
_MOST_CAUSES = 30
_MOST_FIELDS = 12
_MOST_DIFF_LINES = 12
_MOST_RUNS = 6


def format_text(review: Review, color: bool) -> str:
    """For people at a terminal; long lists are cut, and say so."""
    pen = _Pen(color)
    parts = [
        [pen.bold(review.headline), *filter(None, [unexplained(review)])],
        pen.section("risks", _risks(review, pen)),
        pen.section("what was written", _causes(review, pen)),
        pen.section("runs", _runs(review.runs, pen)),
        pen.section("objects", (*_objects(review.objects, pen), *_following(review, pen))),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


class _Pen:
    """Color, or none; and every foreign word made visible."""

    def __init__(self, color: bool) -> None:
        self._color = color

    def paint(self, text: str, shade: str) -> str:
        return click.style(make_visible(text), fg=shade) if self._color else make_visible(text)

    def bold(self, text: str) -> str:
        return click.style(make_visible(text), bold=True) if self._color else make_visible(text)

    def dim(self, text: str) -> str:
        return click.style(make_visible(text), dim=True) if self._color else make_visible(text)

    def section(self, title: str, lines: Iterable[str]) -> list[str]:
        found = list(lines)
        return [self.bold(title), *found] if found else []


def _risks(review: Review, pen: _Pen) -> Iterator[str]:
    for kind, risks in by_kind(review.risks):
        for risk in risks[:_MOST_RISKS]:
            where = name_some(app.cluster for app in risk.places)
            yield f"  {pen.paint(f'{kind:<16}', 'red')} {make_visible(risk.sentence)} {pen.dim(f'on {where}')}"
            yield f"  {'':<16} {pen.dim(lines_of_risk(risk))}"
        yield from _more(len(risks) - _MOST_RISKS, pen)


def _causes(review: Review, pen: _Pen) -> Iterator[str]:
    for group in review.causes[:_MOST_CAUSES]:
        cause = group.first
        sign, shade = _SIGNS[cause.verb]
        yield f"  {pen.paint(sign, shade)} {pen.bold(title_of_causes(group))} {pen.dim(place_of_causes(group))}"
        yield from _fields(cause.words, pen, with_place=True)
        yield from (f"      {pen.dim('→')} {make_visible(effect)}" for effect in cause.effects)
    yield from _more(len(review.causes) - _MOST_CAUSES, pen)


def _more(number: int, pen: _Pen) -> Iterator[str]:
    if number > 0:
        yield f"  {pen.dim(f'and {number} more')}"


def _runs(groups: Iterable[RunGroup], pen: _Pen) -> Iterator[str]:
    for group in groups:
        run = group.first
        verb = pen.paint(f"{group.verb:<9}", _RUN_COLORS.get(group.verb, "cyan"))
        yield f"  {verb} {pen.bold(title_of_runs(group))} {pen.dim(str(run.source))}"
        yield from (f"      {make_visible(sentence)}" for sentence in run.sentences)
        if run.quote:
            yield f"      why: {make_visible(run.quote)}"
        yield from _fields(group.fields, pen)
        for apart in group.apart:
            yield f"      {pen.dim(f'on {name_some(apart.clusters)}')}"
            yield from (f"  {line}" for line in _fields(apart.fields, pen))
        others = [one for one in group.runs[1:] if life_of(one) != life_of(run)]
        for words, life in map(same_for, others[:_MOST_RUNS]):
            yield f"      {pen.dim(f'{words}: {life}')}"
        if len(others) > _MOST_RUNS:
            yield f"      {pen.dim(f'and {len(others) - _MOST_RUNS} more')}"


def _objects(groups: Iterable[ObjectGroup], pen: _Pen) -> Iterator[str]:
    for group in groups:
        sign, shade = _SIGNS[group.verb]
        note = note_of_objects(group)
        title = f"{verb_of_objects(group)} {title_of_objects(group)}{f' ({note})' if note else ''}"
        yield f"  {pen.paint(sign, shade)} {make_visible(title)} {pen.dim(str(group.first.source))}"
        yield from _fields(group.first.fields, pen)
        if len(group.changes) > 1:
            yield f"      {pen.dim(f'the same on {places_of_objects(group.changes)}')}"


def _following(review: Review, pen: _Pen) -> Iterator[str]:
    sentence = following(review)
    if sentence:
        yield f"  {pen.dim(sentence)}"


def _fields(fields: tuple[FieldChange, ...], pen: _Pen, with_place: bool = False) -> Iterator[str]:
    for field in fields[:_MOST_FIELDS]:
        place = f" {pen.dim(f':{field.source.line}')}" if with_place and field.source else ""
        yield f"      {make_visible(label_of(field))}: {_values(field, pen)}{place}"
        yield from (f"        {_line(line, pen)}" for line in field.lines[:_MOST_DIFF_LINES])
        if len(field.lines) > _MOST_DIFF_LINES:
            yield f"        {pen.dim('…')}"
    if len(fields) > _MOST_FIELDS:
        yield f"      {pen.dim(f'and {len(fields) - _MOST_FIELDS} more fields')}"


def _values(field: FieldChange, pen: _Pen) -> str:
    if field.added or field.removed:
        return pen.dim(lines_of(field))
    if field.before is None:
        return f"{pen.paint(field.after or '', 'green')} {pen.dim('(new)')}"
    if field.after is None:
        return f"{pen.paint(field.before, 'red')} {pen.dim('(gone)')}"
    return f"{pen.paint(field.before, 'red')} → {pen.paint(field.after, 'green')}"


def _line(line: str, pen: _Pen) -> str:
    shade = {"+": "green", "-": "red"}.get(line[:1])
    return pen.paint(line, shade) if shade else pen.dim(line)
