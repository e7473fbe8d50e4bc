"""C5: Ray Train on a Ray cluster of this machine, whose worker is killed, and whose program is."""

import os
import re
import signal
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


def workers(script: Script) -> list[int]:
    """The processes that have told of epochs, in the order in which they did."""
    return list(
        dict.fromkeys(int(pid) for pid in re.findall(r"RayTrainWorker pid=(\d+).* epoch", script.output()))
    )


def saved(folder: Path) -> int:
    """The epoch that the newest checkpoint is of."""
    newest = max(folder.glob("model/train/checkpoint_*/state.pt"), key=lambda path: path.parent.name)
    return torch.load(newest, weights_only=True)["epoch"]


def test_lost_workers_and_lost_programs_cost_an_epoch_or_two(
    tmp_path: Path, ray_cluster: dict[str, str]
) -> None:
    arguments = ("--data=none", f"--out={tmp_path}/model")
    script = start(SCRIPT, *arguments, "--epochs=100000", folder=tmp_path / "first", **ray_cluster)
    wait(lambda: len(epochs(script)) >= 10, script.output)
    assert epochs(script)[10] < epochs(script)[1] - 1
    (first,) = workers(script)
    os.kill(first, signal.SIGKILL)
    wait(lambda: len(workers(script)) == 2, script.output)
    told = re.findall(rf"RayTrainWorker pid={workers(script)[1]}.* epoch (\d+)/", script.output())
    assert int(told[0]) > 5, "another worker goes on from a checkpoint that Ray Train has heard of"
    script.kill()
    done = saved(tmp_path)
    again = start(SCRIPT, *arguments, f"--epochs={done + 3}", folder=tmp_path / "second", **ray_cluster)
    assert again.leaves() == 0, again.output()
    assert min(epochs(again)) > done - 5
    assert max(epochs(again)) == done + 3
    assert torch.load(tmp_path / "model/state.pt", weights_only=True)["epoch"] == done + 3
