"""A checkpoint: the step it holds, the files that make it whole, the marker that says so. Needs no torch.

A folder `step-<step>-<attempt>-<incarnation>` counts once its `COMPLETE.json` is there, which is written last and names
each file with its size and SHA-256. Markers come from shared storage: nothing in them is believed before it is checked.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO, NamedTuple

from trainshed_runtime.contract import Contract
from trainshed_runtime.fence import Writer, last_seen
from trainshed_runtime.storage import Storage, is_name

MARKER = "COMPLETE.json"
FINISHED = "FINISHED.json"
_FOLDER = re.compile(r"step-(\d{10,15})-(\d{6,12})-(\d{6,12})")
_LARGEST_MARKER = 64 << 20
_CHUNK = 4 << 20


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be saved or loaded; the message says why, and what is left."""


@dataclass(frozen=True, order=True)
class Position:
    """How far the training is: optimizer steps done, and the epoch they reached."""

    step: int
    epoch: int = 0


class File(NamedTuple):
    """What a file of a checkpoint must be."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Checkpoint:
    """What a marker says. `seconds` is what the save took, `metric` is better the smaller it is."""

    position: Position
    writer: Writer
    run: str = ""
    world_size: int = 1
    metric: float | None = None
    seconds: float = 0
    files: Mapping[str, File] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The folder's name."""
        return folder_name(self.position.step, self.writer)

    @property
    def age(self) -> tuple[int, int]:
        """Sorts checkpoints: a newer writer's are newer, and within a writer those of later steps."""
        return self.writer.incarnation, self.position.step


def folder_name(step: int, writer: Writer) -> str:
    """The name of the folder that this writer saves this step to."""
    return f"step-{step:010}-{writer.attempt:06}-{writer.incarnation:06}"


def writer_of(folder: str) -> Writer | None:
    """Who wrote a folder, by its name; nothing for what is no checkpoint's name."""
    match = _FOLDER.fullmatch(folder)
    return Writer(int(match[2]), int(match[3])) if match else None


class Found(NamedTuple):
    """The checkpoints of a storage that have a marker and count, newest first, and what was wrong with others."""

    complete: list[Checkpoint]
    complaints: list[str]


def find(storage: Storage) -> Found:
    """The complete checkpoints that count, newest first. Their files are not looked at: that is `damage`."""
    seen = last_seen(storage)
    complete: list[Checkpoint] = []
    complaints: list[str] = []
    for name in storage.names():
        writer = writer_of(name)
        if writer is None:
            continue
        try:
            checkpoint = _parse(json.loads(storage.read(f"{name}/{MARKER}", _LARGEST_MARKER)))
            if checkpoint.name != name:
                raise ValueError(f"it is the marker of {checkpoint.name}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            if error.errno != errno.ELOOP:  # storage that fails for a moment must not look empty
                raise
            complaints.append(f"checkpoint {name} does not count: its marker is a link")
            continue
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            complaints.append(f"checkpoint {name} does not count: its marker is damaged ({error})")
            continue
        if seen.counts(name, writer.incarnation):
            complete.append(checkpoint)
        else:
            complaints.append(f"checkpoint {name} does not count: its writer had been superseded")
    return Found(sorted(complete, key=lambda one: one.age, reverse=True), complaints)


def damage(storage: Storage, checkpoint: Checkpoint, names: Iterable[str] | None = None) -> str | None:
    """What is wrong with these files of a checkpoint (with all, if none are named); nothing if they are whole."""
    for name in checkpoint.files if names is None else names:
        expected = checkpoint.files[name]
        try:
            with storage.open(f"{checkpoint.name}/{name}") as file:
                size, sha256 = _digest(file, expected.size)
        except OSError as error:
            return f"{name}: {error.strerror or type(error).__name__}"
        if size != expected.size:
            return f"{name} has {'more' if size > expected.size else size} than {expected.size} bytes"
        if sha256 != expected.sha256:
            return f"{name} has changed since it was saved"
    return None


def has_all_files(storage: Storage, checkpoint: Checkpoint) -> bool:
    """Whether each file is there in its size: the part of `damage` that costs nothing."""
    sizes = storage.sizes(checkpoint.name)
    return all(sizes.get(name) == file.size for name, file in checkpoint.files.items())


class HashedStream:
    """A stream that hashes and counts what is written through it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: Any) -> int:
        """Write all of the bytes."""
        view = memoryview(data).cast("B")
        self._stream.write(view)
        self._hash.update(view)
        self.size += len(view)
        return len(view)

    def flush(self) -> None:
        """Pass the buffer on."""
        self._stream.flush()

    @property
    def file(self) -> File:
        """What the file must be from now on."""
        return File(self.size, self._hash.hexdigest())


def write_file(storage: Storage, path: str, write: Callable[[HashedStream], object]) -> File:
    """Write a file with a function. It is hashed on its way: what lands on the disk is not trusted."""
    with storage.write(path) as stream:
        hashed = HashedStream(stream)
        write(hashed)
    return hashed.file


def publish(storage: Storage, checkpoint: Checkpoint) -> None:
    """Write the marker: from now on the checkpoint counts. Ask the fence right before."""
    words = asdict(checkpoint)
    words |= words.pop("position") | {
        "files": {name: file._asdict() for name, file in checkpoint.files.items()}
    }
    storage.publish(f"{checkpoint.name}/{MARKER}", json.dumps(words).encode())


def remove(storage: Storage, folder: str) -> None:
    """Take a checkpoint away, its marker first, so that none is complete in part."""
    storage.remove(f"{folder}/{MARKER}")
    storage.remove(folder)


def mark_finished(storage: Storage, position: Position, writer: Writer, contract: Contract) -> None:
    """Leave the completion marker: the training is done."""
    words = {
        "step": position.step,
        "epoch": position.epoch,
        "writer": asdict(writer),
        "run": contract.identity,
        "attempt": contract.attempt,
        "firing": contract.firing,
    }
    storage.publish(FINISHED, json.dumps(words).encode())


def is_finished(storage: Storage, contract: Contract) -> bool:
    """Whether the training that the contract asks for is done already.

    With `resume: never`, only what this very attempt finished counts; in a schedule, what this firing finished.
    """
    try:
        words = json.loads(storage.read(FINISHED, _LARGEST_MARKER))
        same_firing = words["firing"] == contract.firing
        same_run = bool(contract.identity) and (words["run"], words["attempt"]) == (
            contract.identity,
            contract.attempt,
        )
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError):
        return False
    return same_firing and (same_run or contract.resume != "never")


def _parse(words: dict[str, Any]) -> Checkpoint:
    files = {name: File(_natural(file["size"]), str(file["sha256"])) for name, file in words["files"].items()}
    if not files or not all(map(is_name, files)):
        raise ValueError("it names no files, or files elsewhere")
    metric = words["metric"]
    return Checkpoint(
        Position(_natural(words["step"]), _natural(words["epoch"])),
        Writer(_natural(words["writer"]["attempt"]), _natural(words["writer"]["incarnation"])),
        run=str(words["run"]),
        world_size=_natural(words["world_size"]),
        metric=float(metric) if metric is not None and math.isfinite(float(metric)) else None,
        seconds=float(words["seconds"]),
        files=files,
    )


def _natural(number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 1 << 62:
        raise ValueError(f"{number!r:.40} is no number of steps, bytes or writers")
    return number


def _digest(file: BinaryIO, expected_size: int) -> tuple[int, str]:
    """Size and SHA-256 of a file, of which no more is read than one byte beyond what it should have."""
    digest, size = hashlib.sha256(), 0
    while size <= expected_size and (chunk := file.read(min(_CHUNK, expected_size + 1 - size))):
        digest.update(chunk)
        size += len(chunk)
    return size, digest.hexdigest()
