"""For `check`: where the committed files are not what the specs say."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, error, sort_findings
from trainshed.model.source import Source
from trainshed.report.changes import Changes

_RENDER = "run `trainshed render` and commit the result"
_EXPECTED_WIDTH = 80


def find_drift(changes: Changes, specs: Mapping[PurePosixPath, PurePosixPath]) -> Findings:
    """One error for each file that a render would write or remove, sorted.

    `specs` maps a generated file to the spec to edit instead; files without one may be left out.
    """

    def find_all() -> Iterator[Diagnostic]:
        for check, paths in (
            (_tell_missing, changes.added),
            (_tell_stale, changes.changed),
            (_tell_foreign, changes.removed),
        ):
            for path in paths:
                yield check(path, changes, _advise(specs.get(path)))

    return sort_findings(find_all())


def _advise(spec: PurePosixPath | None) -> str:
    return f"{_RENDER}; to change it by hand edit {spec}" if spec else _RENDER


def _tell_missing(path: PurePosixPath, _: Changes, advice: str) -> Diagnostic:
    return error(Code.MISSING_FILE, Source(path), f"{path.name} is not there", advice)


def _tell_foreign(path: PurePosixPath, _: Changes, __: str) -> Diagnostic:
    advice = "delete it, or run `trainshed render`, which does, and commit the result"
    return error(Code.FOREIGN_FILE, Source(path), f"{path.name} is made by no spec", advice)


def _tell_stale(path: PurePosixPath, changes: Changes, advice: str) -> Diagnostic:
    place, expected = find_difference(path, changes.found[path], changes.wanted[path])
    return error(Code.STALE_FILE, place, f"{path.name} is not what the specs say", f"{expected}\n{advice}")


def find_difference(path: PurePosixPath, found: bytes, wanted: bytes) -> tuple[Source, str]:
    """The first word that differs in `found`, and what the specs say in its line."""
    start = _count_shared(found, wanted)
    line_start = found.rfind(b"\n", 0, start) + 1
    found_line = _line_at(found, line_start)
    wanted_line = _line_at(wanted, line_start)
    column = len(found[line_start:start].decode(errors="ignore"))
    tail = _count_shared(found_line[column:][::-1], wanted_line[column:][::-1])
    width = max(1, len(found_line) - column - tail)
    source = Source(path, found.count(b"\n", 0, start) + 1, column + 1, width)
    return source, _tell_expected(wanted, line_start, wanted_line, found_line)


def _tell_expected(wanted: bytes, line_start: int, wanted_line: str, found_line: str) -> str:
    if line_start >= len(wanted):
        return "the specs say that the file ends before this line"
    if wanted_line == found_line:
        return "the specs say that a line break ends this line"
    if wanted_line == found_line.removesuffix("\r"):
        return "the lines end with CR LF: mark the generated folders with `-text` in .gitattributes"
    text = wanted_line.strip()
    return f"the specs say: {text if len(text) <= _EXPECTED_WIDTH else text[: _EXPECTED_WIDTH - 1] + '…'}"


def _count_shared(left: bytes | str, right: bytes | str) -> int:
    """The length of the beginning that both share, found by halving."""
    shared, limit = 0, min(len(left), len(right))
    while shared < limit:
        middle = (shared + limit + 1) // 2
        if left[shared:middle] == right[shared:middle]:
            shared = middle
        else:
            limit = middle - 1
    return shared


def _line_at(content: bytes, start: int) -> str:
    return content[start:].split(b"\n", 1)[0].decode(errors="replace")
