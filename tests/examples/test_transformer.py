"""B5 to B9: the fraud transformer on two ranks, told to stop, at a point of a sweep, on the days before a firing."""

import json
import signal
from datetime import date, timedelta
from pathlib import Path

import torch
from examples.processes import events, last_state, ranks, start

SCRIPT = "fraud/train_transformer.py"
SMALL = ("--data=none", "--epochs=4", "--batch-size=256")


def saving(folder: Path) -> dict[str, str]:
    return {"TRAINSHED_CHECKPOINT_DIR": str(folder / "checkpoints"), "TRAINSHED_CHECKPOINT_KEEP_LAST": "1"}


def steps(folder: Path) -> int:
    return json.loads((folder / "checkpoints/FINISHED.json").read_text("utf-8"))["step"]


def test_two_ranks_learn_together_and_one_of_them_speaks(tmp_path: Path) -> None:
    first, second = (
        start(SCRIPT, *SMALL, folder=tmp_path / rank["RANK"], **saving(tmp_path), **rank) for rank in ranks(2)
    )
    assert first.leaves() == second.leaves() == 0, first.output() + second.output()
    assert first.losses()[-1] < first.losses()[0] - 0.1
    assert second.losses() == []
    assert steps(tmp_path) == 4 * 2_048 // 256


def test_one_of_two_ranks_is_told_to_stop_and_one_goes_on_inside_the_epoch(tmp_path: Path) -> None:
    arguments = ("--data=none", "--epochs=8", "--batch-size=64")
    first, second = (
        start(SCRIPT, *arguments, folder=tmp_path / rank["RANK"], **saving(tmp_path), **rank)
        for rank in ranks(2)
    )
    first.until_step(5)
    assert second.kill(signal.SIGTERM) == 143, "try again, and do not count it"
    assert first.leaves() == 143, "they leave together"
    (left,) = events(first.folder, "left")
    alone = start(SCRIPT, *arguments, folder=first.folder, **saving(tmp_path))
    assert alone.leaves() == 0, alone.output()
    assert events(first.folder, "resumed") == [left], "nothing is lost"
    assert steps(tmp_path) == 8 * 2_048 // 64, "and no step is made twice"


def test_a_point_of_a_sweep_trains_with_its_values(tmp_path: Path) -> None:
    point = tmp_path / "3.yaml"
    point.write_text('{"batch_size": 512, "lr": 0.003}')
    script = start(
        SCRIPT,
        "--data=none",
        "--epochs=2",
        folder=tmp_path,
        TRAINSHED_PARAMETERS=str(point),
        JOB_COMPLETION_INDEX="3",
        **saving(tmp_path),
    )
    assert script.leaves() == 0, script.output()
    assert steps(tmp_path) == 2 * 2_048 // 512
    (group,) = last_state(tmp_path / "checkpoints")["optimizer"]["param_groups"]
    assert group["lr"] == 0.003


def write_days(folder: Path, last: date, count: int) -> None:
    """A file for each of the days up to the last, with ten cards each."""
    for day in (last - timedelta(days=back) for back in range(count)):
        cards = {"payments": torch.zeros(10, 8, 16), "labels": torch.zeros(10)}
        torch.save(cards, folder / f"{day.isoformat()}.pt")


def test_a_firing_trains_on_the_days_before_it_was_due_however_late_it_starts(tmp_path: Path) -> None:
    """The 8th of November 2026, a Sunday, at two o'clock, is minute 29,901,720 of Unix time."""
    write_days(tmp_path, last=date(2026, 11, 20), count=60)
    arguments = (f"--data={tmp_path}", "--days=30", "--epochs=1", "--batch-size=50")
    firing = {"TRAINSHED_FIRING": "fraud-weekly-29901720"}
    script = start(SCRIPT, *arguments, folder=tmp_path, **firing, **saving(tmp_path))
    assert script.leaves() == 0, script.output()
    assert last_state(tmp_path / "checkpoints")["sampler"]["size"] == 30 * 10


def test_days_without_data_are_an_error_and_no_reason_to_make_some_up(tmp_path: Path) -> None:
    write_days(tmp_path, last=date(2026, 1, 31), count=2)
    script = start(
        SCRIPT, f"--data={tmp_path}", "--days=30", folder=tmp_path, TRAINSHED_FIRING="fraud-weekly-29901720"
    )
    assert script.leaves() == 1
    assert "has no payments from 2026-10-09 until 2026-11-08" in script.output()
