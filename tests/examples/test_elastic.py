"""B2: two nodes under torchrun and the runtime's launcher, one of which is taken away."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from examples.processes import JOBS, PATIENCE, events, free_port, wait

BIN = Path(sys.executable).parent
SCRIPT = (str(JOBS / "vision/images.py"), "--data=none", "--epochs=20", "--batch-size=64")
STEPS = 20 * 512 // 64


def start_node(node: int, port: int, folder: Path) -> subprocess.Popen[bytes]:
    """A pod of an elastic job, as its manifest starts it; node 0 keeps the rendezvous."""
    rendezvous = ["--rdzv-backend=c10d", "--rdzv-id=elastic", f"--rdzv-endpoint=127.0.0.1:{port}"]
    rendezvous.append(f"--rdzv-conf=is_host={node == 0},last_call_timeout=2")
    torchrun = [str(BIN / "torchrun"), "--nnodes=1:2", "--nproc-per-node=1", "--max-restarts=3", *rendezvous]
    progress = folder / f"pod-{node}"
    progress.mkdir()
    with (progress / "output").open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "trainshed_runtime", *torchrun, *SCRIPT],
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "OMP_NUM_THREADS": "1",
                "TRAINSHED_PROGRESS": str(progress),
                "TRAINSHED_CHECKPOINT_DIR": str(folder / "checkpoints"),
                "TRAINSHED_GRACE_SECONDS": "120",
            },
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def test_a_node_is_taken_away_and_the_other_finishes(tmp_path: Path) -> None:
    port = free_port()
    pods = [start_node(node, port, tmp_path) for node in range(2)]
    said = [tmp_path / f"pod-{node}/output" for node in range(2)]
    try:
        wait(lambda: " epoch 1:" in said[0].read_text() + said[1].read_text(), said[0].read_text)
        pods[1].send_signal(signal.SIGTERM)
        assert pods[1].wait(PATIENCE) == 143, "try again, and do not count it"
        assert pods[0].wait(PATIENCE) == 0, said[0].read_text()
    finally:
        for pod in pods:
            pod.kill()
    assert json.loads((tmp_path / "checkpoints/FINISHED.json").read_text("utf-8"))["step"] == STEPS
    (resumed,) = events(tmp_path / "pod-0", "resumed")
    assert 0 < resumed < STEPS, "the epoch goes on where the two of them left it"
