"""A review as a page: counts, risks first, causes and effects, lines of life, clusters by apps."""

from collections import Counter
from collections.abc import Iterable
from itertools import starmap
from pathlib import Path

from trainshed.model.review import (
    CauseGroup,
    FieldChange,
    ObjectGroup,
    Review,
    Risk,
    RiskKind,
    RunGroup,
    RunVerb,
    Verb,
)
from trainshed.report.page import code, details, page, pill, section, show, tile
from trainshed.report.review.lifeline import draw_life
from trainshed.report.review.phrases import (
    LEGEND,
    by_kind,
    count,
    following,
    label_of,
    life_of,
    lines_of,
    lines_of_risk,
    matrix_of,
    name_some,
    note_of_objects,
    place_of_causes,
    places_of_objects,
    title_of_causes,
    title_of_objects,
    title_of_runs,
    unexplained,
    verb_of_objects,
)

_STYLE = Path(__file__).with_name("html.css")
_TONES = {Verb.CREATED: "green", Verb.CHANGED: "amber", Verb.REPLACED: "blue", Verb.DELETED: "red"}
_SIGNS = {Verb.CREATED: "+", Verb.CHANGED: "~", Verb.REPLACED: "±", Verb.DELETED: "−"}
_RUN_TONES = {
    RunVerb.RESTARTS: "amber",
    RunVerb.ENDS: "red",
    RunVerb.STARTS: "green",
    RunVerb.STOPS: "red",
}
_QUIET_RISKS = frozenset({RiskKind.ENDS_RUN, RiskKind.IMAGE, RiskKind.QUOTA, RiskKind.OPERATOR})
_MOST_SHOWN = 12
"""How many of a list stand open; the others are to be opened."""


def format_html(review: Review) -> str:
    """The page, whole: what is long is folded, nothing is cut but long texts."""
    note = unexplained(review)
    runs = sum(len(group.runs) for group in review.runs)
    objects = sum(len(group.changes) for group in review.objects)
    body = (
        f'<p class="note">{show(note[:1].upper() + note[1:])}.</p>' if note else "",
        section("Risks", "\n".join(starmap(_risks, by_kind(review.risks))), _number(len(review.risks))),
        section(
            "What was written, and what follows", _fold([_cause(group) for group in review.causes], "files")
        ),
        section("Runs", _fold([_run(group) for group in review.runs], "changes"), _number(runs)),
        section("Where", _matrix(review), "objects by app and cluster"),
        section("Objects", _objects(review), _number(objects)),
    )
    return page(
        title=f"trainshed: {review.headline}",
        kicker=f"trainshed diff · upon {review.commit[:12]}",
        headline=review.headline,
        tiles=_tiles(review, objects),
        body="\n".join(filter(None, body)),
        foot=LEGEND,
        style=_STYLE.read_text("utf-8"),
    )


def _tiles(review: Review, objects: int) -> str:
    runs: Counter[RunVerb] = Counter()
    for group in review.runs:
        runs[group.verb] += len(group.runs)
    counts = (
        (len(review.risks), "risks", "red"),
        (runs[RunVerb.RESTARTS], "runs restart", "amber"),
        (runs[RunVerb.STARTS], "runs start", "green"),
        (runs[RunVerb.ENDS] + runs[RunVerb.STOPS], "runs end", "red"),
        (objects, "objects change", "blue"),
        (review.untouched, "runs untouched", "quiet"),
    )
    return "".join(tile(*row) for row in counts)


def _number(number: int) -> str:
    return f"{number:,}" if number else ""


def _fold(items: list[str], noun: str) -> str:
    """The first of a list, and the others behind a line to open."""
    rest = items[_MOST_SHOWN:]
    more = (
        details(f'<span class="soft">{len(rest):,} more {show(noun)}</span>', "\n".join(rest)) if rest else ""
    )
    return "\n".join([*items[:_MOST_SHOWN], *filter(None, [more])])


def _risks(kind: RiskKind, risks: list[Risk]) -> str:
    tone = "amber" if kind in _QUIET_RISKS else "red"
    rows = _fold([_risk(risk) for risk in risks], "of this kind")
    return f'<div class="card edge {tone} risk"><div>{pill(kind, tone)}</div><div>{rows}</div></div>'


def _risk(risk: Risk) -> str:
    where = name_some((app.cluster for app in risk.places), 6)
    return f'<p>{show(risk.sentence)} <span class="soft">on {show(where)}</span> {_place(lines_of_risk(risk))}</p>'


def _cause(group: CauseGroup) -> str:
    cause = group.first
    effects = "".join(f"<li>{show(effect)}</li>" for effect in cause.effects)
    return (
        f'<div class="card cause"><div>{pill(cause.verb, _TONES[cause.verb])} <b>{show(title_of_causes(group))}</b> '
        f"{_place(place_of_causes(group))}{_fields(cause.words, with_place=True)}</div>"
        f'<ul class="effects">{effects}</ul></div>'
    )


def _run(group: RunGroup) -> str:
    run = group.first
    said = "".join(f"<li>{show(sentence)}</li>" for sentence in run.sentences)
    why = f'<p class="soft">why: {code(run.quote)}</p>' if run.quote else ""
    apart = "".join(
        f'<p class="soft">on {show(name_some(one.clusters))}</p>{_fields(one.fields)}' for one in group.apart
    )
    others = [one for one in group.runs[1:] if life_of(one) != life_of(run)]
    same = "".join(
        f"<li>{show(f'{one.team}/{one.job}')} on {show(one.cluster)}: {code(life_of(one))}</li>"
        for one in others
    )
    more = (
        details(f"the same for {count(len(others), 'run')} of other names", f'<ul class="said">{same}</ul>')
        if same
        else ""
    )
    return (
        f'<div class="card run"><h3>{pill(group.verb, _RUN_TONES.get(group.verb, "blue"))} '
        f"{show(title_of_runs(group))} {_place(run.source)}</h3>\n{draw_life(run)}\n"
        f'<ul class="said">{said}</ul>{why}{_fields(group.fields)}'
        f"{details('what differs by cluster', apart) if apart else ''}{more}</div>"
    )


def _objects(review: Review) -> str:
    told = following(review)
    tail = f'<p class="soft">{show(told)}</p>' if told else ""
    groups = _fold([_object(group) for group in review.objects], "changes")
    return "\n".join(filter(None, [groups, tail]))


def _object(group: ObjectGroup) -> str:
    note = note_of_objects(group)
    more = (
        f'<p class="soft">the same on {show(places_of_objects(group.changes))}</p>'
        if len(group.changes) > 1
        else ""
    )
    summary = (
        f"{pill(verb_of_objects(group), _TONES[group.verb])} {show(title_of_objects(group))}"
        f"{f' <span class=soft>({show(note)})</span>' if note else ''} {_place(group.first.source)}"
    )
    body = f"{_fields(group.first.fields)}{more}"
    if not body:
        return f'<div class="card">{summary}</div>'
    return f'<div class="card">{details(summary, body, is_open=len(group.first.fields) <= 3)}</div>'


def _matrix(review: Review) -> str:
    clusters, apps = matrix_of(review)
    if not apps:
        return ""
    head = "".join(f"<th>{show(cluster)}</th>" for cluster in clusters)
    rows = [
        f"<tr><th>{show(app)}</th>{''.join(f'<td>{_cell(cells.get(cluster, {}))}</td>' for cluster in clusters)}</tr>"
        for app, cells in apps.items()
    ]
    body = f"<thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    table = f'<div class="card scroll"><table class="matrix">{body}</table></div>'
    return (
        table
        if len(rows) <= 2 * _MOST_SHOWN
        else details(f'<span class="soft">{len(rows):,} apps</span>', table)
    )


def _cell(counts: dict[Verb, int]) -> str:
    return "".join(pill(f"{_SIGNS[verb]}{counts[verb]}", _TONES[verb]) for verb in Verb if verb in counts)


def _fields(fields: Iterable[FieldChange], with_place: bool = False) -> str:
    rows = "".join(
        f"<tr><td>{show(label_of(field))}{_line(field) if with_place else ''}</td><td>{_values(field)}</td></tr>"
        for field in fields
    )
    return f'<table class="fields"><tbody>{rows}</tbody></table>' if rows else ""


def _line(field: FieldChange) -> str:
    return f' <span class="place">:{field.source.line}</span>' if field.source else ""


def _values(field: FieldChange) -> str:
    if field.added or field.removed:
        body = f"<pre>{_difference(field.lines)}</pre>" if field.lines else ""
        return (
            details(show(lines_of(field)), body, is_open=len(field.lines) <= _MOST_SHOWN)
            if body
            else show(lines_of(field))
        )
    before = f"<del>{code(field.before)}</del>" if field.before is not None else ""
    after = f"<ins>{code(field.after)}</ins>" if field.after is not None else ""
    if before and after:
        return f'{before}<span class="arrow">→</span>{after}'
    return f'{before or after} <span class="soft">{"gone" if before else "new"}</span>'


def _difference(lines: Iterable[str]) -> str:
    tags = {"+": "ins", "-": "del"}
    return "\n".join(
        f"<{tags[line[0]]}>{show(line)}</{tags[line[0]]}>" if line[:1] in tags else show(line)
        for line in lines
    )


def _place(source: object) -> str:
    return f'<span class="place">{show(str(source))}</span>'
