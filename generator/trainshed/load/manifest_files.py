"""Where manifests come from: files, folders and standard input; and what of them may be shown."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from msgspec.structs import replace

from trainshed.load.encoding import decode_text
from trainshed.load.files import list_files, read_text
from trainshed.load.manifests import read_manifest
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, Severity, error, has_errors, sort_findings
from trainshed.model.files import RenderedObject
from trainshed.model.inputs import GivenManifests
from trainshed.model.manifest import AppId
from trainshed.model.outcome import Outcome
from trainshed.model.source import Source

ReadInput: TypeAlias = Callable[[int], bytes]

STANDARD_INPUT = "-"
LIMIT_BYTES = 32 * 2**20
"""The size that one file of manifests may have."""

SUFFIXES = (".yaml", ".yml", ".json")
_INPUT = PurePosixPath("<stdin>")
_KUSTOMIZATIONS = frozenset({"kustomization.yaml", "kustomization.yml", "Kustomization"})
_BEGIN = re.compile(r"^(?=---)", re.MULTILINE)
_SECRET = re.compile(r"""kind["']?[ \t]*:[ \t]*["']?Secret\b""")


def read_manifests(
    root: Path, paths: Sequence[str], cluster: str, read_input: ReadInput
) -> Outcome[GivenManifests]:
    """Every object of the files, of the folders with all below them, and of `-`, which `read_input` reads.

    A file is named by its path below `root` if it lies there, otherwise from the top. No value without an object.
    """
    texts: dict[PurePosixPath, str] = {}
    findings: list[Diagnostic] = []
    for path in dict.fromkeys(paths):
        for name, text in _read_path(root, path, read_input):
            findings.extend(text.findings)
            if text.value is not None:
                texts[name] = text.value
    objects: list[RenderedObject] = []
    for name, text in texts.items():
        read, wrong = read_manifest(text, name, AppId(cluster, _app_of(name)))
        objects.extend(read)
        findings.extend(wrong)
    if not objects and not has_errors(findings):
        findings.append(_nothing_here(_shown_path(root, paths[0])))
    lines = {name: tuple(_lines_to_show(text)) for name, text in texts.items() if text}
    return Outcome(GivenManifests(tuple(objects), lines), sort_findings(findings))


def read_committed_objects(
    committed: Mapping[PurePosixPath, bytes], cluster: str
) -> Iterator[RenderedObject]:
    """What is committed for a cluster below `rendered/`, as far as it can be read: `check` says what cannot."""
    for path, content in committed.items():
        if path.parts[:2] == ("rendered", cluster):
            text = decode_text(content, path)
            yield from read_manifest(text.value or "", path, AppId(cluster, _app_of(path)))[0]


def _app_of(path: PurePosixPath) -> str:
    """The app of a file that was rendered, `rendered/<cluster>/<app>/<file>`; nothing for any other."""
    return "/".join(path.parts[2:-1]) if path.parts[0] == "rendered" else ""


def _read_path(root: Path, path: str, read_input: ReadInput) -> Iterator[tuple[PurePosixPath, Outcome[str]]]:
    shown = _shown_path(root, path)
    if path == STANDARD_INPUT:
        yield shown, _read_input(read_input)
    elif os.path.isdir(path):
        listed = list_files(Path(path), PurePosixPath(), SUFFIXES)
        yield shown, Outcome(None, _move(listed.findings, shown))
        for name in listed.value or ():
            yield shown / name, _read_file(Path(path), name, shown)
    else:
        yield shown, _read_file(Path(path).parent, PurePosixPath(Path(path).name), shown.parent)


def _read_file(folder: Path, name: PurePosixPath, shown: PurePosixPath) -> Outcome[str]:
    if name.name in _KUSTOMIZATIONS:
        return Outcome(None, (_pass_by(shown / name),))
    text = read_text(folder, name, LIMIT_BYTES)
    return Outcome(text.value, _move(text.findings, shown))


def _read_input(read_input: ReadInput) -> Outcome[str]:
    content = read_input(LIMIT_BYTES + 1)
    if len(content) > LIMIT_BYTES:
        summary = f"standard input has more than {LIMIT_BYTES} bytes"
        return Outcome(None, (error(Code.FILE_TOO_LARGE, Source(_INPUT), summary, "judge it in parts"),))
    return decode_text(content, _INPUT)


def _shown_path(root: Path, path: str) -> PurePosixPath:
    if path == STANDARD_INPUT:
        return _INPUT
    whole = PurePosixPath(os.path.abspath(path))
    top = PurePosixPath(os.path.abspath(root))
    return whole.relative_to(top) if whole.is_relative_to(top) else whole


def _move(findings: Findings, folder: PurePosixPath) -> Findings:
    """The findings at their files as they are shown, not as they were opened."""
    return tuple(
        replace(finding, source=replace(finding.source, path=folder / finding.source.path))
        for finding in findings
    )


def _pass_by(path: PurePosixPath) -> Diagnostic:
    return Diagnostic(
        code=Code.UNJUDGED,
        severity=Severity.NOTE,
        source=Source(path),
        summary=f"{path.name} is no manifest: it is passed by",
        detail=f"to judge what it builds: `kubectl kustomize {path.parent} | trainshed judge -`",
    )


def _nothing_here(path: PurePosixPath) -> Diagnostic:
    advice = f"name files with objects, folders that hold {', '.join(SUFFIXES)}, or - for standard input"
    return error(Code.EMPTY_FILE, Source(path), "there is no object here", advice)


def _lines_to_show(text: str) -> Iterator[str | None]:
    """The lines of a file, None for those of documents that speak of a Secret."""
    parts = _BEGIN.split(text)
    for number, part in enumerate(parts, 1):
        lines = part.split("\n")
        lines = lines if number == len(parts) else lines[:-1]
        yield from [None] * len(lines) if _SECRET.search(part) else lines
