"""Seals and the files they speak of, as they are committed; each hash is checked."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from types import MappingProxyType

from pydantic import TypeAdapter, ValidationError

from trainshed.load.encoding import decode_text
from trainshed.model.codes import Code
from trainshed.model.conflicts import find_conflict
from trainshed.model.diagnostic import Diagnostic, error, sort_findings
from trainshed.model.manifest import AppId
from trainshed.model.naming import job_app, run_name
from trainshed.model.outcome import Outcome
from trainshed.model.seal import DIGEST_VERSION, Seal, SealedRun, SealedRuns, seal_path, sealed_app
from trainshed.model.source import Source

Files = Mapping[PurePosixPath, bytes]

LIMIT_BYTES = 2**20

_WRITTEN = TypeAdapter(Seal)
_SPOT = re.compile(r"(?P<why>.*) at line (?P<line>\d+) column (?P<column>\d+)")
"""Where JSON stops being JSON, as pydantic says it."""


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
    for path, seal in bound.items():
        app = AppId(seal.cluster, job_app(seal.team, seal.job))
        newest = _tell(seal, told.get(path))
        run = _open(newest, path, app, before)
        runs.setdefault(app, []).append(replace(run, renewed=newest.resealed != seal.resealed))
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
        seal = _WRITTEN.validate_json(text.value)
    except ValidationError as wrong:
        return _explain(path, text.value, wrong)
    if path != seal_path(AppId(seal.cluster, job_app(seal.team, seal.job)), seal.run):
        return _refuse(path, 1, 1, f"it speaks of {seal.run} of {seal.team}/{seal.job} on {seal.cluster}")
    if seal.run != run_name(seal.job, seal.digest, seal.attempt):
        line, column = _place(text.value, "digest")
        return _refuse(path, line, column, "its digest and attempt name another run")
    if seal.digest_version != DIGEST_VERSION:
        line, column = _place(text.value, "digest_version")
        return _refuse(path, line, column, f"this trainshed takes digests by rule {DIGEST_VERSION}")
    names = [*seal.files, *seal.claims, *seal.shared]
    strange = next((name for name in names if PurePosixPath(name).name != name or name in ("", "..")), None)
    if strange is not None:
        line, column = _place(text.value, strange)
        return _refuse(path, line, column, "it names a file that is not beside its run's objects")
    return seal


def _explain(path: PurePosixPath, text: str, wrong: ValidationError) -> Diagnostic:
    (first, *_) = wrong.errors(include_url=False, include_input=False)
    spot = _SPOT.fullmatch(first["msg"])
    if spot:
        return _refuse(path, int(spot["line"]), int(spot["column"]), spot["why"])
    field = next((str(step) for step in first["loc"]), "")
    line, column = _place(text, field)
    return _refuse(path, line, column, f"{field or 'the document'}: {first['msg']}")


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


def _open(seal: Seal, path: PurePosixPath, app: AppId, files: Files) -> SealedRun:
    shared_folder = PurePosixPath("overlays", app.app, "base")
    places = ((seal.files, app.folder), (seal.claims, app.folder), (seal.shared, shared_folder))
    found = [dict(_intact(hashes, folder, files)) for hashes, folder in places]
    wanted = ({folder / name for name in hashes} for hashes, folder in places[:2])
    broken = {path for paths, intact in zip(wanted, found, strict=False) for path in paths - intact.keys()}
    own, claims, shared = found
    whole = len(shared) == len(seal.shared)
    return SealedRun(seal, path, own, claims, shared if whole else {}, tuple(sorted(broken)))


def _intact(
    hashes: Mapping[str, str], folder: PurePosixPath, files: Files
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files that are what was sealed."""
    for name, digest in hashes.items():
        path = folder / name
        content = files.get(path)
        if content is not None and hashlib.sha256(content).hexdigest() == digest:
            yield path, content
