"""JSON manifests to nodes: one object or several after one another, as kubectl takes them."""

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from json.decoder import scanstring  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from typing import TypeVar

from trainshed.load.manifest_nodes import MAX_DEPTH, Document, ListNode, MapNode, Node, ScalarNode
from trainshed.load.manifest_scalars import Scalar, fit_number
from trainshed.model.tree import Spot

T = TypeVar("T")

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,400})(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: tuple[tuple[str, Scalar], ...] = (("true", True), ("false", False), ("null", None))


def read_json_documents(text: str) -> list[Document] | None:
    """The objects in the text; None where it is no JSON, which readers take for YAML then."""
    scanner = _Scanner(text)
    if not text.startswith("{", scanner.skip(0)):
        return None
    try:
        return scanner.scan_all()
    except ValueError:
        return None


class _Scanner:
    """Text, and where its lines begin. Everything raises ValueError where the text is no JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *accumulate(len(line) for line in text.splitlines(keepends=True))]

    def skip(self, at: int) -> int:
        """The next index at which something is written."""
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def scan_all(self) -> list[Document]:
        """Every object up to the end of the text."""
        documents: list[Document] = []
        at = self.skip(0)
        while at < len(self.text):
            node, end = self._scan_value(at, 0)
            documents.append(Document(node, self._place(at, at)[0], self._place(end, end)[0]))
            at = self.skip(end)
        return documents

    def _scan_value(self, at: int, depth: int) -> tuple[Node, int]:
        if depth > MAX_DEPTH:
            raise ValueError("too deep")
        match self.text[at : at + 1]:
            case "{":
                pairs, end = self._scan_parts(at, "}", lambda start: self._scan_pair(start, depth))
                return MapNode(tuple(pairs), self._place(at, end)), end
            case "[":
                items, end = self._scan_parts(at, "]", lambda start: self._scan_value(start, depth + 1))
                return ListNode(tuple(items), self._place(at, end)), end
            case '"':
                return self._scan_text(at)
            case _:
                return self._scan_word(at)

    def _scan_parts(self, at: int, closing: str, scan: Callable[[int], tuple[T, int]]) -> tuple[list[T], int]:
        parts: list[T] = []
        at = self.skip(at + 1)
        while not self.text.startswith(closing, at):
            if parts:
                at = self.skip(self._expect(",", at))
            part, end = scan(at)
            parts.append(part)
            at = self.skip(end)
        return parts, at + 1

    def _scan_pair(self, at: int, depth: int) -> tuple[tuple[Node, Node], int]:
        key, end = self._scan_text(at)
        value, end = self._scan_value(self.skip(self._expect(":", self.skip(end))), depth + 1)
        return (key, value), end

    def _scan_text(self, at: int) -> tuple[ScalarNode, int]:
        value, end = scanstring(self.text, self._expect('"', at))
        value.encode("utf-8")
        return ScalarNode(value, self._place(at, end)), end

    def _scan_word(self, at: int) -> tuple[ScalarNode, int]:
        for word, value in _WORDS:
            if self.text.startswith(word, at):
                return ScalarNode(value, self._place(at, at + len(word))), at + len(word)
        match = _NUMBER.match(self.text, at)
        number = float(match[0]) if match else float("inf")
        if match is None or number - number != 0:
            raise ValueError("no JSON")
        whole = not (match[1] or match[2])
        return ScalarNode(
            fit_number(int(match[0])) if whole else number, self._place(at, match.end())
        ), match.end()

    def _expect(self, character: str, at: int) -> int:
        if not self.text.startswith(character, at):
            raise ValueError("no JSON")
        return at + 1

    def _place(self, start: int, end: int) -> Spot:
        """From `start` to `end`, or to the end of the line that `start` is in."""
        line = bisect_right(self.starts, start)
        line_start = self.starts[line - 1]
        line_end = self.starts[line] if line < len(self.starts) else len(self.text)
        shown = len(self.text[start : min(end, line_end)].rstrip())
        return line, start - line_start + 1, max(1, shown)
