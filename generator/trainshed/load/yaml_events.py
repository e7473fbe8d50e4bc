"""libyaml's events as ruamel.yaml hands them on, with the types that ruamel.yaml does not state."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from ruamel.yaml import YAML
from ruamel.yaml.cyaml import CParser  # pyright: ignore[reportUnknownVariableType, reportAttributeAccessIssue]

if TYPE_CHECKING:

    class StreamMark:
        """A place, counted from 0."""

        line: int
        column: int

    class YAMLError(Exception):
        """Text that is not YAML."""

    class MarkedYAMLError(YAMLError):
        """A problem, and what was being read when it showed."""

        context: str | None
        context_mark: StreamMark | None
        problem: str | None
        problem_mark: StreamMark

    class Event:
        """A step through the text."""

        start_mark: StreamMark
        end_mark: StreamMark

    class DocumentStartEvent(Event):
        """Where a document begins, and the version that a `%YAML` line states."""

        version: tuple[int, int] | None

    class StreamEndEvent(Event):
        """The end of the text."""

    class AliasEvent(Event):
        """`*anchor`."""

        anchor: str

    class NodeEvent(Event):
        """The beginning of a value; `ctag` is its tag."""

        anchor: str | None
        ctag: str | None

    class ScalarEvent(NodeEvent):
        """A single value; `implicit[0]` tells whether it has neither quotes nor tag."""

        value: str
        implicit: tuple[bool, bool]
        style: str

    class CollectionStartEvent(NodeEvent):
        """The beginning of a map or list; `end_mark` lies behind its anchor, tag and bracket."""

        flow_style: bool

    class MappingStartEvent(CollectionStartEvent):
        """The beginning of a map."""

    class CollectionEndEvent(Event):
        """The end of a map or list."""
else:
    from ruamel.yaml.error import MarkedYAMLError, StreamMark, YAMLError
    from ruamel.yaml.events import (
        AliasEvent,
        CollectionEndEvent,
        CollectionStartEvent,
        DocumentStartEvent,
        Event,
        MappingStartEvent,
        NodeEvent,
        ScalarEvent,
        StreamEndEvent,
    )

__all__ = [
    "AliasEvent",
    "CollectionEndEvent",
    "CollectionStartEvent",
    "DocumentStartEvent",
    "Event",
    "MappingStartEvent",
    "MarkedYAMLError",
    "NodeEvent",
    "ScalarEvent",
    "StreamEndEvent",
    "StreamMark",
    "YAMLError",
    "open_events",
    "open_events_of_today",
]


class _Parser(Protocol):
    def get_event(self) -> Any: ...


def open_events(text: str) -> Callable[[], Any]:
    """A function that gives the next event of `text`, and raises YAMLError where the text is not YAML."""
    return cast("_Parser", CParser(text)).get_event


def open_events_of_today(text: str) -> Callable[[], Any]:
    """The same by ruamel.yaml's own parser, fifty times as slow, which takes what libyaml does not: `{image: a:1}`."""
    return cast("_Parser", YAML(typ="rt", pure=True).get_constructor_parser(text)[1]).get_event
