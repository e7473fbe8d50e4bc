"""What is saved, when it is complete, what stays, and what a finished run does."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from runtime.store.processes import together
from runtime.store.programs import Counter, fill_the_disk, loaded, saved
from trainshed_runtime import checkpointer as checkpointing
from trainshed_runtime.checkpointer import Checkpointer
from trainshed_runtime.checkpoints import CheckpointError, Position
from trainshed_runtime.contract import Contract
from trainshed_runtime.state import snapshot


def steps(directory: Path) -> list[int]:
    return sorted(int(marker.parent.name[5:15]) for marker in directory.glob("step-*/COMPLETE.json"))


def test_without_a_directory_nothing_is_saved_and_nothing_found():
    checkpointer = Checkpointer({"counter": Counter()}, Contract())
    checkpointer.save(Position(1))
    checkpointer.finish(Position(1))
    assert (checkpointer.load(), checkpointer.finished, checkpointer.writer) == (None, False, None)
    assert not checkpointer.is_due(Position(1))


def test_a_marker_says_what_was_saved_and_how_long_it_took(tmp_path: Path):
    checkpointer = Checkpointer({"counter": Counter()}, Contract(directory=str(tmp_path), run="r"))
    checkpointer.save(Position(3, 1), metric=0.5)
    marker = json.loads(next(tmp_path.glob("step-*/COMPLETE.json")).read_text())
    said = {key: marker[key] for key in ("step", "epoch", "writer", "run", "world_size", "metric")}
    assert said == {
        "step": 3,
        "epoch": 1,
        "writer": {"attempt": 1, "incarnation": 1},
        "run": "r",
        "world_size": 1,
        "metric": 0.5,
    }
    assert list(marker["files"]) == ["state.pt"]
    assert 0 < marker["seconds"] <= checkpointer.save_seconds + 0.001


class TestInTheBackground:
    @pytest.fixture
    def gate(self, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
        """Nothing is published until it is opened."""
        gate, real = threading.Event(), checkpointing.publish

        def publish(*args: Any) -> None:
            assert gate.wait(30)
            real(*args)

        monkeypatch.setattr(checkpointing, "publish", publish)
        return gate

    def test_training_goes_on_while_a_checkpoint_is_written_and_does_not_change_it(
        self, tmp_path: Path, gate: threading.Event
    ):
        counter = Counter()
        contract = Contract(directory=str(tmp_path), in_background=True)
        checkpointer = Checkpointer({"counter": counter}, contract)
        checkpointer.save(Position(1)) if counter.at(1) else None
        counter.values.fill_(-1)
        assert steps(tmp_path) == []
        gate.set()
        checkpointer.wait()
        assert loaded(contract) == 1

    def test_an_urgent_save_is_complete_on_return(self, tmp_path: Path, gate: threading.Event):
        gate.set()
        checkpointer = Checkpointer(
            {"counter": Counter()}, Contract(directory=str(tmp_path), in_background=True)
        )
        checkpointer.save(Position(1))
        checkpointer.save(Position(2), urgent=True)
        assert steps(tmp_path) == [1, 2]

    def test_its_failure_is_raised_by_the_next_call_but_for_an_urgent_one_that_is_tried(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ):
        real = checkpointing.publish

        def broken(*_: Any) -> None:
            raise OSError(5, "Input/output error")

        checkpointer = Checkpointer(
            {"counter": Counter()}, Contract(directory=str(tmp_path), in_background=True)
        )
        monkeypatch.setattr(checkpointing, "publish", broken)
        checkpointer.save(Position(1))
        with pytest.raises(CheckpointError, match="step 1 is not saved: Input/output error"):
            checkpointer.wait()
        checkpointer.save(Position(2))
        with pytest.raises(CheckpointError, match="step 2 is not saved"):
            checkpointer.save(Position(3))
        checkpointer.save(Position(4))
        checkpointer._pending.exception() if checkpointer._pending else None  # the thread is done
        monkeypatch.setattr(checkpointing, "publish", real)
        checkpointer.save(Position(4), urgent=True)
        assert steps(tmp_path) == [4]
        assert "step 4 is not saved: Input/output error" in capfd.readouterr().err


def test_a_snapshot_shares_nothing_with_the_state_and_keeps_ties_and_versions():
    model = torch.nn.ModuleDict({"a": torch.nn.Linear(2, 2), "b": torch.nn.Linear(2, 2)})
    model["b"].weight = model["a"].weight
    state = {"model": model.state_dict(), "plain": [{"x": (1, [2])}]}
    copy = snapshot(state)
    model["a"].weight.detach().zero_()
    state["plain"][0]["x"][1].append(3)
    assert copy["model"]["a.weight"].abs().sum() > 0
    assert copy["model"]["a.weight"] is copy["model"]["b.weight"]
    assert copy["model"]._metadata == model.state_dict()._metadata
    assert copy["plain"] == [{"x": (1, [2])}]


class TestRetention:
    @pytest.mark.parametrize(
        ("last", "best", "kept"),
        [
            (0, 0, [1, 2, 3, 4, 5]),
            (1, 0, [5]),
            (2, 0, [4, 5]),
            (2, 1, [1, 4, 5]),
            (0, 2, [1, 2, 5]),
            (9, 0, [1, 2, 3, 4, 5]),
        ],
    )
    def test_the_last_and_the_best_stay(self, tmp_path: Path, last: int, best: int, kept: list[int]):
        saved(
            Contract(directory=str(tmp_path), keep_last=last, keep_best=best), 1, 2, 3, 4, 5
        )  # the metric is the step
        assert steps(tmp_path) == kept

    def test_a_metric_that_is_not_a_number_is_never_the_best(self, tmp_path: Path):
        checkpointer = Checkpointer(
            {"counter": Counter()}, Contract(directory=str(tmp_path), keep_last=1, keep_best=1)
        )
        for step, metric in enumerate([2.0, float("nan"), 3.0, None], start=1):
            checkpointer.save(Position(step), metric=metric)
        assert steps(tmp_path) == [1, 4]

    def test_the_only_good_one_stays_however_many_damaged_ones_are_newer(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        contract = Contract(directory=str(tmp_path), keep_last=1)
        saved(contract, 1)
        real = checkpointing.publish

        def publish_and_lose(storage: Any, checkpoint: Any) -> None:
            real(storage, checkpoint)
            (tmp_path / checkpoint.name / "state.pt").unlink()

        monkeypatch.setattr(checkpointing, "publish", publish_and_lose)
        saved(contract, 2, 3)
        assert 1 in steps(tmp_path)
        assert loaded(contract) == 1
        monkeypatch.undo()
        saved(contract, 4)
        assert steps(tmp_path) == [4]


@pytest.mark.parametrize("limit", [0, 100, 4096, 8000])
def test_a_full_disk_fails_the_save_with_words_and_harms_nothing(tmp_path: Path, limit: int):
    [(words, step, resumed)] = together(fill_the_disk, [(tmp_path, limit)], answers=1)
    assert words.startswith("step 2 is not saved: ")
    assert "File too large" in words
    assert words.endswith("older checkpoints are as they were")
    assert step == 2
    assert resumed == 1
    assert [folder.name[:15] for folder in tmp_path.glob("step-*")] == ["step-0000000001"]


class TestFinished:
    def finish(self, contract: Contract) -> None:
        checkpointer = Checkpointer({"counter": Counter().at(3)}, contract)
        checkpointer.load()
        checkpointer.finish(Position(3))

    def is_finished(self, contract: Contract) -> bool:
        return Checkpointer({"counter": Counter()}, contract).finished

    def test_a_finished_run_finds_that_out_without_claiming(self, tmp_path: Path):
        contract = Contract(directory=str(tmp_path), run="r")
        assert not self.is_finished(contract)
        self.finish(contract)
        assert steps(tmp_path) == [3]
        claims = sorted((tmp_path / "writers").iterdir())
        assert self.is_finished(contract)
        assert self.is_finished(Contract(directory=str(tmp_path), run="r-2", attempt=2))
        assert sorted((tmp_path / "writers").iterdir()) == claims

    def test_a_later_attempt_that_is_to_begin_anew_is_not_finished(self, tmp_path: Path):
        first = Contract(directory=str(tmp_path), run="r", resume="never")
        again = Contract(directory=str(tmp_path), run="r-2", attempt=2, resume="never")
        self.finish(first)
        assert self.is_finished(first)
        assert not self.is_finished(again)
        assert loaded(again) is None

    def test_the_next_firing_of_a_schedule_that_shares_its_folder_is_not_finished(self, tmp_path: Path):
        self.finish(Contract(directory=str(tmp_path), run="nightly", firing="nightly-1"))
        assert self.is_finished(Contract(directory=str(tmp_path), run="nightly", firing="nightly-1"))
        assert not self.is_finished(Contract(directory=str(tmp_path), run="nightly", firing="nightly-2"))
        assert loaded(Contract(directory=str(tmp_path), run="nightly", firing="nightly-2")) == 3

    def test_a_garbled_completion_marker_does_not_count(self, tmp_path: Path):
        contract = Contract(directory=str(tmp_path))
        self.finish(contract)
        (tmp_path / "FINISHED.json").write_text("{")
        assert not self.is_finished(contract)


class TestResume:
    def test_never_begins_anew_but_goes_on_with_what_this_attempt_has_saved_itself(self, tmp_path: Path):
        saved(Contract(directory=str(tmp_path), run="a"), 8)
        anew = Contract(directory=str(tmp_path), run="a-2", attempt=2, resume="never")
        assert loaded(anew) is None
        saved(anew, 2)
        assert loaded(anew) == 2

    @pytest.mark.parametrize("name", ["11111111", "bert-aaaa", "bert-aaaa-2"])
    def test_from_names_a_lineage_or_a_run_that_saved_to_one(self, tmp_path: Path, name: str):
        saved(Contract(directory=str(tmp_path / "00000000"), run="other"), 1)
        saved(Contract(directory=str(tmp_path / "11111111"), run="bert-aaaa"), 5)
        saved(Contract(directory=str(tmp_path / "11111111"), run="bert-bbbb"), 6)
        mine = Contract(
            directory=str(tmp_path / "22222222"), run="bert-cccc", resume="from", resume_from=name
        )
        assert loaded(mine) == 6
        saved(mine, 7)
        assert steps(tmp_path / "11111111") == [5, 6]
        saved(Contract(directory=str(tmp_path / "11111111"), run="bert-bbbb"), 9)
        assert loaded(mine) == 7

    def test_from_finds_the_same_point_of_a_sweep(self, tmp_path: Path):
        for index in (0, 1):
            saved(Contract(directory=f"{tmp_path}/old/{index}", run="sweep-a", sweep_index=index), 10 + index)
        mine = Contract(directory=f"{tmp_path}/new/1", sweep_index=1, resume="from", resume_from="sweep-a")
        assert loaded(mine) == 11

    def test_from_works_with_a_relative_directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.chdir(tmp_path)
        saved(Contract(directory="old", run="bert"), 5)
        assert loaded(Contract(directory="new", resume="from", resume_from="bert")) == 5

    @pytest.mark.parametrize("name", ["typo", "../11111111", "", "."])
    def test_from_something_unknown_fails_and_says_what_there_is(self, tmp_path: Path, name: str):
        saved(Contract(directory=str(tmp_path / "11111111"), run="bert"), 5)
        mine = Contract(directory=str(tmp_path / "22222222"), resume="from", resume_from=name)
        with pytest.raises(CheckpointError, match="it holds 11111111"):
            loaded(mine)


def test_a_save_is_due_by_steps_and_by_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr("trainshed_runtime.rhythm.time.monotonic", lambda: now)
    counter = Counter()
    contract = Contract(directory=str(tmp_path), every_steps=10, every_seconds=60)
    checkpointer = Checkpointer({"counter": counter}, contract)
    assert not checkpointer.is_due(Position(9))
    assert checkpointer.is_due(Position(10))
    now = 160.0
    assert checkpointer.is_due(Position(1))
    checkpointer.save(Position(17))
    assert not checkpointer.is_due(Position(19))
    assert checkpointer.is_due(Position(20))


def test_a_directory_that_cannot_be_used_says_so(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match=r"Not a directory|File exists"):
        Checkpointer({"counter": Counter()}, Contract(directory=str(tmp_path / "file" / "below")))
