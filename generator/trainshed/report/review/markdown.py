"""A review as a comment on a pull request: GitHub's Markdown, the most important first, within its limit.

Source of the limit: GitHub refuses bodies of comments above 65,536 characters ("body is too long").
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trainshed.model.review import CauseGroup, FieldChange, ObjectGroup, Review, Risk, RunGroup
from trainshed.report.review.escapes import code, code_html, fence, plain
from trainshed.report.review.phrases import (
    LEGEND,
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

LIMIT_CHARACTERS = 65_536
_RESERVE = 1_500
"""What headings and the closing sentence take of the limit."""

_MOST_RISKS = 12
_MOST_FIELDS = 40
_MOST_RUNS = 10


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading, its blocks, and the share of what is left that they may take."""

    title: str
    blocks: tuple[str, ...]
    share: float


def format_markdown(review: Review, limit: int | None = None, whole: str = "") -> str:
    """The whole review; or as much of it as `limit` bytes hold, each part shortened by itself.

    `whole` is the name of the file in which all of it stands.
    """
    sections = (
        _Section("Risks", tuple(_risks(review)), 0.3),
        _Section("What was written", tuple(map(_cause, review.causes)), 0.3),
        _Section("Runs", tuple(map(_run, review.runs)), 0.6),
        _Section("Objects", (*map(_object, review.objects), *_following(review)), 1.0),
    )
    head = f"### {plain(review.headline)}\n\n"
    if unexplained(review):
        head += f"{plain(unexplained(review))}.\n\n"
    foot = f"\n<sub>Compared with {code(review.commit[:12])}. {LEGEND}</sub>\n"
    room = None if limit is None else limit - _RESERVE - _size(head) - _size(foot)
    parts: list[str] = []
    for section in sections:
        text = _fit(section, room)
        room = None if room is None else room - _size(text)
        parts.append(text)
    cut = f"\n**This is cut to fit a comment: all of it stands in {code(whole) if whole else 'the full report'}.**\n"
    return head + "\n".join(filter(None, parts)) + (cut if limit is not None else "") + foot


def _size(text: str) -> int:
    return len(text.encode())


def _fit(section: _Section, room: int | None) -> str:
    """The section's blocks, as many as its share of the room holds; the others are counted."""
    if not section.blocks:
        return ""
    left = None if room is None else int(room * section.share)
    kept: list[str] = []
    for block in section.blocks:
        if left is not None:
            if left < _size(block) + 1:
                continue
            left -= _size(block) + 1
        kept.append(block)
    more = len(section.blocks) - len(kept)
    tail = f"\n*and {more} more*\n" if more else ""
    return f"#### {section.title}\n\n" + "\n".join(kept) + "\n" + tail


def _risks(review: Review) -> Iterator[str]:
    for kind, risks in by_kind(review.risks):
        yield from map(_risk, risks[:_MOST_RISKS])
        if rest := "\n".join(map(_risk, risks[_MOST_RISKS:])):
            yield _details(f"{len(risks) - _MOST_RISKS} more of the kind <b>{kind}</b>", [rest])


def _risk(risk: Risk) -> str:
    where = plain(name_some(app.cluster for app in risk.places))
    return f"- **{risk.kind}**: {plain(risk.sentence)}, on {where} ({code(lines_of_risk(risk))})"


def _cause(group: CauseGroup) -> str:
    cause = group.first
    effects = plain("; ".join(cause.effects))
    head = f"- **{cause.verb}** {code(title_of_causes(group))} in {code(place_of_causes(group))}: {effects}"
    words = [_field(field, indent="  ", with_place=True) for field in cause.words[:_MOST_FIELDS]]
    return "\n".join([head, *words, *_more(len(cause.words) - _MOST_FIELDS, "  ")])


def _run(group: RunGroup) -> str:
    run = group.first
    summary = f"<b>{group.verb}</b> {code_html(title_of_runs(group))}"
    lines = [f"- {plain(sentence)}" for sentence in run.sentences]
    lines += [f"- why: {code(run.quote)}"] if run.quote else []
    lines.append(f"- written in {code(str(run.source))}")
    lines += [_field(field) for field in group.fields[:_MOST_FIELDS]]
    for apart in group.apart:
        lines.append(f"- on {plain(name_some(apart.clusters))}")
        lines += [_field(field, indent="  ") for field in apart.fields[:_MOST_FIELDS]]
    others = [one for one in group.runs[1:] if life_of(one) != life_of(run)]
    for words, life in map(same_for, others[:_MOST_RUNS]):
        lines.append(f"- {plain(words)}: {code(life)}")
    return _details(summary, [*lines, *_more(len(others) - _MOST_RUNS)])


def _object(group: ObjectGroup) -> str:
    note = note_of_objects(group)
    summary = f"<b>{verb_of_objects(group)}</b> {code_html(title_of_objects(group))}"
    summary += f" ({code_html(note)})" if note else ""
    lines = [f"- written in {code(str(group.first.source))}"]
    lines += [_field(field) for field in group.first.fields[:_MOST_FIELDS]]
    lines += _more(len(group.first.fields) - _MOST_FIELDS)
    if len(group.changes) > 1:
        lines.append(f"- the same on {plain(places_of_objects(group.changes))}")
    return _details(summary, lines)


def _following(review: Review) -> Iterator[str]:
    sentence = following(review)
    if sentence:
        yield f"{plain(sentence[:1].upper() + sentence[1:])}.\n"


def _details(summary: str, lines: Iterable[str]) -> str:
    return f"<details><summary>{summary}</summary>\n\n" + "\n".join(lines) + "\n\n</details>\n"


def _more(number: int, indent: str = "") -> list[str]:
    return [f"{indent}- and {number} more"] if number > 0 else []


def _field(field: FieldChange, indent: str = "", with_place: bool = False) -> str:
    place = f" ({code(f':{field.source.line}')})" if with_place and field.source else ""
    head = f"{indent}- {code(label_of(field))}{place}: "
    if field.added or field.removed:
        return head + lines_of(field) + (fence(field.lines, f"{indent}  ") if field.lines else "")
    if field.before is None:
        return f"{head}{code(field.after or '')} (new)"
    if field.after is None:
        return f"{head}~~{code(field.before)}~~ (gone)"
    return f"{head}{code(field.before)} → {code(field.after)}"
