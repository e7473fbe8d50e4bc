"""What a rehearsal leaves in its claims, as digests, so that two rehearsals can be compared.

A checkpoint is a folder with COMPLETE.json, which names the files and their SHA-256; of each folder of checkpoints only
the newest counts. The runtime's books (writers/, FINISHED.json) differ from run to run and do not count, also beside
files of other names; neither do the random numbers of each rank (rank-<n>.pt), which no two runs share that do not
seed every generator. What numbers have done to a model is in the other files.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trainshed.model.verdict import EndState

COMPLETE = "COMPLETE.json"
_WRITERS = "writers"
_BOOKS = frozenset({_WRITERS, "FINISHED.json"})
_OWN_OF_RANK = re.compile(r"rank-\d+\.pt")
_CHUNK = 2**20
_SHOWN = 20


def digest_claims(claims: Mapping[str, Path]) -> Mapping[str, str]:
    """Every file that counts, by claim and path; the value is its digest."""
    return {
        f"{claim}/{name}": digest
        for claim, folder in sorted(claims.items())
        for name, digest in _digest_folder(folder, folder)
    }


def compare(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[EndState, tuple[str, ...]]:
    """Whether both are the same, and each file that is not, in words; of many the first twenty."""
    if not before and not after:
        return EndState.NOTHING, ()
    words = [
        f"{name}: {'missing' if name not in after else 'not there undisturbed' if name not in before else 'differs'}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
    shown = words[:_SHOWN] + ([f"and {len(words) - _SHOWN} more"] if len(words) > _SHOWN else [])
    return (EndState.DIFFERENT if words else EndState.SAME), tuple(shown)


def _digest_folder(folder: Path, top: Path) -> Iterator[tuple[str, str]]:
    entries = sorted(os.scandir(folder), key=lambda entry: entry.name) if folder.is_dir() else []
    folders = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    complete = [each for each in folders if (each / COMPLETE).is_file()]
    if complete:
        yield from _digest_newest(complete, folder, top)
        return
    books = _BOOKS if any(each.name == _WRITERS for each in folders) else ()
    for entry in entries:
        if entry.is_file(follow_symlinks=False) and entry.name not in books:
            yield Path(entry.path).relative_to(top).as_posix(), _digest_file(Path(entry.path))
    for each in folders:
        if each.name not in books:
            yield from _digest_folder(each, top)


def _digest_newest(complete: list[Path], folder: Path, top: Path) -> Iterator[tuple[str, str]]:
    """The newest checkpoint: the most steps, and of those the latest writer, which its name ends with."""
    markers = [
        (marker.get("step", -1), each.name, marker) for each in complete if (marker := _read(each / COMPLETE))
    ]
    if not markers:
        return
    step, _, marker = max(markers, key=lambda found: found[:2])
    place = (folder.relative_to(top) / "newest checkpoint").as_posix()
    yield place, f"step {step}"
    files = {name: file for name, file in marker.get("files", {}).items() if not _OWN_OF_RANK.fullmatch(name)}
    for name, file in sorted(files.items()):
        yield f"{place}/{name}", str(file.get("sha256", ""))


def _read(path: Path) -> dict[str, Any]:
    try:
        marker = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return marker if isinstance(marker, dict) else {}


def _digest_file(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return digest.hexdigest()
