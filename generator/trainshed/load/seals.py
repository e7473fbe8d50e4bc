"""Seals and the files they speak of, as they are committed; each hash is checked."""

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TypeAlias

from msgspec import DecodeError, ValidationError
from msgspec.json import Decoder
from msgspec.structs import replace

from trainshed.load.encoding import decode_text
from trainshed.model.codes import Code
from trainshed.model.conflicts import find_conflict
from trainshed.model.diagnostic import Diagnostic, error, sort_findings
from trainshed.model.manifest import AppId
from trainshed.model.naming import job_app, run_name
from trainshed.model.outcome import Outcome
from trainshed.model.seal import DIGEST_VERSION, Seal, SealedRun, SealedRuns, seal_path, sealed_app
from trainshed.model.source import Source

Files: TypeAlias = Mapping[PurePosixPath, bytes]
Shelf: TypeAlias = Mapping[str, PurePosixPath]
"""The files of one folder, by name."""
Shelves: TypeAlias = Mapping[tuple[str, ...], Shelf]
"""By the names of a folder and of those above it."""

LIMIT_BYTES = 2**20

_READER = Decoder(Seal)
_BYTE = re.compile(r" \(byte (\d+)\)$")
_NAMES = re.compile(r"\w+")


def load_seals(before: Files, now: Files) -> Outcome[SealedRuns]:
    """The sealed runs of `before`, with what commands have recorded in the seals of `now`.

    That is how a run ended, and why it was rendered anew. Both are the same files where there is no base. A seal that
    cannot be read, or speaks of another place than its own, is a finding then; a base has the last word about what it
    holds, and what it cannot say itself is taken from the change that mends it.
    """
    findings: list[Diagnostic] = []
    told = _read_all(now, findings)
    bound = told
    if before is not now:
        findings, unreadable = [], list[Diagnostic]()
        bound = _read_all(before, unreadable)
        lost = {finding.source.path for finding in unreadable}
        bound |= {path: told[path] for path in lost & told.keys()}
    runs: dict[AppId, list[SealedRun]] = {}
    shelves = _shelve(before)
    for path, seal in bound.items():
        app = AppId(seal.cluster, job_app(seal.team, seal.job))
        newest = _tell(seal, told.get(path))
        run = _open(newest, path, app, before, shelves)
        renewed = newest.resealed != seal.resealed
        runs.setdefault(app, []).append(replace(run, renewed=True) if renewed else run)
    found = {app: tuple(sealed) for app, sealed in runs.items()}
    return Outcome(None if findings else MappingProxyType(found), sort_findings(findings))


def read_seals(files: Files) -> dict[PurePosixPath, Seal]:
    """The seals among some files, by path; what is none is passed by."""
    return _read_all(files, [])


def _read_all(files: Files, findings: list[Diagnostic]) -> dict[PurePosixPath, Seal]:
    seals: dict[PurePosixPath, Seal] = {}
    for path in sorted(path for path in files if sealed_app(path) is not None):
        seal = _read(path, files[path])
        if isinstance(seal, Diagnostic):
            findings.append(seal)
        else:
            seals[path] = seal
    return seals


def _read(path: PurePosixPath, content: bytes) -> Seal | Diagnostic:
    if len(content) > LIMIT_BYTES:
        return _refuse(path, 1, 1, "it is larger than any seal")
    conflict = find_conflict(content)
    if conflict:
        return _refuse(path, conflict, 1, "it holds the conflict markers of a merge")
    text = decode_text(content, path)
    if text.value is None:
        (first, *_) = text.findings
        return _refuse(path, first.source.line, first.source.column, first.summary)
    try:
        seal = _READER.decode(text.value)
    except ValidationError as wrong:
        return _explain_shape(path, text.value, str(wrong))
    except DecodeError as wrong:
        return _explain_text(path, text.value, str(wrong))
    if path != seal_path(AppId(seal.cluster, job_app(seal.team, seal.job)), seal.run):
        return _refuse(path, 1, 1, f"it speaks of {seal.run} of {seal.team}/{seal.job} on {seal.cluster}")
    if seal.run != run_name(seal.job, seal.digest, seal.attempt):
        line, column = _place(text.value, "digest")
        return _refuse(path, line, column, "its digest and attempt name another run")
    if seal.digest_version != DIGEST_VERSION:
        line, column = _place(text.value, "digest_version")
        return _refuse(path, line, column, f"this trainshed takes digests by rule {DIGEST_VERSION}")
    names = [*seal.files, *seal.claims, *seal.shared]
    strange = next((name for name in names if "/" in name or name in ("", ".", "..")), None)
    if strange is not None:
        line, column = _place(text.value, strange)
        return _refuse(path, line, column, "it names a file that is not beside its run's objects")
    return seal


def _explain_shape(path: PurePosixPath, text: str, why: str) -> Diagnostic:
    """What msgspec says of a value: "Expected `int`, got `str` - at `$.attempt`", or of a field: "… field `files`"."""
    words, _, place = why.partition(" - at ")
    field = next(iter(_NAMES.findall(place or words.rpartition(" ")[2])), "")
    line, column = _place(text, field)
    told = words[:1].lower() + words[1:].replace("`", "")
    return _refuse(path, line, column, f"{field}: {told}" if place else told)


def _explain_text(path: PurePosixPath, text: str, why: str) -> Diagnostic:
    """What msgspec says of what is no JSON: "JSON is malformed: … (byte 14)", or that it ends too early."""
    at = _BYTE.search(why)
    before = text.encode()[: int(at[1]) if at else None].decode("utf-8", "ignore")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return _refuse(path, line, column, _BYTE.sub("", why))


def _place(text: str, word: str) -> tuple[int, int]:
    """Line and column of a key; the beginning where it is not written."""
    at = text.find(f'"{word}"')
    if not word or at < 0:
        return 1, 1
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _refuse(path: PurePosixPath, line: int, column: int, why: str) -> Diagnostic:
    return error(
        Code.BAD_SEAL,
        Source(path, line, column),
        f"{path.name} is no seal: {why}",
        "seals are written by trainshed: `trainshed render --base origin/main` puts it back as it was merged, and "
        "removes it with a run that no spec asks for",
    )


def _tell(seal: Seal, now: Seal | None) -> Seal:
    """The seal with what the working tree's says that only commands write."""
    if now is None or now is seal:
        return seal
    return replace(seal, outcome=now.outcome, resealed=now.resealed)


def _shelve(files: Files) -> Shelves:
    """The files of each folder; none is read."""
    shelves: dict[tuple[str, ...], dict[str, PurePosixPath]] = {}
    for path in files:
        *folder, name = path.parts
        shelves.setdefault(tuple(folder), {})[name] = path
    return shelves


def _open(seal: Seal, path: PurePosixPath, app: AppId, files: Files, shelves: Shelves) -> SealedRun:
    folder = app.folder
    beside, below = shelves.get(folder.parts, {}), shelves.get(("overlays", app.app, "base"), {})
    own, claims = _intact(seal.files, beside, files), _intact(seal.claims, beside, files)
    shared = _intact(seal.shared, below, files)
    whole = len(shared) == len(seal.shared)
    intact = {path.name for path in (*own, *claims)}
    broken = {folder / name for name in (*seal.files, *seal.claims) if name not in intact}
    return SealedRun(seal, path, own, claims, shared if whole else {}, tuple(sorted(broken)))


def _intact(hashes: Mapping[str, str], shelf: Shelf, files: Files) -> dict[PurePosixPath, bytes]:
    """The files that are what was sealed."""
    there = ((shelf[name], digest) for name, digest in hashes.items() if name in shelf)
    found = ((path, files[path], digest) for path, digest in there)
    return {path: content for path, content, digest in found if sha256(content).hexdigest() == digest}
