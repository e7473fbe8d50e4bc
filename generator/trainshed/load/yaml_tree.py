"""YAML text to plain data with the place of every word, in one pass over libyaml's events.

Reading goes on after whatever leaves the structure of the document intact, so that all findings come at once.
"""

from pathlib import PurePosixPath
from typing import Any, cast

from trainshed.load import yaml_notes as notes
from trainshed.load.characters import check_characters
from trainshed.load.words import describe, quote
from trainshed.load.yaml_anchors import Anchored, Anchors, Entry
from trainshed.load.yaml_events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    StreamEndEvent,
    StreamMark,
    YAMLError,
    open_events,
)
from trainshed.load.yaml_faults import Stop, explain_stop
from trainshed.load.yaml_limits import MAX_DEPTH, MAX_SCALAR_LENGTH
from trainshed.load.yaml_notes import EndOfReading, Notes
from trainshed.load.yaml_scalars import Scalar, is_json_number, resolve_scalar
from trainshed.load.yaml_spots import place_collection, place_event, place_scalar, place_tag
from trainshed.model.diagnostic import sort_findings
from trainshed.model.manifest import JsonObject
from trainshed.model.outcome import Outcome
from trainshed.model.tree import Marks, Path, Spot, Tree

_TEXT_TAG = "tag:yaml.org,2002:str"
_TOP: Spot = (1, 1, 1)
_STRAY = "?"
"""Stands in the path of a value whose key is none."""


def read_yaml(text: str, path: PurePosixPath) -> Outcome[Tree]:
    """The document in `text`; no value if a part of it could not be read.

    A key that is written twice is a finding, and keeps its first value.
    """
    hidden = check_characters(text, path)
    if hidden:
        return Outcome(None, hidden)
    reader = _Reader(text, path)
    found = reader.found
    try:
        data = reader.read_document()
    except EndOfReading as end:
        return Outcome(None, sort_findings((*found.findings, end.finding)))
    except YAMLError as cause:
        stop = Stop(cause, reader.lines, path, reader.opening)
        return Outcome(None, sort_findings((*found.findings, explain_stop(stop))))
    # Of two values of one key, the first keeps its marks too.
    tree = Tree(data, Marks(path, dict(reversed(reader.entries)))) if found.is_whole else None
    return Outcome(tree, sort_findings(found.findings))


class _Reader:
    """The state of one reading."""

    def __init__(self, text: str, path: PurePosixPath) -> None:
        self.lines = text.split("\n")
        self.next_event = open_events(text)
        self.found = Notes(path)
        self.anchors = Anchors()
        self.entries: list[Entry] = []
        self.brackets: list[Spot] = []

    @property
    def opening(self) -> Spot | None:
        """The innermost bracket that is still open."""
        return self.brackets[-1] if self.brackets else None

    def read_document(self) -> JsonObject:
        """The one map that the text has to be. Raises EndOfReading, and YAMLError for what is not YAML."""
        self.next_event()
        start = self.next_event()
        if isinstance(start, StreamEndEvent):
            raise self.found.end(notes.EMPTY, _TOP)
        if start.version not in (None, (1, 2)):
            self.found.report(notes.OLD_VERSION, place_event(start))
        data = self._read_node(self.next_event(), (), None)
        self.next_event()
        after = self.next_event()
        if not isinstance(after, StreamEndEvent):
            raise self.found.end(notes.SECOND_DOCUMENT, place_event(after))
        if isinstance(data, dict):
            return cast("JsonObject", data)
        _, top = self.entries[-1][1]
        if data is None:
            raise self.found.end(notes.EMPTY, _TOP)
        raise self.found.end(notes.NO_MAP, top, describe(data))

    def _read_node(
        self, event: AliasEvent | ScalarEvent | CollectionStartEvent, path: Path, key: Spot | None
    ) -> Any:
        """The value that begins with `event`; its mark is entered after those of its parts."""
        first_part = len(self.entries)
        if isinstance(event, AliasEvent):
            spot = place_event(event)
            value = self.anchors.repeat(event.anchor, path, spot, self.entries, self.found)
        else:
            if event.anchor:
                self.anchors.begin(event.anchor)
            if isinstance(event, ScalarEvent):
                value, spot = self._read_scalar(event, key)
            else:
                value, spot = self._read_collection(event, path)
            if event.anchor:
                parts = slice(first_part, len(self.entries))
                self.anchors.finish(event.anchor, Anchored(value, len(path), parts))
        self.entries.append((path, (key, spot)))
        return value

    def _read_scalar(self, event: ScalarEvent, key: Spot | None = None) -> tuple[Scalar, Spot]:
        """A single value; where nothing is written, it stands at its key."""
        text: str = event.value
        spot = place_scalar(event, self.lines)
        if len(text) > MAX_SCALAR_LENGTH:
            self.found.report(notes.TOO_LONG, spot, len(text))
        if event.ctag or not event.implicit[0]:
            self._check_tag(event)
            return text, spot
        value = resolve_scalar(text)
        if not is_json_number(value):
            self.found.lose(notes.BAD_NUMBER, spot, quote(text))
        return value, key if key and not text else spot

    def _read_collection(self, event: CollectionStartEvent, path: Path) -> tuple[Any, Spot]:
        start = place_collection(event, event.end_mark, self.lines)
        if len(path) >= MAX_DEPTH:
            raise self.found.end(notes.TOO_DEEP, start)
        self._check_tag(event)
        if event.flow_style:
            self.brackets.append(start)
        read = self._read_map if isinstance(event, MappingStartEvent) else self._read_list
        value, end = read(path)
        if event.flow_style:
            self.brackets.pop()
        return value, place_collection(event, end, self.lines)

    def _read_list(self, path: Path) -> tuple[list[Any], StreamMark]:
        items: list[Any] = []
        while not isinstance(event := self.next_event(), CollectionEndEvent):
            items.append(self._read_node(event, (*path, len(items)), None))
        return items, event.end_mark

    def _read_map(self, path: Path) -> tuple[JsonObject, StreamMark]:
        fields: JsonObject = {}
        places: dict[str, Spot] = {}
        while not isinstance(event := self.next_event(), CollectionEndEvent):
            key, spot = self._read_key(event, path)
            value = self._read_node(self.next_event(), (*path, _STRAY if key is None else key), spot)
            if key in places:
                self.found.report(notes.KEY_TWICE, spot, quote(key), first=places[key])
            elif key is not None:
                fields[key], places[key] = value, spot
        return fields, event.end_mark

    def _read_key(
        self, event: AliasEvent | ScalarEvent | CollectionStartEvent, path: Path
    ) -> tuple[str | None, Spot]:
        """A key and its place; None, and a finding, for what is no plain text."""
        if not isinstance(event, ScalarEvent):
            spot = place_event(event)
            self.found.lose(notes.KEY_NO_WORD, spot)
            self._read_node(event, (*path, _STRAY), None)
            return None, spot
        key, spot = self._read_scalar(event)
        if event.anchor:
            self.anchors.finish(event.anchor, Anchored(key, len(path), slice(0, 0)))
        if not isinstance(key, str):
            self.found.lose(notes.KEY_NO_TEXT, spot, describe(key))
            return None, spot
        if key == "<<" and event.implicit[0]:
            self.found.lose(notes.MERGE_KEY, spot)
            return None, spot
        return key, spot

    def _check_tag(self, event: NodeEvent) -> None:
        if event.ctag and not (event.ctag == _TEXT_TAG and isinstance(event, ScalarEvent)):
            line, column, width = spot = place_tag(event, self.lines)
            self.found.report(notes.TAG, spot, self.lines[line - 1][column - 1 :][:width])
