"""Steps, saves and resumes: from the files of trainshed-runtime, or from what code prints."""

import asyncio
from pathlib import Path

import pytest
from rehearse.kubelet.stage import Stage, pod

from trainshed.model.rehearsal import Event, Happening
from trainshed.rehearse.kubelet.output import HALF_BYTES, Log
from trainshed.rehearse.kubelet.progress import ProgressWatch
from trainshed.rehearse.kubelet.telling import Teller

TELLS = """
import json, os, time
folder = os.environ["TRAINSHED_PROGRESS"]
def log(**line):
    with open(folder + "/rank-0.log", "a") as file: file.write(json.dumps(line) + "\\n")
log(event="resumed", step=10, at=0, seconds=0.25, world=2)
for step in (11, 12):
    with open(folder + "/rank-0.json", "w") as file:
        json.dump({"pid": 1, "rank": 0, "step": step, "epoch": 0, "at": 0, "doing": "training"}, file)
    print("step", 99)
    time.sleep(0.2)
log(event="saved", step=12, at=0, seconds=0.5, world=2)
log(event="left", step=12, at=0, seconds=0, world=2)
"""
MARKS = (Happening.STEP, Happening.SAVED, Happening.RESUMED)


def marks(events: list[Event]) -> list[tuple[Happening, int, int, float]]:
    return [(e.happening, e.rank, e.step, e.seconds) for e in events if e.happening in MARKS]


def test_what_the_runtime_leaves_in_its_folder_is_told_in_its_order(stage: Stage) -> None:
    assert stage.run(pod(TELLS)).succeeded
    told = [mark for mark in marks(stage.events) if mark[2] != 99]
    assert told == [
        (Happening.RESUMED, 0, 10, 0.25),
        (Happening.STEP, 0, 11, 0.0),
        (Happening.STEP, 0, 12, 0.0),
        (Happening.SAVED, 0, 12, 0.5),
    ]
    assert "left" in stage.texts()


@pytest.mark.parametrize(
    ("line", "rank", "step"),
    [
        ("Step 7, loss 0.3", -1, 7),
        ("epoch 1 global_step=12", -1, 12),
        ("[rank3]: step: 40", 3, 40),
        ("[default1]:step=5", 1, 5),
    ],
)
def test_steps_are_read_from_output_where_nothing_else_tells_them(
    tmp_path: Path, line: str, rank: int, step: int
) -> None:
    stage = Stage("plain", tmp_path / "rehearsal")
    assert stage.run(pod(f"print({line!r})")).succeeded
    assert marks(stage.events) == [(Happening.STEP, rank, step, 0.0)]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import torch_of_nobody", "the Python module torch_of_nobody is not on this machine: --python"),
        (
            "import subprocess, sys; subprocess.call([sys.executable, '/opt/app/train.py'])",
            "/opt/app/train.py is not on this machine: --mount",
        ),
        (
            "import subprocess; subprocess.call(['sh', '-c', 'horovodrun -np 2'])",
            "the command horovodrun is not on this machine",
        ),
    ],
)
def test_what_is_missing_on_this_machine_is_said(stage: Stage, code: str, words: str) -> None:
    stage.run(pod(code))
    assert any(text.startswith(words) for text in stage.texts()), (stage.texts(), stage.log())


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '"step"',
        '{"step": "9"}',
        '{"step": -1}',
        '{"step": true}',
        "[" * 100_000,
        '{"step": 1e400}',
    ],
)
def test_a_progress_file_that_makes_no_sense_tells_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "rank-0.json").write_text(content)
    (tmp_path / "rank-0.log").write_text(content + "\n")
    assert look(tmp_path) == []


def test_a_progress_file_that_is_no_file_tells_nothing(tmp_path: Path) -> None:
    import os

    secret = tmp_path / "secret"
    secret.write_text('{"step": 5}')
    folder = tmp_path / "progress"
    folder.mkdir()
    (folder / "rank-0.json").symlink_to(secret)
    os.mkfifo(folder / "rank-1.json")
    (folder / "rank-2.json").mkdir()
    (folder / "rank-3.json").write_text('{"step": 6}')
    assert [(event.rank, event.step) for event in look(folder)] == [(3, 6)]


def look(folder: Path) -> list[Event]:
    events: list[Event] = []
    ProgressWatch(folder, "main", Teller("worker-0", events.append, 0.0)).look()
    return events


def test_a_log_keeps_the_last_of_what_was_printed(tmp_path: Path) -> None:
    log = Log(tmp_path / "main.log")
    for number in range(5):
        log.write(bytes([ord("0") + number]) * (HALF_BYTES // 2))
    log.close()
    assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == {
        "main.log": HALF_BYTES // 2,
        "main.log.1": HALF_BYTES,
    }
    assert (tmp_path / "main.log").read_bytes()[:1] == b"4"


def test_a_container_that_prints_without_end_holds_nobody_up(stage: Stage) -> None:
    code = "import sys\nwhile True: sys.stdout.write('x' * 100_000 + '\\n')"

    async def scenario(stage: Stage) -> int:
        running = asyncio.create_task(stage.kubelet.run(pod(code)))
        await stage.printed("x")
        await asyncio.sleep(0.5)
        stage.kubelet.kill("worker-0")
        return (await running).exit_codes["main"]

    assert stage.play(scenario) == 137
