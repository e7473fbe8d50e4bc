"""docs/scenarios.md: every row names specs, clusters and tests that are there, and no job and no cluster is left out."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLUSTERS = sorted(path.stem for path in (ROOT / "specs/clusters").glob("*.yaml"))
ROWS = {"A": 6, "B": 12, "C": 8, "D": 9, "E": 8, "F": 6}
"""How many wishes each letter has."""


def read_rows() -> dict[str, list[str]]:
    """Each row's cells after its number: wish, spec, clusters, becomes, test."""
    page = (ROOT / "docs/scenarios.md").read_text("utf-8")
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| [A-F]\d+ \|", line)]
    return {number: rest for number, *rest in cells}


TABLE = read_rows()


def test_every_wish_has_a_row() -> None:
    assert list(TABLE) == [
        f"{letter}{number}" for letter, last in ROWS.items() for number in range(1, last + 1)
    ]


@pytest.mark.parametrize("number", TABLE)
def test_row_names_specs_clusters_and_tests_that_exist(number: str) -> None:
    _, spec, clusters, _, tests = TABLE[number]
    for name in re.findall("`(.+?)`", spec):
        assert spec_of(name).is_file(), name
    for name in re.findall("`(.+?)`", tests):
        place = ROOT / "tests" / name
        assert place.is_dir() or place.with_suffix(".py").is_file(), name
    assert "`" in tests
    assert "`" in spec or "`findings/" in tests, "without a spec it is an error"
    if clusters not in ("all", "–"):
        assert set(clusters.split(", ")) <= set(CLUSTERS)


@pytest.mark.parametrize("number", TABLE)
def test_jobs_of_a_row_are_rendered_for_its_clusters(number: str) -> None:
    _, spec, clusters, _, _ = TABLE[number]
    jobs = [name for name in re.findall("`(.+?)`", spec) if not name.startswith(("clusters/", "teams/"))]
    places = {
        path.parent.name
        for name in jobs
        for path in (ROOT / "rendered").glob(f"*/job-{name.replace('/', '-')}")
    }
    named = CLUSTERS if clusters == "all" else clusters.split(", ")
    only_jobs = jobs and len(jobs) == spec.count("`") // 2
    assert not only_jobs or set(named) <= places


def test_every_job_and_every_cluster_is_on_the_page() -> None:
    page = (ROOT / "docs/scenarios.md").read_text("utf-8")
    jobs = [f"{path.parent.name}/{path.stem}" for path in (ROOT / "specs/jobs").glob("*/*.yaml")]
    assert [name for name in [*jobs, *CLUSTERS] if f"`{name}`" not in page] == []


def spec_of(name: str) -> Path:
    folder = "" if name.startswith(("clusters/", "teams/")) else "jobs/"
    return ROOT / f"specs/{folder}{name}.yaml"
