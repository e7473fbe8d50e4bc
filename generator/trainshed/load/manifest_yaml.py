"""YAML manifests to nodes: several documents, anchors, and the tags of the core schema."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from trainshed.load.manifest_nodes import MAX_DEPTH, Document, ListNode, MapNode, Node, ScalarNode
from trainshed.load.manifest_scalars import resolve_word
from trainshed.load.words import quote
from trainshed.load.yaml_events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    MappingStartEvent,
    ScalarEvent,
    StreamEndEvent,
    StreamMark,
    YAMLError,
    open_events,
    open_events_of_today,
)
from trainshed.load.yaml_faults import Stop, explain_stop
from trainshed.load.yaml_notes import BAD_NUMBER, EndOfReading, Note, Notes
from trainshed.load.yaml_spots import place_collection, place_event, place_scalar, place_tag
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.model.tree import Spot

_CORE = "tag:yaml.org,2002:"
_SCALAR_TAGS: dict[str, tuple[type, ...]] = {
    f"{_CORE}int": (int,),
    f"{_CORE}float": (int, float),
    f"{_CORE}bool": (bool,),
    f"{_CORE}null": (type(None),),
}
_TEXT_TAGS = frozenset({f"{_CORE}str", "!"})
_MAP_TAG, _LIST_TAG = f"{_CORE}map", f"{_CORE}seq"

COLON = "found unexpected ':'"
"""What libyaml says of `{image: a:1}`, which YAML 1.2 and kubectl take."""

_TOO_DEEP: Note = (
    Code.YAML_DEPTH,
    f"maps and lists are nested more than {MAX_DEPTH} deep",
    "look for brackets too many",
)
_TAG: Note = (Code.YAML_TAG, 'tag "{}" is not read here', "remove it, or write what it stands for")
_ALIAS_WITHIN: Note = (
    Code.YAML_ALIASES,
    'alias "*{0}" stands within "&{0}"',
    "write out what it stands for",
)
_ALIAS_OF_NOTHING: Note = (
    Code.YAML_ALIASES,
    'alias "*{0}" repeats nothing: there is no "&{0}" above it in this document',
    'if the star belongs to the text, put it in quotes: "*…"',
)


def read_yaml_documents(text: str, path: PurePosixPath) -> tuple[list[Document], list[Diagnostic]]:
    """The documents in order. Where the text is no YAML any more, those above that place, and a finding."""
    composer = _Composer(text, path, open_events)
    problem = composer.read()
    if problem is not None and COLON in str(problem):
        second = _Composer(text, path, open_events_of_today)
        if second.read() is None:
            return second.documents, second.found.findings
    if problem is not None:
        opening = composer.brackets[-1] if composer.brackets else None
        composer.found.findings.append(explain_stop(Stop(problem, composer.lines, path, opening)))
    return composer.documents, composer.found.findings


class _Composer:
    """The state of one reading."""

    def __init__(self, text: str, path: PurePosixPath, open_text: Callable[[str], Callable[[], Any]]) -> None:
        self.lines = text.split("\n")
        self.next_event = open_text(text)
        self.found = Notes(path)
        self.documents: list[Document] = []
        self.anchors: dict[str, Node | None] = {}
        self.brackets: list[Spot] = []

    def read(self) -> YAMLError | None:
        """Enter every document; what is no YAML is given back, other findings are noted."""
        try:
            self.compose()
        except EndOfReading as end:
            self.found.findings.append(end.finding)
        except YAMLError as problem:
            return problem
        return None

    def compose(self) -> None:
        """Enter every document. Raises EndOfReading, and YAMLError for what is not YAML."""
        self.next_event()
        while not isinstance(start := self.next_event(), StreamEndEvent):
            self.anchors.clear()
            first_line = start.start_mark.line + 1
            node = self._compose(self.next_event(), 0)
            end = self.next_event()
            if self.found.is_whole:
                self.documents.append(Document(node, first_line, end.end_mark.line + 1))
            self.found.is_whole = True

    def _compose(
        self, event: AliasEvent | ScalarEvent | CollectionStartEvent, depth: int, key: Spot | None = None
    ) -> Node:
        if isinstance(event, AliasEvent):
            return self._repeat(event.anchor, place_event(event))
        if event.anchor:
            self.anchors[event.anchor] = None
        if isinstance(event, ScalarEvent):
            node = self._compose_scalar(event, key)
        else:
            node = self._compose_collection(event, depth)
        if event.anchor:
            self.anchors[event.anchor] = node
        return node

    def _repeat(self, name: str, spot: Spot) -> Node:
        node = self.anchors.get(name)
        if node is None:
            self.found.lose(_ALIAS_WITHIN if name in self.anchors else _ALIAS_OF_NOTHING, spot, name)
            return ScalarNode(None, spot)
        return node

    def _compose_scalar(self, event: ScalarEvent, key: Spot | None) -> ScalarNode:
        """A single value; where nothing is written, it stands at its key."""
        text: str = event.value
        spot = place_scalar(event, self.lines)
        if event.ctag in _TEXT_TAGS or not (event.ctag or event.implicit[0]):
            return ScalarNode(text, spot)
        value = resolve_word(text)
        if event.ctag and type(value) not in _SCALAR_TAGS.get(event.ctag, ()):
            self._refuse_tag(event)
        elif isinstance(value, float) and value - value != 0:
            self.found.lose(BAD_NUMBER, spot, quote(text))
        is_merge = text == "<<" and not event.ctag
        return ScalarNode(value, key if key and not text else spot, is_merge)

    def _compose_collection(self, event: CollectionStartEvent, depth: int) -> MapNode | ListNode:
        start = place_collection(event, event.end_mark, self.lines)
        if depth >= MAX_DEPTH:
            raise self.found.end(_TOO_DEEP, start)
        if event.flow_style:
            self.brackets.append(start)
        is_map = isinstance(event, MappingStartEvent)
        if event.ctag and event.ctag != (_MAP_TAG if is_map else _LIST_TAG):
            self._refuse_tag(event)
        parts, end = self._read_parts(depth + 1, is_map)
        if event.flow_style:
            self.brackets.pop()
        spot = place_collection(event, end, self.lines)
        if is_map:
            return MapNode(tuple(zip(parts[::2], parts[1::2], strict=True)), spot)
        return ListNode(tuple(parts), spot)

    def _read_parts(self, depth: int, is_map: bool) -> tuple[list[Node], StreamMark]:
        """Items, or keys and values in turn."""
        parts: list[Node] = []
        while not isinstance(event := self.next_event(), CollectionEndEvent):
            key = parts[-1].spot if is_map and len(parts) % 2 else None
            parts.append(self._compose(event, depth, key))
        return parts, event.end_mark

    def _refuse_tag(self, event: ScalarEvent | CollectionStartEvent) -> None:
        line, column, width = spot = place_tag(event, self.lines)
        self.found.lose(_TAG, spot, self.lines[line - 1][column - 1 :][:width])
