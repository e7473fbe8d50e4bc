"""B1, B2, B4: images, on a laptop, on two ranks, and on what is left of them."""

import json
import signal
from pathlib import Path

import pytest
import torch
from examples.processes import Script, events, last_state, ranks, start

SCRIPT = "vision/images.py"
SMALL = ("--data=none", "--epochs=3", "--batch-size=64")
STEPS = 3 * 512 // 64


def saving(folder: Path) -> dict[str, str]:
    return {"TRAINSHED_CHECKPOINT_DIR": str(folder / "checkpoints"), "TRAINSHED_CHECKPOINT_EVERY_STEPS": "2"}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Script:
    """A run from its first step to its last."""
    folder = tmp_path_factory.mktemp("undisturbed")
    script = start(SCRIPT, *SMALL, folder=folder, **saving(folder))
    assert script.leaves() == 0, script.output()
    return script


def test_the_loss_falls_on_a_laptop_without_any_data(undisturbed: Script) -> None:
    assert undisturbed.output().startswith("no images in none: made-up ones")
    assert undisturbed.losses()[-1] < undisturbed.losses()[0] / 2


def test_killed_at_any_step_it_ends_with_the_weights_of_a_run_that_was_not(
    tmp_path: Path, undisturbed: Script
) -> None:
    script = start(SCRIPT, *SMALL, folder=tmp_path, **saving(tmp_path))
    script.until_step(5)
    assert script.kill() == -signal.SIGKILL
    script = start(SCRIPT, *SMALL, folder=tmp_path, **saving(tmp_path))
    assert script.leaves() == 0, script.output()
    (resumed,) = events(tmp_path, "resumed")
    assert resumed >= 4, "it saves every two steps"
    expected, found = last_state(undisturbed.folder / "checkpoints"), last_state(tmp_path / "checkpoints")
    for name, weights in expected["model"].items():
        assert torch.equal(weights, found["model"][name]), name
    assert found["scheduler"] == expected["scheduler"]


def test_a_run_that_is_done_does_not_train_again(tmp_path: Path) -> None:
    arguments = ("--data=none", "--epochs=1", "--batch-size=512")
    assert start(SCRIPT, *arguments, folder=tmp_path, **saving(tmp_path)).leaves() == 0
    assert start(SCRIPT, *arguments, folder=tmp_path, **saving(tmp_path)).leaves() == 0
    assert events(tmp_path, "finished") == [1], "once"


def test_one_of_two_ranks_is_lost_and_the_other_trains_on_the_rest_alone(tmp_path: Path) -> None:
    place = saving(tmp_path)
    pair = [
        start(SCRIPT, *SMALL, folder=tmp_path / f"pod-{rank['RANK']}", **place, **rank) for rank in ranks(2)
    ]
    pair[0].until_step(5)
    pair[1].kill()
    assert pair[0].leaves() != 0, "it waits for no rank that is gone"
    alone = start(SCRIPT, *SMALL, folder=tmp_path / "pod-0", **place)
    assert alone.leaves() == 0, alone.output()
    assert events(tmp_path / "pod-0", "resumed")[-1] >= 4
    finished = json.loads((tmp_path / "checkpoints/FINISHED.json").read_text("utf-8"))
    assert finished["step"] == STEPS, "a step takes as many images on one rank as on two"
    assert alone.losses()[-1] < 1


def test_shards_of_a_data_set_are_what_it_trains_on(tmp_path: Path) -> None:
    for name in ("0.pt", "1.pt"):
        torch.save({"images": torch.rand(40, 3, 16, 16), "labels": torch.zeros(40).long()}, tmp_path / name)
    arguments = (f"--data={tmp_path}", "--width=4", "--classes=2", "--epochs=1", "--batch-size=40")
    script = start(SCRIPT, *arguments, folder=tmp_path, **saving(tmp_path))
    assert script.leaves() == 0, script.output()
    assert "made-up" not in script.output()
    assert last_state(tmp_path / "checkpoints")["sampler"]["size"] == 80
