"""Where values stand, as a person would point at them: without anchor and tag, on one line.

The marks of events count lines and columns from 0; ours count from 1.
"""

import re
from collections.abc import Sequence

from trainshed.load.yaml_events import CollectionStartEvent, Event, NodeEvent, ScalarEvent, StreamMark
from trainshed.model.tree import Spot

_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]+)+(?=[^\s#])")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")
_TAG = re.compile(r"!\S*")
_FIRST_WORD = re.compile(r"[^\s:]+")


def place_event(event: Event) -> Spot:
    """The event from its first to its last character, or one character if it has several lines or none."""
    start, end = event.start_mark, event.end_mark
    width = end.column - start.column if end.line == start.line else 1
    return start.line + 1, start.column + 1, max(width, 1)


def place_scalar(event: ScalarEvent, lines: Sequence[str]) -> Spot:
    """The first line of a value; of a block of text, its `|` or `>`."""
    start, end = event.start_mark, event.end_mark
    line, column = start.line, start.column
    if event.anchor or event.ctag:
        properties = _PROPERTIES.match(lines[line], column)
        column = properties.end() if properties else column
    if end.line == line:
        return line + 1, column + 1, max(end.column - column, 1)
    header = _BLOCK_HEADER.match(lines[line], column) if event.style in ("|", ">") else None
    width = header.end() - column if header else len(lines[line].rstrip()) - column
    return line + 1, column + 1, max(width, 1)


def place_collection(event: CollectionStartEvent, end: StreamMark, lines: Sequence[str]) -> Spot:
    """`{…}` or `[…]` up to the end of its first line; of a block, its first word or dash."""
    if not event.flow_style:
        start = event.end_mark if event.anchor or event.ctag else event.start_mark
        line, column = start.line, start.column
        word = _FIRST_WORD.match(lines[line], column)
        return line + 1, column + 1, len(word.group()) if word else 1
    line, column = event.end_mark.line, event.end_mark.column
    end_column = end.column if end.line == line else len(lines[line].rstrip())
    return line + 1, column, max(end_column - column + 1, 1)


def place_tag(event: NodeEvent, lines: Sequence[str]) -> Spot:
    """The tag before a value."""
    line, column = event.start_mark.line, event.start_mark.column
    tag = _TAG.search(lines[line], column)
    return (line + 1, tag.start() + 1, len(tag.group())) if tag else (line + 1, column + 1, 1)
