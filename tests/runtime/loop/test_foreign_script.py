"""A script that knew nothing of this runtime, with five lines changed."""

import difflib
import os
import random
import signal

from runtime.loop.pods import HERE, Cluster, free_port, until

TYPICAL, CHANGED = (HERE / "programs" / name for name in ("typical.py", "changed.py"))


def test_five_lines_make_a_typical_script_survive_kills_and_end_as_if_there_had_been_none(
    cluster: Cluster,
) -> None:
    lines = difflib.ndiff(TYPICAL.read_text().splitlines(), CHANGED.read_text().splitlines())
    assert sum(line.startswith("+ ") for line in lines) == 5

    undisturbed = start(cluster, TYPICAL, "undisturbed")
    assert [pod.code() for pod in undisturbed] == [0, 0]
    for kill in range(3):
        pods = start(cluster, CHANGED, "killed")
        until(lambda: min(pod.step() for pod in pods) >= 60 * (kill + 1), "it has gone on")  # noqa: B023
        os.kill(random.choice(pods).notes().popitem()[1]["pid"], signal.SIGKILL)
        assert all(pod.code() not in (0, 143) for pod in pods)
    assert [pod.code() for pod in start(cluster, CHANGED, "killed")] == [0, 0]
    assert models(cluster, "killed") == models(cluster, "undisturbed")


def start(cluster: Cluster, program: object, folder: str, **variables: object) -> list:
    """The script on two pods."""
    (cluster.root / folder).mkdir(parents=True, exist_ok=True)
    world = {"WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), **variables}
    command = [*cluster.python, str(program), str(cluster.root / folder)]
    return [cluster.start(*command, RANK=rank, **world) for rank in range(2)]


def models(cluster: Cluster, folder: str) -> list[bytes]:
    """The weights that the ranks ended with."""
    return [(cluster.root / folder / f"model-{rank}.pt").read_bytes() for rank in range(2)]
