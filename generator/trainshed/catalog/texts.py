"""The catalogue's YAML as maps, lists and texts: nothing becomes a number or a date by its looks.

A sixth of the time that ruamel.yaml's constructor takes, which guesses a type for every word.
"""

from collections.abc import Iterator
from typing import TypeAlias, cast

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

Texts: TypeAlias = "str | list[Texts] | dict[str, Texts]"
_START = (MappingStartEvent, SequenceStartEvent, ScalarEvent)


def read_texts(data: bytes) -> Texts:
    """The one document of a YAML file. Anchors and tags are not for the catalogue."""
    events = cast("Iterator[Event]", YAML(typ="safe").parse(data))  # pyright: ignore[reportUnknownMemberType]
    return _build(next(event for event in events if isinstance(event, _START)), events)


def _build(event: Event, events: Iterator[Event]) -> Texts:
    match event:
        case MappingStartEvent():
            return _build_map(events)
        case SequenceStartEvent():
            return list(_build_until(SequenceEndEvent, events))
        case ScalarEvent():
            return cast("str", event.value)
        case _:
            raise ValueError(f"unexpected YAML: {event}")


def _build_map(events: Iterator[Event]) -> dict[str, Texts]:
    cells: dict[str, Texts] = {}
    for key in _build_until(MappingEndEvent, events):
        if not isinstance(key, str) or key in cells:
            raise ValueError(f"a key is no text, or is written twice: {key}")
        cells[key] = _build(next(events), events)
    return cells


def _build_until(end: type[Event], events: Iterator[Event]) -> Iterator[Texts]:
    while not isinstance(event := next(events), end):
        yield _build(event, events)
