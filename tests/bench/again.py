"""What the next commands take in a repository that is rendered: nothing changed, or one spec did."""

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.bench.measure import Cost, run

WARM, RENDER_ONE, CHECK_ONE = "nothing changed: check", "one spec changed: render", "one spec changed: check"


def surroundings(repository: Path) -> Mapping[str, str]:
    """A cache folder of the repository's own, so that each begins from nothing; and Python may keep its bytecode."""
    return {"XDG_CACHE_HOME": str(repository.parent / "cache"), "PYTHONDONTWRITEBYTECODE": ""}


def measure_warm(repository: Path) -> dict[str, Cost]:
    """A check of what was checked before."""
    _trainshed(repository, "check")
    return {WARM: _trainshed(repository, "check")}


def measure_one(repository: Path) -> dict[str, Cost]:
    """Render and check after an edit of the last job, each asked for the first time."""
    _trainshed(repository, "check")
    spec = max(repository.glob("specs/jobs/*/*.yaml"))
    spec.write_text(spec.read_text("utf-8").replace("batchSize: 256", "batchSize: 128"), "utf-8")
    return {RENDER_ONE: _trainshed(repository, "render"), CHECK_ONE: _trainshed(repository, "check")}


def _trainshed(repository: Path, command: str) -> Cost:
    return run([sys.executable, "-m", "trainshed", command], repository, surroundings(repository))
