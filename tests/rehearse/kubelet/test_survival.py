"""Nothing outlives a rehearsal, and rooms need no rights."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rehearse.kubelet.stage import Stage, namespaces_are_had, pod

from trainshed.model.rehearsal import PodEnd

STAGE = Path(__file__).parent / "stage.py"
PLAYS = """
import asyncio, sys
from pathlib import Path
sys.path[:0] = sys.argv[4:]
from stage import Stage, pod
stage = Stage(sys.argv[1], Path(sys.argv[2]))
print(stage.run(pod(sys.argv[3])).exit_codes, stage.log(), flush=True)
"""
AS_SOMEBODY = """
import os, sys
sys.path[:0] = sys.argv[1:2]
from trainshed.rehearse.rooms.node import kernel
kernel.become({user}, {user})
{then}
os.execv(sys.argv[2], sys.argv[2:])
"""
LASTS = """
import subprocess, sys, time
beats = "import time\\nwhile True: print('{mark}', flush=True); time.sleep(0.05)"
subprocess.Popen([sys.executable, "-c", beats], start_new_session=True)
time.sleep(600)
"""


def play_elsewhere(kind: str, folder: Path, code: str) -> list[str]:
    paths = [str(STAGE.parent), *filter(None, sys.path)]
    return [sys.executable, "-c", PLAYS, kind, str(folder), code, *paths]


def running_with(mark: str) -> list[int]:
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "cmdline").read_bytes().decode("utf-8", "replace"):
                found.append(int(process.name))
        except OSError:
            continue
    return [number for number in found if number != os.getpid()]


def wait_until(true: object, seconds: float = 30) -> None:
    assert callable(true)
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_when_trainshed_is_killed_nothing_runs_on(stage: Stage, tmp_path: Path) -> None:
    mark = f"mark-of-{os.getpid()}-{stage.kind}"
    log = stage.folder / "pods" / "worker-0.1" / "logs" / "main.log"
    mounts = Path("/proc/self/mountinfo").read_text()
    command = play_elsewhere(stage.kind, stage.folder, LASTS.format(mark=mark))

    trainshed = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    wait_until(lambda: log.exists() and mark in log.read_text())
    assert len(running_with(mark)) >= 3  # trainshed, the container, and the child of the container
    trainshed.send_signal(signal.SIGKILL)
    trainshed.wait()

    wait_until(lambda: not running_with(mark))
    assert Path("/proc/self/mountinfo").read_text() == mounts
    size = log.stat().st_size
    time.sleep(0.2)
    assert log.stat().st_size == size


def as_somebody(user: int, then: str, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command as the user of a namespace of its own: with no rights at all unless the user is 0."""
    source = next(path for path in sys.path if (Path(path) / "trainshed" / "rehearse").is_dir())
    code = AS_SOMEBODY.format(user=user, then=then)
    return subprocess.run(
        [sys.executable, "-c", code, source, *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_an_ordinary_user_has_isolated_rooms(tmp_path: Path) -> None:
    if not namespaces_are_had(tmp_path / "trial"):
        return
    code = "import os, socket; print(os.getpid(), socket.gethostname(), os.listdir('/tmp'))"
    status = "import re; print(re.search('CapEff:\\\\s+(\\\\w+)', open('/proc/self/status').read())[1])"
    rights = as_somebody(1000, "", [sys.executable, "-c", status])
    assert int(rights.stdout, 16) == 0, rights.stderr

    played = as_somebody(1000, "", play_elsewhere("isolated", tmp_path / "rehearsal", code))
    assert played.stdout == "{'main': 0} 1 run-worker-0 []\n\n", played.stderr


@pytest.mark.parametrize("kind", ["auto", "isolated"])
def test_a_kernel_that_refuses_namespaces_is_believed(tmp_path: Path, kind: str) -> None:
    if not namespaces_are_had(tmp_path / "trial"):
        return
    code = (
        "import asyncio, json, sys\nfrom pathlib import Path\nsys.path[:0] = sys.argv[3:]\n"
        "from trainshed.rehearse.rooms.choose import choose\nfrom trainshed.rehearse.rooms.room import RoomError\n"
        "async def ask():\n"
        "    try: rooms, words = await choose(sys.argv[1], Path(sys.argv[2]))\n"
        "    except RoomError as error: return ['', error.words]\n"
        "    await rooms.close()\n"
        "    return [rooms.kind, words]\n"
        "print(json.dumps(asyncio.run(ask())))"
    )
    refuse = "open('/proc/sys/user/max_user_namespaces', 'w').write('0')"
    command = [sys.executable, "-c", code, kind, str(tmp_path / "r"), *filter(None, sys.path)]
    chosen, words = json.loads(as_somebody(0, refuse, command).stdout)
    refused = "unshare: No space left on device, sysctl user.max_user_namespaces is 0"
    reason = f"this machine has no isolated rooms ({refused})"
    assert words.startswith(reason)
    assert chosen == ("plain" if kind == "auto" else "")
    assert (kind == "auto") or words == f"{reason}; --rooms plain rehearses without them"


def test_rooms_that_are_gone_are_the_end_of_their_pods(stage: Stage) -> None:
    async def scenario(stage: Stage) -> PodEnd:
        running = asyncio.create_task(stage.kubelet.run(pod(LASTS.format(mark="ready"))))
        await stage.printed("ready")
        os.kill(stage.rooms._link.node, signal.SIGKILL)  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
        return await running

    end = stage.play(scenario)
    assert (end.succeeded, end.reason) == (False, "RoomError")
    assert "the rooms have ended" in stage.texts()
