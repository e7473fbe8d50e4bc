"""Text that is safe and aligned on a terminal, whatever stands in the file it comes from."""

import unicodedata
from dataclasses import dataclass

_TAB = "→   "
_ELLIPSIS = "…"
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_PLAIN = range(0x20, 0x7F)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a line as shown, and where the word begins in it and how wide it is, in columns."""

    text: str
    offset: int
    width: int


def make_visible(text: str) -> str:
    """The text with every character that could drive or deceive a terminal spelled out."""
    return text if text.isascii() and text.isprintable() else "".join(map(_show, text))


def count_columns(text: str) -> int:
    """The columns that visible text takes: two for wide East Asian characters, none for combining ones."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def excerpt_word(line: str, column: int, width: int, limit: int = 100, margin: int = 30) -> Excerpt:
    """The line around the word at `column` (from 1, in characters), cut to `limit` columns and two ellipses.

    As much stands before the word as leaves `margin` columns after it. A word that begins beyond the
    line's end is shown right after it.
    """
    start = min(column - 1, len(line))
    stop = max(start, min(start + width, len(line)))
    first = max(0, start - limit)
    shown = [make_visible(character) for character in line[first : start + limit]]
    widths = [count_columns(glyph) for glyph in shown]
    word = start - first
    begin = 0
    if first or sum(widths) > limit:
        while sum(widths[begin:word]) > margin and sum(widths[begin : stop - first]) > limit - margin:
            begin += 1
    end = begin
    room = limit
    while end < len(shown) and widths[end] <= room:
        room -= widths[end]
        end += 1
    lead = _ELLIPSIS if first + begin else ""
    trail = _ELLIPSIS if first + end < len(line) else ""
    return Excerpt(
        text=lead + "".join(shown[begin:end]) + trail,
        offset=len(lead) + sum(widths[begin:word]),
        width=max(1, sum(widths[word : min(stop - first, end)])),
    )


def _show(character: str) -> str:
    code = ord(character)
    if code in _PLAIN:
        return character
    if character == "\t":
        return _TAB
    if code < ord(" "):
        return chr(0x2400 + code)
    return f"<U+{code:04X}>" if unicodedata.category(character) in _UNSAFE else character


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
