"""What a job may say is refused in the spec's own words, or comes to objects that every judge of a cluster accepts."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties.odd_jobs import NAMES, odd_jobs
from properties.wishes import LAB, VISION
from repositories import Project, write_project

from trainshed.engine.pool import EnginePool
from trainshed.model.diagnostic import Diagnostic, Severity
from trainshed.model.selection import Selection
from trainshed.pipeline import Journey, render_specs
from trainshed.report.terminal import SilentProgress

JOB = {
    "apiVersion": "trainshed/v1",
    "kind": "TrainingJob",
    "team": "vision",
    "image": "registry.example.com/vision/train:1.0",
}
OURS = {"build-failed", "build-differs"}
"""What no job can be blamed for."""


@pytest.fixture(scope="module")
def engine() -> Iterator[EnginePool]:
    with EnginePool() as running:
        yield running


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.dictionaries(NAMES, odd_jobs(), min_size=4, max_size=8))
def test_what_no_spec_is_blamed_for_every_judge_accepts(
    engine: EnginePool, jobs: dict[str, dict[str, Any]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = write_project(
            Path(folder), {"specs/clusters/lab.yaml": LAB, "specs/teams/vision.yaml": VISION}
        )
        project.write(
            {
                f"specs/jobs/vision/{name}.yaml": json.dumps(JOB | {"name": name} | job)
                for name, job in jobs.items()
            }
        )
        judged = render_accepted(project, engine)
    assert errors_of(judged) == []


def render_accepted(project: Project, engine: EnginePool) -> Journey:
    """Render the jobs without those that the specs' own checks refuse."""
    while True:
        journey = render_specs(project.path, Selection(), engine, SilentProgress())
        if journey.rendered is not None:
            return journey
        refused = errors_of(journey)
        assert {finding.code for finding in refused}.isdisjoint(OURS), refused
        blamed = {project.path / finding.source.path for finding in refused}
        assert blamed
        for path in blamed:
            assert path.is_relative_to(project.path / "specs" / "jobs"), refused
            path.unlink()


def errors_of(journey: Journey) -> list[Diagnostic]:
    return [finding for finding in journey.findings if finding.severity is Severity.ERROR]
