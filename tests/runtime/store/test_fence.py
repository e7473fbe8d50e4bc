"""One writer at a time: the last to claim, and never an attempt that a later one has replaced."""

import json
import time
from pathlib import Path

import pytest
from runtime.store.processes import PROCESSES, together
from runtime.store.programs import (
    Counter,
    claim,
    loaded,
    pause_before_the_marker,
    save_against_others,
    saved,
)
from trainshed_runtime.checkpointer import Checkpointer
from trainshed_runtime.checkpoints import Position, find
from trainshed_runtime.contract import Contract
from trainshed_runtime.fence import Fence, Superseded, newest_claim
from trainshed_runtime.storage import Folder


def contract(directory: Path, run: str = "bert-1a2b3c4d", attempt: int = 1) -> Contract:
    return Contract(directory=str(directory), run=run, attempt=attempt, keep_last=3)


def test_of_those_who_claim_at_once_each_gets_an_incarnation_of_its_own(tmp_path: Path):
    start = time.time() + 1
    claims = together(claim, [(contract(tmp_path), start)] * 6, answers=6)
    assert sorted(incarnation for _, incarnation in claims) == [1, 2, 3, 4, 5, 6]


def test_of_two_attempts_that_claim_at_once_the_later_one_ends_up_as_the_writer(tmp_path: Path):
    for number in range(5):
        directory = tmp_path / str(number)
        start = time.time() + 0.3
        attempts = [contract(directory, f"r-{n}" if n > 1 else "r", n) for n in (1, 2, 3, 4)]
        claims = dict(together(claim, [(one, start) for one in attempts], answers=4))
        assert max(n for n in claims.values() if isinstance(n, int)) == claims[4]
        assert newest_claim(Folder(directory)).attempt == 4


def test_two_attempts_that_write_at_once_leave_only_whole_checkpoints_and_the_last_one_to_claim_goes_on(
    tmp_path: Path,
):
    runs = [contract(tmp_path), contract(tmp_path), contract(tmp_path, "bert-1a2b3c4d-2", 2)]
    started = PROCESSES.Value("i", 0)
    answers = together(save_against_others, [(run, started, 0, 3) for run in runs], answers=3)
    ends = [end for _, _, end in answers]
    assert ends.count("done") == 1
    assert all("is no longer the newest" in end or "is over" in end for end in ends if end != "done")
    last = next(steps for _, steps, end in answers if end == "done")
    assert loaded(contract(tmp_path, "bert-1a2b3c4d-2", 2)) == last[-1]


def test_the_same_attempt_started_twice_leaves_the_first_one_refused(tmp_path: Path):
    counter = Counter()
    first = Checkpointer({"counter": counter.at(1)}, contract(tmp_path))
    first.save(Position(1))
    second = Checkpointer({"counter": Counter()}, contract(tmp_path))
    assert second.load() == Position(1)
    counter.at(2)
    with pytest.raises(
        Superseded, match=r"writer 1 \(attempt 1\) is no longer the newest: attempt 1 of bert-1a2b3c4d on"
    ):
        first.save(Position(2))
    assert [one.position.step for one in find(Folder(tmp_path)).complete] == [1]


def test_an_older_attempt_is_refused_at_its_start(tmp_path: Path):
    saved(contract(tmp_path, "bert-1a2b3c4d-2", 2), 4)
    with pytest.raises(Superseded, match="attempt 1 of bert-1a2b3c4d is over: attempt 2 has started"):
        Checkpointer({"counter": Counter()}, contract(tmp_path))
    assert loaded(contract(tmp_path, "bert-1a2b3c4d-2", 2)) == 4


def test_an_edited_job_is_another_run_and_goes_on_although_its_attempts_count_from_one_again(tmp_path: Path):
    saved(contract(tmp_path, "bert-1a2b3c4d-2", 2), 4)
    assert loaded(contract(tmp_path, "bert-99999999", 1)) == 4
    with pytest.raises(Superseded, match="attempt 2 has started"):  # remembered, whoever came in between
        loaded(contract(tmp_path, "bert-1a2b3c4d", 1))


def test_a_late_writer_between_its_last_look_and_its_marker_is_ignored(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    saved(contract(tmp_path), 5)
    is_there, may_go_on = PROCESSES.Event(), PROCESSES.Event()
    late = PROCESSES.Process(target=pause_before_the_marker, args=(contract(tmp_path), is_there, may_go_on))
    late.start()
    assert is_there.wait(30)
    counter = Counter()
    newer = Checkpointer({"counter": counter}, contract(tmp_path))
    assert newer.load() == Position(5)
    may_go_on.set()
    late.join(30)
    assert (tmp_path / "step-0000000007-000001-000002" / "COMPLETE.json").exists()
    assert loaded(contract(tmp_path)) == 5
    assert (
        "step-0000000007-000001-000002 does not count: its writer had been superseded"
        in capfd.readouterr().err
    )


def test_what_a_writer_completed_before_the_next_one_looked_counts(tmp_path: Path):
    saved(contract(tmp_path), 5)
    saved(contract(tmp_path), 6)
    assert loaded(contract(tmp_path)) == 6


def test_a_restart_from_an_earlier_step_counts_more_than_later_steps_of_older_writers(tmp_path: Path):
    saved(contract(tmp_path), 1, 9)
    (tmp_path / "step-0000000009-000001-000001" / "state.pt").unlink()
    saved(contract(tmp_path), 4)
    assert loaded(contract(tmp_path)) == 4


def test_claims_that_are_garbled_or_hostile_do_not_stop_a_start(tmp_path: Path):
    saved(contract(tmp_path), 1)
    writers = tmp_path / "writers"
    (writers / "000002.json").write_text("{")
    (writers / "000003.json").write_text(json.dumps({"attempts": {"bert-1a2b3c4d": "x"}, "run": 5}))
    (writers / "000003.seen.json").write_text(json.dumps({"seen": ["../../x", 5]}))
    (writers / "notes.txt").write_text("by hand")
    assert Fence.claim(Folder(tmp_path), contract(tmp_path)).writer.incarnation == 4


def test_old_claims_are_cleared_away(tmp_path: Path):
    for _ in range(25):
        Fence.claim(Folder(tmp_path), contract(tmp_path)).record([])
    assert len(list((tmp_path / "writers").glob("*.json"))) == 34


def test_a_file_system_without_hard_links_claims_exclusively_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", no_links)
    folder = Folder(tmp_path)
    folder.create("writers/000001.json", b"{}")
    with pytest.raises(FileExistsError):
        folder.create("writers/000001.json", b"{}")
    assert [file.name for file in (tmp_path / "writers").iterdir()] == ["000001.json"]
