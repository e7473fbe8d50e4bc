"""What all tests share: small repositories that the real command runs in, and golden files."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import environ
from pathlib import Path

import pytest
from hypothesis import settings
from repositories import Project, write_project

settings.register_profile("here", deadline=None)
settings.register_profile("gate", deadline=None, derandomize=True)
settings.load_profile("gate" if environ.get("CI") else "here")
environ["TRAINSHED_CACHE"] = (
    "off"  # tests of what is kept between commands switch it on, in a folder of their own
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="Rewrite golden files; read the diff before committing."
    )


@dataclass(frozen=True)
class Golden:
    """Compares text with a committed file, or rewrites the file when asked to."""

    update: bool

    def check(self, path: Path, text: str) -> None:
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert path.exists(), f"{path} is missing: run pytest --update-golden and read it"
        assert text == path.read_text("utf-8")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(bool(request.config.getoption("--update-golden")))


@pytest.fixture
def project(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Project]:
    """`project({path: text})` writes a repository; `.run("check")` gives exit code, output and error output."""
    return lambda files: write_project(tmp_path, files)


@pytest.fixture(autouse=True)
def environment_is_left_alone() -> Iterator[None]:
    before = dict(environ)
    yield
    changed = {name for name in before.keys() | environ.keys() if before.get(name) != environ.get(name)}
    assert changed <= {"PYTEST_CURRENT_TEST", "JSII_NODE", "JSII_AGENT"}, changed
