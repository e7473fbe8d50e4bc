"""The stand-ins for ssh and sshd, as two programs that talk to each other."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from trainshed.rehearse.kubelet.environment import SHIMS

PORT = "2222"
PATIENCE_SECONDS = 10


class Pods:
    """A caller's side: `ssh` with what finds the doors of `worker-0`."""

    def __init__(self, folder: Path) -> None:
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TRAINSHED_DOORS": str(folder / "doors"),
        }

    def start(self, *words: str) -> "subprocess.Popen[str]":
        pipe = subprocess.PIPE
        command = [str(SHIMS / "ssh"), *words]
        return subprocess.Popen(
            command, env=self.environment, text=True, stdin=pipe, stdout=pipe, stderr=pipe
        )

    def ssh(self, *words: str, given: str = "") -> tuple[int, str, str]:
        process = self.start("-p", PORT, *words)
        output, errors = process.communicate(given, timeout=PATIENCE_SECONDS)
        return process.returncode, output, errors


@contextmanager
def serving(pods: Pods, host: str = "worker-0") -> Iterator[None]:
    environment = {**pods.environment, "HOSTNAME": host, "HOME": "/tmp", "OF_THE_POD": "secret"}
    words = [SHIMS / "sshd", "-De", "-o", f"Port={PORT}"]
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        assert "listening" in server.stderr.readline()
        yield
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE_SECONDS) == 0


@pytest.fixture
def pods(tmp_path: Path) -> Iterator[Pods]:
    pods = Pods(tmp_path)
    with serving(pods):
        yield pods


def test_a_command_has_its_own_streams_and_exit_code(pods: Pods) -> None:
    script = "cat; echo out; echo err >&2; exit 7"
    assert pods.ssh("user@worker-0.ring.ml.svc", script, given="in\n") == (7, "in\nout\n", "err\n")


def test_megabytes_pass_whole(pods: Pods) -> None:
    text = "0123456789abcdef" * 200_000
    assert pods.ssh("worker-0", "cat", given=text) == (0, text, "")


def test_options_of_launchers_are_taken_before_and_after_the_host(pods: Pods) -> None:
    options = ("-x", "-q", "-o", "StrictHostKeyChecking=no", "-o", "BatchMode yes", "-i", "/key")
    assert pods.ssh(*options, "worker-0", "-n", "cat; echo", "done") == (0, "done\n", "")


def test_a_command_gets_what_sshd_gives_and_nothing_of_the_container(pods: Pods) -> None:
    code, output, _ = pods.ssh("worker-0", "env")
    names = {line.partition("=")[0] for line in output.splitlines()}
    assert code == 0
    assert {"PATH", "HOME", "SHELL", "SSH_CONNECTION"} <= names
    assert "OF_THE_POD" not in names


def test_a_command_that_a_signal_ends_counts_as_255(pods: Pods) -> None:
    assert pods.ssh("worker-0", "kill -9 $$")[0] == 255


def test_an_ssh_that_is_ended_ends_its_command(pods: Pods, tmp_path: Path) -> None:
    told = tmp_path / "told"
    process = pods.start("-p", PORT, "worker-0", f"trap ': > {told}; exit' TERM; echo up; sleep 60 & wait")
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    process.terminate()
    assert process.wait(PATIENCE_SECONDS) == 255
    until = time.monotonic() + PATIENCE_SECONDS
    while not told.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert told.exists()
    process.communicate()


def test_a_pod_that_is_not_there_refuses(pods: Pods) -> None:
    code, _, errors = pods.ssh("worker-1", "true")
    assert (code, errors) == (255, "ssh: connect to host worker-1 port 2222: Connection refused\n")


def test_a_caller_without_the_token_of_the_rehearsal_gets_nothing(pods: Pods, tmp_path: Path) -> None:
    (door,) = (tmp_path / "doors").iterdir()
    assert door.parent.stat().st_mode & 0o077 == 0
    door.write_text(f"{door.read_text().split()[0]} guessed")
    code, output, errors = pods.ssh("worker-0", "echo in")
    assert (code, output) == (255, "")
    assert "closed by remote host" in errors


def test_an_address_that_all_pods_share_is_refused_where_two_listen(pods: Pods) -> None:
    assert pods.ssh("127.0.0.1", "echo one") == (0, "one\n", "")
    with serving(pods, "worker-1"):
        code, _, errors = pods.ssh("127.0.0.1", "echo one")
    assert code == 255
    assert "--rooms isolated" in errors


def test_an_option_that_it_does_not_know_is_said(pods: Pods) -> None:
    code, _, errors = pods.ssh("-f", "worker-0", "true")
    assert code == 255
    assert "option -f" in errors
