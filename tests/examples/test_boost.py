"""C4: boosted trees on the pods of an XGBoostJob, with the variables that its operator sets."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import xgboost
from examples.processes import JOBS, Script, ranks, start

SCRIPT = "fraud/train_boost.py"


def start_pods(folder: Path, *arguments: str, world_size: int = 3) -> list[Script]:
    """A master and its workers, which meet at a port of their own."""
    place = {
        "TRAINSHED_CHECKPOINT_DIR": str(folder / "checkpoints"),
        "TRAINSHED_CHECKPOINT_EVERY_STEPS": "5",
    }
    return [
        start(
            SCRIPT,
            "--data=none",
            *arguments,
            folder=folder / f"pod-{variables['RANK']}",
            **place,
            **variables,
        )
        for variables in ranks(world_size)
    ]


def trees(folder: Path) -> int:
    return xgboost.Booster(model_file=folder / "checkpoints/booster.ubj").num_boosted_rounds()


def test_master_and_workers_train_one_model_on_their_parts(tmp_path: Path) -> None:
    pods = start_pods(tmp_path, "--rounds=30")
    assert [pod.leaves() for pod in pods] == [0, 0, 0], pods[0].output()
    first, *others = (pod.losses() for pod in pods)
    assert first[-1] < first[0] - 0.1
    assert others == [[], []], "one of them speaks"
    assert trees(tmp_path) == 30
    assert json.loads((tmp_path / "checkpoints/FINISHED.json").read_text("utf-8"))["step"] == 30


def test_a_lost_worker_ends_the_others_and_all_go_on_from_the_last_save(tmp_path: Path) -> None:
    pods = start_pods(tmp_path, "--rounds=100000")
    pods[0].until_step(10)
    assert pods[2].kill() == -signal.SIGKILL
    assert 0 not in [pod.leaves() for pod in pods[:2]], "the operator starts them again"
    saved = trees(tmp_path)
    assert saved >= 5
    pods = start_pods(tmp_path, f"--rounds={saved + 10}")
    assert [pod.leaves() for pod in pods] == [0, 0, 0], pods[0].output()
    assert pods[0].output().count("loss") == 2, (
        "it trains the ten rounds that are left, and saves after every five"
    )
    undisturbed = start_pods(tmp_path / "undisturbed", f"--rounds={saved + 10}")
    assert [pod.leaves() for pod in undisturbed] == [0, 0, 0]
    models = [tmp_path / "checkpoints/booster.ubj", tmp_path / "undisturbed/checkpoints/booster.ubj"]
    assert models[0].read_bytes() == models[1].read_bytes(), "as if nothing had happened"


def test_it_needs_no_pytorch(tmp_path: Path) -> None:
    code = f"import runpy, sys; sys.modules['torch'] = None; runpy.run_path({str(JOBS / SCRIPT)!r}, run_name='__main__')"
    words = [sys.executable, "-c", code, "--data=none", "--rounds=20"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert trees(tmp_path) == 20


def test_a_run_that_is_done_meets_nobody_and_leaves(tmp_path: Path) -> None:
    (pod,) = start_pods(tmp_path, "--rounds=2", world_size=1)
    assert pod.leaves() == 0, pod.output()
    straggler = start_pods(tmp_path, "--rounds=2", world_size=2)[1]
    assert straggler.leaves() == 0
    assert "finished already" in straggler.output()


@pytest.mark.parametrize("late", [0, 1])
def test_pods_may_start_in_any_order(tmp_path: Path, late: int) -> None:
    """A worker that is there first waits for the master's tracker, and the tracker for a worker."""
    variables = ranks(2)
    early = start(SCRIPT, "--data=none", "--rounds=2", folder=tmp_path / "early", **variables[1 - late])
    early.process.join(1)
    assert early.process.is_alive(), early.output()
    assert (
        start(SCRIPT, "--data=none", "--rounds=2", folder=tmp_path / "late", **variables[late]).leaves() == 0
    )
    assert early.leaves() == 0
