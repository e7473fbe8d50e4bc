"""For `check`: where the committed files are not what the specs say."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.conflicts import find_conflict
from trainshed.model.diagnostic import Diagnostic, Findings, error, sort_findings
from trainshed.model.seal import refuse_change
from trainshed.model.source import Source
from trainshed.report.changes import Changes

RENDERED = "rendered"
_EXPECTED_WIDTH = 80


def find_drift(
    changes: Changes,
    specs: Mapping[PurePosixPath, PurePosixPath],
    sealed: Mapping[PurePosixPath, str],
    base: str | None = None,
) -> Findings:
    """One error for each file that a render would write or remove, sorted.

    `specs` maps a generated file to the spec to edit instead; files without one may be left out. `sealed` maps the
    files of sealed runs to their runs: those are nobody's to write. `base` is what the change is compared with, if
    anything is.
    """
    render = f"`trainshed render --base {base}`" if base else "`trainshed render`"

    def find_all() -> Iterator[Diagnostic]:
        for check, paths in (
            (_tell_missing, changes.added),
            (_tell_stale, changes.changed),
            (_tell_foreign, changes.removed),
        ):
            for path in paths:
                conflict = find_conflict(changes.found.get(path, b""))
                if conflict:
                    yield _tell_conflict(path, conflict, render)
                elif path in sealed:
                    yield refuse_change(path, sealed[path], base)
                else:
                    yield check(path, changes, render, specs.get(path))

    return sort_findings(find_all())


def _tell_conflict(path: PurePosixPath, line: int, render: str) -> Diagnostic:
    return error(
        Code.STALE_FILE,
        Source(path, line),
        f"{path.name} holds the conflict markers of a merge",
        f"make the specs say what both branches want, then run {render}, which writes the file anew, and `git add` it",
    )


def _tell_missing(path: PurePosixPath, _: Changes, render: str, spec: PurePosixPath | None) -> Diagnostic:
    advice = f"run {render} and commit the result"
    if spec is not None:
        advice += f"; to be rid of it edit {spec}"
    return error(Code.MISSING_FILE, Source(path), f"{path.name} is not there", advice)


def _tell_foreign(path: PurePosixPath, _: Changes, render: str, spec: PurePosixPath | None) -> Diagnostic:
    advice = f"delete it, or run {render}, which does, and commit the result"
    if spec is not None and path.parts[0] == RENDERED:
        advice += f"; an object that was added by hand belongs in {spec}, under `rawObjects`"
    return error(Code.FOREIGN_FILE, Source(path), f"{path.name} is made by no spec", advice)


def _tell_stale(path: PurePosixPath, changes: Changes, render: str, spec: PurePosixPath | None) -> Diagnostic:
    place, expected = find_difference(path, changes.found[path], changes.wanted[path])
    advice = f"{expected}\nrun {render} and commit the result"
    if spec is not None:
        advice += f"; what was changed by hand belongs in {spec}, under `patches` where no field says it"
    return error(Code.STALE_FILE, place, f"{path.name} is not what the specs say", advice)


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
