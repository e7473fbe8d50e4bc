"""Checkpoints that have changed since they were saved do not count, and the log says why."""

import errno
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from runtime.store.programs import Counter, loaded, saved
from trainshed_runtime.checkpointer import Checkpointer
from trainshed_runtime.checkpoints import MARKER, CheckpointError, File, Position, _digest
from trainshed_runtime.contract import Contract
from trainshed_runtime.storage import Folder

NEWEST = "step-0000000002-000001-000001"


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def garble(marker: Path, **changes: Any) -> None:
    marker.write_text(json.dumps(json.loads(marker.read_text()) | changes))


def link(file: Path) -> None:
    elsewhere = file.parent.parent / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)


def pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


DAMAGES: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "a flipped bit": ("state.pt", flip, "state.pt has changed since it was saved"),
    "a cut file": ("state.pt", lambda file: os.truncate(file, 500), "state.pt has 500 than"),
    "a grown file": (
        "state.pt",
        lambda file: file.write_bytes(file.read_bytes() + b"x"),
        "state.pt has more than",
    ),
    "a missing file": ("state.pt", Path.unlink, "No such file"),
    "a link in place of a file": ("state.pt", link, "Too many levels of symbolic links"),
    "a pipe in place of a file": ("state.pt", pipe, "not a regular file"),
    "a link in place of a marker": (MARKER, link, "its marker is a link"),
    "no marker": (MARKER, Path.unlink, ""),
    "an empty marker": (MARKER, lambda file: file.write_bytes(b""), "its marker is damaged"),
    "half a marker": (MARKER, lambda file: os.truncate(file, 60), "its marker is damaged"),
    "a marker that is no object": (MARKER, lambda file: file.write_text("[1]"), "its marker is damaged"),
    "a marker of deep nesting": (
        MARKER,
        lambda file: file.write_text("[" * 100_000),
        "its marker is damaged",
    ),
    "the marker of another step": (
        MARKER,
        lambda file: garble(file, step=9),
        "the marker of step-0000000009",
    ),
    "a marker that names no files": (MARKER, lambda file: garble(file, files={}), "it names no files"),
    "a marker that names files elsewhere": (
        MARKER,
        lambda file: garble(file, files={"../../secret": {"size": 1, "sha256": ""}}),
        "files elsewhere",
    ),
    "a marker with a size below nothing": (
        MARKER,
        lambda file: garble(file, files={"state.pt": {"size": -1, "sha256": ""}}),
        "-1 is no number",
    ),
    "a marker with an endless size": (
        MARKER,
        lambda file: garble(file, files={"state.pt": {"size": 1 << 62, "sha256": ""}}),
        "is no number",
    ),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_the_newest_complete_checkpoint_before_a_damaged_one_is_loaded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], what: str
):
    name, damage, words = DAMAGES[what]
    saved(Contract(directory=str(tmp_path)), 1, 2)
    damage(tmp_path / NEWEST / name)
    assert loaded(Contract(directory=str(tmp_path))) == 1
    assert words in capfd.readouterr().err


def test_a_run_whose_checkpoints_are_all_damaged_does_not_begin_anew_in_silence(tmp_path: Path):
    contract = Contract(directory=str(tmp_path))
    saved(contract, 1, 2)
    for state in tmp_path.glob("step-*/state.pt"):
        flip(state)
    with pytest.raises(CheckpointError, match="none of the 2 checkpoints"):
        loaded(contract)
    assert loaded(Contract(directory=str(tmp_path), run="next", resume="never")) is None


def test_storage_that_cannot_be_read_is_not_taken_for_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    contract = Contract(directory=str(tmp_path))
    saved(contract, 1)
    real = Folder.open

    def broken(folder: Folder, path: str) -> Any:
        if path.endswith(MARKER):
            raise OSError(errno.EIO, "Input/output error")
        return real(folder, path)

    with monkeypatch.context() as disk:
        disk.setattr(Folder, "open", broken)
        with pytest.raises(CheckpointError, match="Input/output error"):
            loaded(contract)
    assert loaded(contract) == 1


class Attack:
    """Runs a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self._command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self._command,)


@pytest.mark.parametrize(
    ("sharded", "name"), [(False, "state.pt"), (True, ".metadata"), (True, "__0_0.distcp")]
)
def test_a_checkpoint_that_brings_code_is_refused_and_runs_nothing(tmp_path: Path, sharded: bool, name: str):
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)
    contract = Contract(directory=str(tmp_path))
    parts = {"model": model, "optimizer": optimizer}
    Checkpointer(parts, contract, sharded=sharded).save(Position(1))
    folder = next(tmp_path.glob("step-*"))
    victim, trace = folder / name, tmp_path / "trace"
    attack = io.BytesIO()
    torch.save(
        {"model": Attack(f"touch {trace}")}, attack, _use_new_zipfile_serialization=name != ".metadata"
    )
    data = attack.getvalue() if name != ".metadata" else __import__("pickle").dumps(Attack(f"touch {trace}"))
    if name == "__0_0.distcp":  # each piece is read at its place: put the attack at all of them
        data = data * (victim.stat().st_size // len(data) + 1)
    victim.write_bytes(data)
    marker = json.loads((folder / MARKER).read_text())
    with victim.open("rb") as file:
        size, sha256 = _digest(file, len(data))
    marker["files"][name] = File(size, sha256)._asdict()
    (folder / MARKER).write_text(json.dumps(marker))
    with pytest.raises(CheckpointError):
        Checkpointer(parts, contract, sharded=sharded).load()
    assert not trace.exists()


def test_a_state_that_could_not_be_loaded_again_fails_at_the_first_save(tmp_path: Path):
    class Odd(Counter):
        def state_dict(self) -> dict[str, Any]:
            return {"path": Path("x")}

    with pytest.raises(CheckpointError, match=r"the state of 'odd' could not be loaded again"):
        Checkpointer({"odd": Odd()}, Contract(directory=str(tmp_path))).save(Position(1))


def test_other_parts_than_those_saved_are_refused_with_their_names(tmp_path: Path):
    contract = Contract(directory=str(tmp_path))
    saved(contract, 1)
    with pytest.raises(CheckpointError, match="the checkpoint holds counter, the run has model"):
        Checkpointer({"model": Counter()}, contract).load()
