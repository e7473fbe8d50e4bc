"""The fast tier on the node, and the directory behind it: the newest of both, and what a lost node costs."""

import errno
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from runtime.store.processes import train
from runtime.store.programs import Counter
from trainshed_runtime.checkpointer import Checkpointer
from trainshed_runtime.checkpoints import Position
from trainshed_runtime.contract import Contract


def contract(tmp_path: Path) -> Contract:
    return Contract(
        directory=str(tmp_path / "remote"),
        local_dir=str(tmp_path / "local"),
        local_every_steps=1,
        every_steps=5,
        keep_last=3,
    )


def saved(contract: Contract, *steps: int) -> None:
    counter = Counter()
    checkpointer = Checkpointer({"counter": counter}, contract)
    checkpointer.load()
    for step in steps:
        counter.at(step)
        assert checkpointer.is_due(Position(step))
        checkpointer.save(Position(step))
        if step % 5 == 0:
            checkpointer.wait()
    checkpointer.wait()


def loaded(contract: Contract) -> int | None:
    counter = Counter()
    position = Checkpointer({"counter": counter}, contract).load()
    assert position is None or counter.step() == position.step
    return position.step if position else None


def steps(folder: Path) -> list[int]:
    return sorted(int(marker.parent.name[5:15]) for marker in folder.glob("step-*/COMPLETE.json"))


def test_every_save_goes_to_the_node_and_some_behind_it_to_the_directory(tmp_path: Path):
    saved(contract(tmp_path), *range(1, 13))
    assert steps(tmp_path / "remote") == [5, 10]
    assert steps(tmp_path / "local") == [11, 12]


def test_a_restart_on_the_same_node_takes_the_newest_of_both(tmp_path: Path):
    saved(contract(tmp_path), *range(1, 13))
    assert loaded(contract(tmp_path)) == 12
    assert loaded(contract(tmp_path)) == 12  # also for the start after that, which saved nothing
    saved(contract(tmp_path), 13, 14)
    assert loaded(contract(tmp_path)) == 14


def test_a_lost_node_sends_the_run_back_to_the_directory(tmp_path: Path):
    saved(contract(tmp_path), *range(1, 13))
    shutil.rmtree(tmp_path / "local")
    assert loaded(contract(tmp_path)) == 10


def test_a_damaged_local_checkpoint_is_passed_over(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    saved(contract(tmp_path), *range(1, 13))
    newest = max((tmp_path / "local").glob("step-*"))
    (newest / "state.pt").write_bytes(b"")
    assert loaded(contract(tmp_path)) == 11
    assert f"local checkpoint {newest.name} is damaged" in capfd.readouterr().err


def test_what_lies_on_a_node_from_before_the_run_went_on_elsewhere_is_passed_over(tmp_path: Path):
    saved(contract(tmp_path), *range(1, 13))
    (tmp_path / "local").rename(tmp_path / "away")
    saved(contract(tmp_path), 11)
    shutil.rmtree(tmp_path / "local")
    (tmp_path / "away").rename(tmp_path / "local")
    assert loaded(contract(tmp_path)) == 10


def test_an_urgent_save_goes_to_the_directory_at_once(tmp_path: Path):
    counter = Counter()
    checkpointer = Checkpointer({"counter": counter}, contract(tmp_path))
    checkpointer.save(Position(1)) if counter.at(1) else None
    checkpointer.save(Position(2), urgent=True) if counter.at(2) else None
    assert steps(tmp_path / "remote") == [2]
    shutil.rmtree(tmp_path / "local")
    assert loaded(contract(tmp_path)) == 2


def test_a_run_that_resumed_from_the_node_still_brings_that_step_to_the_directory(tmp_path: Path):
    saved(contract(tmp_path), 1, 2, 3)
    counter = Counter()
    checkpointer = Checkpointer({"counter": counter}, contract(tmp_path))
    assert checkpointer.load() == Position(3)
    checkpointer.finish(Position(3))
    assert steps(tmp_path / "remote") == [3]


@pytest.mark.parametrize("kind", ["fsdp", "ddp", "whole"])
def test_all_ranks_of_a_node_come_back_from_it(tmp_path: Path, kind: str):
    _, trained, *_ = train(kind, contract(tmp_path), 2, "save", tmp_path / "meeting")
    assert steps(tmp_path / "remote") == []
    position, loaded, _, own = train(kind, contract(tmp_path), 2, "load", tmp_path / "meeting-again")
    assert (position, loaded, own) == (Position(3, 1), trained, 0)


@pytest.mark.parametrize("kind", ["fsdp", "whole"])
def test_the_ranks_of_several_nodes_come_back_unless_one_node_is_lost(tmp_path: Path, kind: str):
    nodes = replace(contract(tmp_path), local_dir=f"{tmp_path}/node-{{rank}}")
    _, trained, *_ = train(kind, nodes, 2, "save", tmp_path / "meeting")
    assert [steps(tmp_path / f"node-{rank}") for rank in (0, 1)] == [[3], [3]]
    position, loaded, *_ = train(kind, nodes, 2, "load", tmp_path / "meeting-again")
    assert (position, loaded) == (Position(3, 1), trained)
    shutil.rmtree(tmp_path / "node-1")
    position, *_ = train(kind, nodes, 2, "load", tmp_path / "meeting-at-last")
    assert position is None


def test_a_node_without_room_does_not_stop_the_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("trainshed_runtime.tier.publish", full)
    saved(contract(tmp_path), 1, 5)
    assert "step 1 is not saved on the node: No space left on device" in capfd.readouterr().err
    assert list((tmp_path / "local").iterdir()) == []
    assert loaded(contract(tmp_path)) == 5


def test_what_a_killed_process_left_on_the_node_is_cleared_away(tmp_path: Path):
    saved(contract(tmp_path), 1)
    (tmp_path / "local" / "step-0000000009-000001-000001").mkdir()
    (tmp_path / "local" / "notes").mkdir()
    saved(contract(tmp_path), 2)
    assert sorted(folder.name[:15] for folder in (tmp_path / "local").iterdir()) == [
        "notes",
        "step-0000000001",
        "step-0000000002",
    ]


def test_another_number_of_ranks_does_not_use_what_lies_on_the_node(tmp_path: Path):
    train("fsdp", contract(tmp_path), 2, "save", tmp_path / "meeting")
    position, *_ = train("fsdp", contract(tmp_path), 1, "load", tmp_path / "meeting-again")
    assert position is None
