"""Object stores, through fsspec: what is complete, who may write, and what a broken upload leaves."""

import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from runtime.store.processes import PROCESSES, run, together
from runtime.store.programs import Counter, loaded, save_against_others, saved
from trainshed_runtime.bucket import Bucket
from trainshed_runtime.checkpointer import Checkpointer
from trainshed_runtime.checkpoints import CheckpointError, Position, find
from trainshed_runtime.contract import Contract
from trainshed_runtime.fence import Superseded
from trainshed_runtime.storage import Folder, open_storage


@pytest.fixture
def contract() -> Contract:
    return Contract(directory=f"memory://{uuid.uuid4().hex}/team/lineage", run="r", keep_last=2)


def test_saves_are_found_again_and_older_ones_removed(contract: Contract):
    assert loaded(contract) is None
    saved(contract, 1, 2, 3)
    assert loaded(contract) == 3
    assert [one.position.step for one in find(open_storage(contract.directory or "")).complete] == [3, 2]


@pytest.mark.parametrize("sharded", [False, True])
def test_models_and_optimizers_come_back_equal(contract: Contract, sharded: bool):
    def parts(seed: int) -> dict[str, Any]:
        torch.manual_seed(seed)
        model = torch.nn.Linear(3, 3)
        return {"model": model, "optimizer": torch.optim.AdamW(model.parameters())}

    first, second = parts(1), parts(2)
    first["model"](torch.ones(3)).sum().backward()
    first["optimizer"].step()
    Checkpointer(first, contract, sharded=sharded).save(Position(1))
    assert Checkpointer(second, contract, sharded=sharded).load() == Position(1)
    assert torch.equal(first["model"].weight, second["model"].weight)
    moments = [one["optimizer"].state[one["model"].weight]["exp_avg"] for one in (first, second)]
    assert torch.equal(*moments)


@pytest.mark.parametrize("failing", ["state.pt", "COMPLETE.json"])
def test_an_upload_that_breaks_leaves_the_checkpoint_before(
    contract: Contract, monkeypatch: pytest.MonkeyPatch, failing: str
):
    saved(contract, 1)
    write, publish = Bucket.write, Bucket.publish

    class Broken:
        def __init__(self, file: Any) -> None:
            self._file = file

        def write(self, data: Any) -> None:
            self._file.write(data[:100])
            raise ConnectionResetError(104, "Connection reset by peer")

        def flush(self) -> None: ...

    @contextmanager
    def breaks(bucket: Bucket, path: str) -> Any:
        with write(bucket, path) as file:
            yield Broken(file) if path.endswith(failing) else file

    def cut(bucket: Bucket, path: str, data: bytes) -> None:
        publish(bucket, path, data[: len(data) // 2] if path.endswith(failing) else data)
        if path.endswith(failing):
            raise ConnectionResetError(104, "Connection reset by peer")

    counter = Counter()
    checkpointer = Checkpointer({"counter": counter}, contract)
    checkpointer.load()
    with monkeypatch.context() as broken:
        broken.setattr(Bucket, "write", breaks)
        broken.setattr(Bucket, "publish", cut)
        with pytest.raises(CheckpointError, match="step 2 is not saved: Connection reset by peer"):
            checkpointer.save(Position(2)) if counter.at(2) else None
    assert loaded(contract) == 1


def test_a_newer_writer_refuses_the_older_one(contract: Contract):
    first = Checkpointer({"counter": Counter()}, contract)
    Checkpointer({"counter": Counter()}, contract)
    with pytest.raises(Superseded, match="claimed memory://"):
        first.save(Position(1))


def test_a_claim_is_created_once_only(contract: Contract):
    bucket = Bucket(contract.directory or "")
    bucket.create("writers/000001.json", b"a")
    with pytest.raises(FileExistsError):
        bucket.create("writers/000001.json", b"b")
    assert bucket.read("writers/000001.json", 10) == b"a"


def test_a_damaged_object_sends_the_run_back_to_the_one_before(contract: Contract):
    saved(contract, 1, 2)
    bucket = Bucket(contract.directory or "")
    name = find(bucket).complete[0].name
    data = bytearray(bucket.read(f"{name}/state.pt", 1 << 20))
    data[300] ^= 4
    bucket.publish(f"{name}/state.pt", bytes(data))
    assert loaded(contract) == 1


def test_resume_from_another_lineage_in_a_bucket(contract: Contract):
    saved(contract, 4)
    beside = (contract.directory or "").rpartition("/")[0]
    mine = Contract(directory=f"{beside}/other", resume="from", resume_from="r")
    assert loaded(mine) == 4


def test_processes_write_at_once_through_fsspec(tmp_path: Path):
    contract = Contract(directory=f"local://{tmp_path}", run="r", keep_last=2)
    started = PROCESSES.Value("i", 0)
    answers = together(save_against_others, [(contract, started, turn, 2) for turn in (0, 1)], answers=2)
    assert sorted(end == "done" for *_, end in answers) == [False, True]
    last = next(steps[-1] for _, steps, end in answers if end == "done")
    assert loaded(contract) == last
    assert run(saved, contract, last + 1) == 0
    assert loaded(contract) == last + 1


def test_what_is_read_has_a_limit(contract: Contract):
    bucket = Bucket(contract.directory or "")
    bucket.publish("large", b"12345")
    with pytest.raises(ValueError, match="more than 4 bytes"):
        bucket.read("large", 4)


def test_the_address_of_a_file_is_a_folder(tmp_path: Path):
    storage = open_storage(f"file://{tmp_path}/x")
    assert isinstance(storage, Folder)
    assert storage.address == f"{tmp_path}/x"


def test_without_fsspec_an_address_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(CheckpointError, match=r"trainshed-runtime\[bucket\]"):
        Checkpointer({"counter": Counter()}, Contract(directory="s3://bucket/x"))
