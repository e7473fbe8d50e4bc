"""Each value of a target beside the line that it comes from."""

from trainshed.model.plan import Target
from trainshed.model.provenance import FieldPath
from trainshed.model.spec.job import JobBody
from trainshed.report.choice import sealed_words

SHOWN = frozenset(field.alias or name for name, field in JobBody.model_fields.items()) | {
    "attempt",
    "schedule",
}
"""Fields that say something about a run; not the names and lists that led to it."""


def describe_sources(target: Target) -> str:
    """A table: field, value, where it was written, in whose words."""
    rows = [
        (
            ".".join(map(str, path)),
            _spell(target.sources.values[path]),
            str(target.sources.fields[path]),
            words,
        )
        for path, words in sorted(target.sources.layers.items(), key=lambda item: str(item[0]))
        if _is_leaf(target, path)
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    heading = f"{target.team.name}/{target.job} on {target.cluster.name} ({target.backend.kind} {target.run})"
    return "\n".join(
        [heading, *sealed_words(target), *("  ".join(map(str.ljust, row, [*widths, 0])) for row in rows)]
    )


def _is_leaf(target: Target, path: FieldPath) -> bool:
    in_list = any(isinstance(step, int) for step in path)
    return path in target.sources.values and path[0] in SHOWN and not in_list


def _spell(value: object) -> str:
    """The value on one line, cut where it is long."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
