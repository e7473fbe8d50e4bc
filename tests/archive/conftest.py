"""The repository of sealed/shed.py, rendered once, and a copy of it for each test."""

from pathlib import Path

import pytest
from sealed.shed import Shed, clone_shed, make_shed


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shed(tmp_path_factory.mktemp("shed") / "made").path


@pytest.fixture
def shed(template: Path, tmp_path: Path) -> Shed:
    """Rendered and committed on main; a branch `change` is checked out."""
    return clone_shed(template, tmp_path / "clone")
