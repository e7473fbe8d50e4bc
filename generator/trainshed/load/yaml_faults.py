"""What a person did when libyaml gives up: its scanner's and parser's words, translated."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from trainshed.load.yaml_events import MarkedYAMLError, StreamMark, YAMLError
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.source import Source
from trainshed.model.tree import Spot


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem in our words; `at_opening` points at what was begun, not at where reading stopped."""

    summary: str
    detail: str
    at_opening: bool = False
    code: Code = Code.YAML_SYNTAX


_QUOTE_IT = 'put the value in quotes: "…"'
_NO_TAGS = 'tags (words that begin with "!") are not read; remove it, or put the value in quotes'
_ESCAPES = (
    'in double quotes, write a backslash as "\\\\"; or use single quotes, where it is a plain character'
)
_DIRECTIVE = Fault('a line that begins with "%" is not read', 'remove it, or put the value in quotes: "%…"')
_OPEN_QUOTE = Fault(
    "this quote is not closed", "close it; a quote within the text is written twice: 'it''s'", at_opening=True
)
_TAG = Fault("this is no YAML tag", _NO_TAGS, at_opening=True, code=Code.YAML_TAG)
_UNKNOWN = Fault(
    "this is not YAML", "look at the indentation, colons, quotes and brackets here and just above"
)

_FAULTS: dict[str, Fault] = {
    "mapping values are not allowed in this context": Fault(
        "a colon stands where no field can begin",
        "if it belongs to the value, put that in quotes; if it ends a field's name, look at the indentation",
    ),
    "could not find expected ':'": Fault(
        "a line stands alone, without a colon",
        'write "field: value", or indent it as part of the text above',
        True,
    ),
    "did not find expected key": Fault(
        "this does not line up with what stands above", "indent it like its neighbours"
    ),
    "did not find expected '-' indicator": Fault(
        "the list above goes on with something that is no item",
        'begin it with "- " if it is one; otherwise look at the indentation of the list and of this line',
    ),
    "did not find expected ',' or ']'": Fault(
        "this list is not closed, or lacks a comma", 'separate its items by "," and end it with "]"', True
    ),
    "did not find expected ',' or '}'": Fault(
        "this map is not closed, or lacks a comma", 'separate its fields by "," and end it with "}"', True
    ),
    "did not find expected node content": Fault(
        "a value or item is missing here", "look for a comma or bracket too many, or one that is missing"
    ),
    "found unexpected ':'": Fault("a colon stands in the middle of a value", _QUOTE_IT),
    "found unexpected end of stream": _OPEN_QUOTE,
    "found unexpected document indicator": _OPEN_QUOTE,
    "found unknown escape character": Fault("this is no escape that YAML knows", _ESCAPES),
    "did not find expected hexdecimal number": Fault("this escape lacks its hexadecimal digits", _ESCAPES),
    "found invalid Unicode character escape code": Fault("this escape stands for no character", _ESCAPES),
    "block sequence entries are not allowed in this context": Fault(
        "a list cannot begin here", 'begin "- " on a line of its own, under its field'
    ),
    "mapping keys are not allowed in this context": Fault('a "?" cannot begin a value', _QUOTE_IT),
    "did not find expected comment or line break": Fault(
        'text stands behind "|" or ">"',
        'begin the text on the next line, indented; or put a value with "|" in quotes',
    ),
    "found an indentation indicator equal to 0": Fault('"|0" is no indentation', 'write "|"'),
    "did not find expected alphabetic or numeric character": Fault(
        'a value cannot begin with a bare "*" or "&"', _QUOTE_IT, at_opening=True
    ),
    "did not find expected <document start>": Fault(
        "this belongs to nothing above", "look at the indentation; a bracket or quote may be closed too early"
    ),
    "found character that cannot start any token": Fault('"{found}" cannot begin a value', _QUOTE_IT),
    "found incompatible YAML document": _DIRECTIVE,
    "found duplicate %TAG directive": _DIRECTIVE,
    "found undefined tag handle": _TAG,
}

_FAULTS_BY_CONTEXT: dict[str, Fault] = {
    "while scanning a directive": _DIRECTIVE,
    "while scanning a %YAML directive": _DIRECTIVE,
    "while scanning a %TAG directive": _DIRECTIVE,
    "while parsing a %TAG directive": _DIRECTIVE,
    "while scanning a tag": _TAG,
    "while parsing a tag": _TAG,
}

_INDENT = re.compile(r"[ ?:-]*\t")
_TAB = Fault(
    "a tab stands where spaces must indent",
    "indent with spaces; editors can turn tabs into them",
    code=Code.YAML_TAB,
)
_TRAILING = Fault("this follows a value that is already complete", "put the whole value in quotes, once")
_OPEN_BRACKET = Fault("this bracket is not closed", 'end the list with "]", or the map with "}"')


@dataclass(frozen=True, slots=True)
class Stop:
    """Where libyaml gave up: what it says, and in which text."""

    cause: YAMLError
    lines: Sequence[str]
    path: PurePosixPath
    opening: Spot | None
    """The innermost "[" or "{" that was still open."""


def explain_stop(stop: Stop) -> Diagnostic:
    """One finding in the words of a person who writes specs, where the mistake is likeliest."""
    if not isinstance(stop.cause, MarkedYAMLError):
        return error(Code.YAML_SYNTAX, Source(stop.path), _UNKNOWN.summary, _UNKNOWN.detail)
    problem, context = str(stop.cause.problem), str(stop.cause.context)
    line, column = _clamp(stop.cause.problem_mark, stop.lines)
    place = Source(stop.path, line, column)
    found = stop.lines[line - 1][column - 1 : column]
    tab = _INDENT.match(stop.lines[line - 1], 0, column)
    if tab:
        return _report(_TAB, Source(stop.path, line, tab.end()))
    if not found and stop.opening and problem == "did not find expected node content":
        return _report(_OPEN_BRACKET, Source(stop.path, *stop.opening))
    if problem == "did not find expected key" and stop.lines[line - 1][: column - 1].strip():
        return _report(_TRAILING, place)
    fault = _FAULTS_BY_CONTEXT.get(context) or _FAULTS.get(problem, _UNKNOWN)
    if fault.at_opening and stop.cause.context_mark:
        opening = Source(stop.path, *_clamp(stop.cause.context_mark, stop.lines))
        return _report(
            fault, opening, () if opening.line == line else (Related(place, "reading stopped here"),)
        )
    return _report(fault, place, found=found)


def _report(fault: Fault, source: Source, related: tuple[Related, ...] = (), found: str = "") -> Diagnostic:
    return error(fault.code, source, fault.summary.replace("{found}", found), fault.detail, related)


def _clamp(mark: StreamMark, lines: Sequence[str]) -> tuple[int, int]:
    """Line and column from 1. Marks count from 0, and the last may lie behind the end of the text."""
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    if mark.line > last:
        return last + 1, len(lines[last].rstrip()) + 1
    return mark.line + 1, min(mark.column, len(lines[mark.line])) + 1
