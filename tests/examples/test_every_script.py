"""No script lies beside the specs that nobody runs."""

from pathlib import Path

import pytest
from examples.processes import JOBS

SCRIPTS = sorted(path.relative_to(JOBS).as_posix() for path in JOBS.glob("*/*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_run_by_a_test_and_started_by_a_spec(script: str) -> None:
    tests = Path(__file__).parent.glob("test_*.py")
    assert any(f'"{script}"' in test.read_text("utf-8") for test in tests)
    team, _, name = script.partition("/")
    assert any(name in spec.read_text("utf-8") for spec in (JOBS / team).glob("*.yaml"))
