"""The life of an engine process, and what its death says."""

import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from trainshed.engine.client import Engine
from trainshed.engine.errors import EngineError
from trainshed.engine.pool import EnginePool


def impostor(folder: Path, source: str) -> Path:
    """A program that stands in for the engine."""
    program = folder / "impostor"
    program.write_text(f"#!{sys.executable}\nimport json, sys, time\n{textwrap.dedent(source)}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


GREETS = """\
def reply(**parts):
    sys.stdout.write(json.dumps(parts) + "\\n")
    sys.stdout.flush()

first = json.loads(sys.stdin.readline())
reply(id=first["id"], body={"protocol": 1, "engine": "0", "kustomize": "0", "kubeconform": "0"})
"""


def test_two_engines_live_side_by_side() -> None:
    with Engine() as one, Engine() as other:
        assert one.greeting == other.greeting
        assert one.call("emit", {"documents": [[1]]}) == other.call("emit", {"documents": [[1]]})


def test_threads_take_turns(engine: Engine) -> None:
    texts: dict[int, str] = {}

    def ask(number: int) -> None:
        texts[number] = engine.call("emit", {"documents": [[number]]})["texts"][0]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {number: f"- {number}\n" for number in range(32)}


def test_a_long_line_goes_both_ways(engine: Engine) -> None:
    text = "x" * 20_000_000
    assert engine.call("emit", {"documents": [[text]]}) == {"texts": [f"- {text}\n"]}


def test_an_engine_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with (
        pytest.raises(EngineError, match="cannot be started: No such file or directory"),
        Engine(tmp_path / "none"),
    ):
        pass


def test_an_engine_of_another_protocol_is_refused(tmp_path: Path) -> None:
    source = (
        'json.loads(sys.stdin.readline())\nprint(json.dumps({"id": 1, "body": {"protocol": 2}}), flush=True)'
    )
    with (
        pytest.raises(EngineError, match="speaks protocol 2, this program speaks 1"),
        Engine(impostor(tmp_path, source)),
    ):
        pass


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("sys.stdin.readline(); sys.exit('went wrong')", "(?s)exit status 1.*went wrong"),
        ("sys.stdin.readline(); reply(id=99, body={})", "out of step"),
        ("sys.stdin.readline(); print('nonsense', flush=True)", "is not JSON"),
        (
            "sys.stdin.readline(); sys.stdout.write('{\"id\":2,'); sys.stdout.flush()",
            "ended with exit status",
        ),
    ],
)
def test_a_strange_answer_is_an_error(tmp_path: Path, source: str, words: str) -> None:
    with Engine(impostor(tmp_path, GREETS + source)) as engine, pytest.raises(EngineError, match=words):
        engine.call("emit", {"documents": []})


def test_much_on_standard_error_neither_blocks_nor_grows(tmp_path: Path) -> None:
    source = "sys.stdin.readline(); sys.stderr.write('noise\\n' * 200_000); sys.exit('the end')"
    with Engine(impostor(tmp_path, GREETS + source)) as engine, pytest.raises(EngineError) as raised:
        engine.call("emit", {"documents": []})
    assert str(raised.value).endswith("noise\nthe end")
    assert len(str(raised.value)) < 1000


def test_a_killed_engine_is_an_error_at_every_later_call() -> None:
    with Engine() as engine:
        engine.kill()
        for _ in range(2):
            with pytest.raises(EngineError, match="ended with exit status -9"):
                engine.call("hello", {})


def test_an_unknown_verb_is_an_error_and_the_engine_lives(engine: Engine) -> None:
    with pytest.raises(EngineError, match="unknown-verb: there is no verb dance"):
        engine.call("dance", {})
    assert engine.call("emit", {"documents": []}) == {"texts": []}


def test_an_engine_must_be_started_first() -> None:
    with pytest.raises(EngineError, match="has not been started"):
        Engine().call("hello", {})


def test_an_engine_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainshed.engine.client.PATIENCE_SECONDS", 0.1)
    with Engine(impostor(tmp_path, GREETS + "time.sleep(600)")) as engine:
        pass
    with pytest.raises(EngineError, match="has not been started"):
        engine.call("hello", {})


ASKS_FOR_EVER = """\
import os
import signal
from trainshed.engine.client import Engine

signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background is started deaf to it
with Engine() as engine:
    print(engine._process.pid, flush=True)
    while True:
        engine.call("emit", {"documents": [["x" * 100_000]] * 20})
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_the_engine_ends_with_its_parent(number: signal.Signals, code: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ASKS_FOR_EVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.send_signal(number)
        assert parent.wait() == code
    assert ends(child)


def ends(process: int) -> bool:
    """Whether a process that is not ours ends by itself, as soon as the machine lets it."""
    deadline = time.monotonic() + 60
    while is_running(process) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(process)


def is_running(process: int) -> bool:
    """Whether a process that is not ours runs on; one that has ended may be listed until its parent looks."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX" and os.getpid() != process


def test_a_pool_starts_only_as_many_engines_as_there_is_work_for() -> None:
    with EnginePool(3) as pool:
        assert pool.call_many("emit", []) == []
        assert pool.call_many("emit", [{"documents": [[number]]} for number in range(40)]) == [
            {"texts": [f"- {number}\n"]} for number in range(40)
        ]
        assert pool.call("emit", {"documents": [[]]}) == {"texts": ["[]\n"]}


def test_the_first_error_ends_a_pool() -> None:
    bodies = [{"documents": [[1]]}] * 20 + [{"documents": [1]}] + [{"documents": [[1]]}] * 20
    with EnginePool(2) as pool:
        with pytest.raises(EngineError, match="document 0: a document is a map or a list"):
            pool.call_many("emit", bodies)
        with pytest.raises(EngineError, match="ended with exit status -9"):
            pool.call("hello", {})
