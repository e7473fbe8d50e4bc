"""C5: Ray Train on a Ray cluster of this machine, whose program is killed. Of workers see `rehearse/ray`."""

import re
from pathlib import Path

import torch
from examples.processes import Script, start, wait

SCRIPT = "recsys/two_tower.py"


def epochs(script: Script) -> dict[int, float]:
    """The epochs that the worker has told of, and the loss of each."""
    return {
        int(epoch): float(loss)
        for epoch, loss in re.findall(r"epoch (\d+)/\d+: loss (\S+),", script.output())
    }


def saved(folder: Path) -> int:
    """The epoch that the newest checkpoint is of."""
    newest = max(folder.glob("model/train/checkpoint_*/state.pt"), key=lambda path: path.parent.name)
    return torch.load(newest, weights_only=True)["epoch"]


def test_a_program_that_is_lost_costs_the_next_one_an_epoch_or_two(
    tmp_path: Path, ray_cluster: dict[str, str]
) -> None:
    arguments = ("--data=none", f"--out={tmp_path}/model")
    script = start(SCRIPT, *arguments, "--epochs=100000", folder=tmp_path / "first", **ray_cluster)
    wait(lambda: len(epochs(script)) >= 10, script.output)
    assert epochs(script)[10] < epochs(script)[1] - 1
    script.kill()
    done = saved(tmp_path)
    again = start(SCRIPT, *arguments, f"--epochs={done + 3}", folder=tmp_path / "second", **ray_cluster)
    assert again.leaves() == 0, again.output()
    assert min(epochs(again)) > done - 5
    assert max(epochs(again)) == done + 3
    assert torch.load(tmp_path / "model/state.pt", weights_only=True)["epoch"] == done + 3
