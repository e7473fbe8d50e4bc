"""A cluster of processes, and one process that has imported PyTorch for all of them."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from runtime.loop.pods import HERE, RUNTIME, Cluster, until


@pytest.fixture(scope="session")
def python() -> Iterator[list[str]]:
    """The command that runs a Python program in a fork of a process that has imported PyTorch."""
    with tempfile.TemporaryDirectory(prefix="zygote-") as folder:
        path = Path(folder) / "socket"
        zygote = subprocess.Popen(
            [sys.executable, str(HERE / "zygote.py"), str(path)],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(RUNTIME), "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
        until(path.exists, "PyTorch is imported")
        yield [sys.executable, "-IS", str(HERE / "zygote.py"), str(path)]
        zygote.kill()
        zygote.wait()


@pytest.fixture
def cluster(tmp_path: Path, python: list[str]) -> Iterator[Cluster]:
    """Where the pods of one run start."""
    cluster = Cluster(tmp_path, python)
    yield cluster
    cluster.clear()


@pytest.fixture
def another_cluster(tmp_path: Path, python: list[str]) -> Iterator[Callable[[str], Cluster]]:
    """More of them, by name, to compare runs."""
    made: list[Cluster] = []

    def make(name: str) -> Cluster:
        made.append(Cluster(tmp_path / name, python))
        return made[-1]

    yield make
    for cluster in made:
        cluster.clear()
