"""A scene of files, by the real engine and the committed schemas."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trainshed.engine.client import Engine
from trainshed.model.outcome import Outcome
from trainshed.rehearse.scene import Scene, set_scene

ROOT = Path(__file__).parents[3]

Set = Callable[..., Outcome[Scene]]


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.fixture
def scene_of(engine: Engine) -> Set:
    """`scene_of(path, …, nodes=2)`: the scene of files or folders."""

    def scene_of(
        *paths: Path,
        cluster: str | None = None,
        name: str | None = None,
        nodes: int | None = None,
        procs: int | None = None,
    ) -> Outcome[Scene]:
        return set_scene(
            ROOT, [str(path) for path in paths], cluster, name, nodes, procs, lambda _: b"", engine
        )

    return scene_of


@pytest.fixture
def scene_of_text(scene_of: Set, tmp_path: Path) -> Set:
    """`scene_of_text(text)`: the scene of one file that says so."""

    def scene_of_text(text: str, **settings: object) -> Outcome[Scene]:
        file = tmp_path / "given.yaml"
        file.write_text(text, "utf-8")
        return scene_of(file, **settings)

    return scene_of_text
