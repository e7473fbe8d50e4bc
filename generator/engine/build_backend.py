"""Hatchling, which also asks for Go where the machine has none that is new enough (PEP 517, PEP 660)."""

import sys
from pathlib import Path
from typing import Any

from hatchling.build import *  # noqa: F403  # a build backend is the functions of its module
from hatchling.build import get_requires_for_build_editable as editable_requirements
from hatchling.build import get_requires_for_build_wheel as wheel_requirements

sys.path.insert(0, str(Path(__file__).parent))
from toolchain import GO_FROM_PYPI, find_go  # found only by the line above

Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What a wheel needs besides hatchling."""
    return [*wheel_requirements(config_settings), *go_requirement()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """What an editable install needs besides hatchling."""
    return [*editable_requirements(config_settings), *go_requirement()]


def go_requirement() -> list[str]:
    """Go from PyPI, unless the machine's will do."""
    return [] if find_go(Path(__file__).parent) else [GO_FROM_PYPI]
