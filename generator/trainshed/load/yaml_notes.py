"""What is found while a document is read, and the sentences for it."""

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypeAlias

from trainshed.load.yaml_limits import MAX_ALIASES, MAX_DEPTH, MAX_EXPANDED_NODES, MAX_SCALAR_LENGTH
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.source import Source
from trainshed.model.tree import Spot

Note: TypeAlias = tuple[Code, str, str]
"""Code, summary and detail; braces in a summary are filled in when it is noted."""


class EndOfReading(Exception):
    """Ends the reading of a document from within its nodes; caught where the reading began."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.summary)
        self.finding = finding


@dataclass(slots=True)
class Notes:
    """The findings of one reading. `is_whole` tells whether every value of the document could be read."""

    path: PurePosixPath
    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    is_whole: bool = True

    def report(self, note: Note, spot: Spot, *words: object, first: Spot | None = None) -> None:
        """Enters a finding; `first` is the place that came before it."""
        related = [Related(Source(self.path, *first), "first written here")] if first else []
        self.findings.append(self._write(note, spot, words, related))

    def lose(self, note: Note, spot: Spot, *words: object) -> None:
        """Enters a finding about what leaves a hole in the document."""
        self.is_whole = False
        self.report(note, spot, *words)

    def end(self, note: Note, spot: Spot, *words: object) -> EndOfReading:
        """The exception to raise where nothing after `spot` can be read."""
        return EndOfReading(self._write(note, spot, words, []))

    def _write(self, note: Note, spot: Spot, words: tuple[object, ...], related: list[Related]) -> Diagnostic:
        code, summary, detail = note
        return error(code, Source(self.path, *spot), summary.format(*words), detail, related)


_BEGIN = 'begin with "apiVersion: trainshed/v1" and "kind: TrainingJob"'
_WRITE_OUT = "write the values out, or take them from a preset with `extends`"

EMPTY: Note = (Code.EMPTY_FILE, "this file holds no spec", _BEGIN)
NO_MAP: Note = (Code.WRONG_TYPE, "expected a map of fields, found {}", _BEGIN)
OLD_VERSION: Note = (
    Code.YAML_SYNTAX,
    "only YAML 1.2 is read",
    'remove the line that begins with "%YAML"',
)
SECOND_DOCUMENT: Note = (
    Code.YAML_DOCUMENTS,
    "a second document begins here",
    'a file holds one spec: move what follows "---" to a file of its own',
)
TOO_DEEP: Note = (
    Code.YAML_DEPTH,
    f"maps and lists are nested more than {MAX_DEPTH} deep",
    "no spec needs this; look for brackets too many",
)
TOO_LONG: Note = (
    Code.YAML_LENGTH,
    f"this value has {{}} characters, more than {MAX_SCALAR_LENGTH}",
    "keep long text in a file of its own, beside the spec",
)
BAD_NUMBER: Note = (
    Code.YAML_NUMBER,
    "{} is no number that every reader can hold",
    "write a smaller number, or put it in quotes if it is text",
)
TAG: Note = (
    Code.YAML_TAG,
    'tag "{}" is not read',
    "remove it; to make a number or a word such as true into text, put it in quotes",
)
KEY_TWICE: Note = (Code.DUPLICATE_KEY, "{} is written twice", "keep one of them")
KEY_NO_TEXT: Note = (Code.YAML_KEY, "this key is {}, not text", "put it in quotes if it is meant as text")
KEY_NO_WORD: Note = (
    Code.YAML_KEY,
    "a map, list or alias cannot be a key",
    'write the key as plain text; put it in quotes if it begins with "[", "{" or "*"',
)
MERGE_KEY: Note = (
    Code.YAML_MERGE,
    'merge key "<<" is not read',
    'take over the fields of a preset with "extends: [<preset>]", or repeat them here',
)
MANY_ALIASES: Note = (Code.YAML_ALIASES, f"more than {MAX_ALIASES} aliases in one file", _WRITE_OUT)
LARGE_ALIASES: Note = (
    Code.YAML_ALIASES,
    f"the aliases of this file repeat more than {MAX_EXPANDED_NODES} values",
    _WRITE_OUT,
)
ALIAS_WITHIN: Note = (Code.YAML_ALIASES, 'alias "*{0}" stands within "&{0}"', _WRITE_OUT)
ALIAS_OF_NOTHING: Note = (
    Code.YAML_ALIASES,
    'alias "*{0}" repeats nothing: there is no "&{0}" above it',
    'if the star belongs to the text, put it in quotes: "*…"',
)
