"""Time and peak memory of a program and everything that it starts."""

import os
import resource
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SAMPLE_SECONDS = 0.05
LAST_WORDS = 40
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a program took: wall time, processor time and the most memory of all its processes together.

    On a machine that others use as well, processor time is the steadier of the two.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int

    def __add__(self, other: "Cost") -> "Cost":
        """Both, one after the other."""
        return Cost(
            self.seconds + other.seconds,
            self.cpu_seconds + other.cpu_seconds,
            max(self.peak_bytes, other.peak_bytes),
        )


NOTHING = Cost(0.0, 0.0, 0)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that the program printed, and what it took since the line before."""

    text: str
    cost: Cost


def run(command: Sequence[str | Path], folder: Path, env: Mapping[str, str] | None = None) -> Cost:
    """Run a program to its end. Raises `CalledProcessError`, with its last words, when it fails."""
    *_, end = watch(command, folder, env)
    return end.cost


def watch(
    command: Sequence[str | Path], folder: Path, env: Mapping[str, str] | None = None
) -> Iterator[Line]:
    """The program's lines as they come, each with its cost; last, without text, the whole."""
    before = _ended_children_seconds()
    began = since = time.perf_counter()
    spent = 0.0
    process = subprocess.Popen(
        [*map(str, command)],
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said: deque[str] = deque(maxlen=LAST_WORDS)
    peak = 0
    with _Sampler(process.pid) as sampler:
        for text in process.stdout or ():
            now, cpu, step_peak = time.perf_counter(), tree_cpu_seconds(process.pid), sampler.take_peak()
            said.append(text)
            yield Line(text.rstrip("\n"), Cost(now - since, cpu - spent, step_peak))
            since, spent, peak = now, cpu, max(peak, step_peak)
        code = process.wait()
        peak = max(peak, sampler.take_peak())
    if code:
        raise subprocess.CalledProcessError(code, command, "".join(said))
    yield Line("", Cost(time.perf_counter() - began, _ended_children_seconds() - before, peak))


class _Sampler:
    """A thread that looks at a process and its descendants many times a second."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peak = 0
        self._turn = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> "_Sampler":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def take_peak(self) -> int:
        """The most bytes seen since the last call."""
        now = tree_bytes(self._pid)
        with self._turn:
            peak, self._peak = max(self._peak, now), 0
        return peak

    def _sample(self) -> None:
        while not self._over.wait(SAMPLE_SECONDS):
            seen = tree_bytes(self._pid)
            with self._turn:
                self._peak = max(self._peak, seen)


def tree_cpu_seconds(pid: int) -> float:
    """Processor time of a process, its descendants, and those of them that ended and were waited for."""
    return sum(_cpu_ticks(member) for member in _family(pid)) / os.sysconf("SC_CLK_TCK")


def tree_bytes(pid: int) -> int:
    """Memory of a process and its descendants, each shared page counted once (PSS; see proc(5))."""
    return sum(_pss_bytes(member) for member in _family(pid))


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in _PROC.glob(f"{pid}/task/*/children"):
        with suppress(OSError):
            for child in task.read_text().split():
                yield from _family(int(child))


def _pss_bytes(pid: int) -> int:
    with suppress(OSError):
        for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _cpu_ticks(pid: int) -> int:
    """utime, stime, cutime and cstime of proc(5), which stand behind the name in brackets."""
    with suppress(OSError):
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15]))
    return 0


def _ended_children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
