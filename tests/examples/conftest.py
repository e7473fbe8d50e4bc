"""A Ray cluster on this machine, for all who need one."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from examples.processes import free_port, wait

ENVIRON = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_DEDUP_LOGS": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # or workers would start as these tests do, by `uv run`
    "RAY_USAGE_STATS_ENABLED": "0",
}
PORTS = ("", "dashboard-agent-grpc-", "dashboard-agent-listen-", "ray-client-server-", "runtime-env-agent-")
"""Those that are the same for every cluster of a machine, if nobody says otherwise."""
TRIES = 5
"""Ray gives its own agents fifteen seconds to start, which a busy machine may take."""


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[dict[str, str]]:
    """The variables by which a program finds the cluster: a head with two CPUs, in processes of its own."""
    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        for attempt in range(TRIES):
            ports = {name: free_port() for name in PORTS}
            head, said = start_head(Path(folder, str(attempt)), ports)
            if head is not None:
                break
        else:
            pytest.fail(said)
        yield {**ENVIRON, "RAY_ADDRESS": f"127.0.0.1:{ports['']}"}
        stop(head)


def start_head(folder: Path, ports: dict[str, int]) -> tuple[subprocess.Popen[bytes] | None, str]:
    """A head that is up, or none; and what it said."""
    folder.mkdir()
    said = folder / "said"
    words = [f"--{name}port={port}" for name, port in ports.items()]
    with said.open("wb") as output:
        head = subprocess.Popen(
            [
                *(Path(sys.executable).with_name("ray"), "start", "--head", "--block", "--num-cpus=2"),
                *("--include-dashboard=false", f"--temp-dir={folder}/ray", *words),
            ],
            env={**os.environ, **ENVIRON},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    wait(lambda: b"Ray runtime started" in said.read_bytes() or head.poll() is not None, said.read_text)
    if head.poll() is None:
        return head, said.read_text()
    stop(head)
    return None, said.read_text()


def stop(head: subprocess.Popen[bytes]) -> None:
    """End the head and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(head.pid, signal.SIGKILL)
    head.wait()
