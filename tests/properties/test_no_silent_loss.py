"""No silent loss: every leaf of a spec changes what is rendered, or is reported, on every kind that carries runs.

The leaves come from the types, so a new field without a row here fails. What merely echoes the spec is taken out
before comparing: a run's digest, the lineage in its checkpoints' folder, the hash in a ConfigMap's name, and what
stands in labels and annotations for people alone.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest
from properties.extra_leaves import EXTRA_ROWS
from properties.job_leaves import BODY_ROWS, JOB_ROWS
from properties.leaf_rows import Data, Row, lay
from properties.leaf_specs import BACKENDS, SPECS, TRAINING_JOB, nearby
from properties.leaves import JOB, leaves_of
from properties.platform_leaves import CLUSTER_ROWS, POLICY_ROWS, PRESET_ROWS, TEAM_ROWS
from properties.rendering import Outcome, Render, rendering

from trainshed.model.spec import KINDS, JobBody

FIXED = {"apiVersion", "kind"}
"""Leaves of which the types take one value only: there is nothing that they could change."""

ROWS: Mapping[str, tuple[Row, ...]] = {
    "Cluster": CLUSTER_ROWS,
    "Team": TEAM_ROWS,
    "Preset": PRESET_ROWS,
    "TrainingJob": (*BODY_ROWS, *EXTRA_ROWS, *JOB_ROWS),
    "Policy": POLICY_ROWS,
}
LAYERS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("TrainingJob", f"clusters.*.{JOB}"): ("clusters", "lab"),
    ("Preset", f"job.{JOB}"): ("job",),
    ("Team", f"defaults.{JOB}"): ("defaults",),
    ("Team", f"defaults.clusters.*.{JOB}"): ("defaults", "clusters", "lab"),
    ("Cluster", f"defaults.{JOB}"): ("defaults",),
    ("TrainingJob", f"environments.*.{JOB}"): ("environments", "prod"),
    ("Team", f"defaults.environments.*.{JOB}"): ("defaults", "environments", "prod"),
}
"""Where a job's wishes can stand but in the job itself."""

FOR_PEOPLE: Mapping[str, frozenset[str]] = {
    "TrainingJob": frozenset({"description", "owner", "costCenter", "tags[]", "security.why"}),
    "Team": frozenset({"owner", "costCenter", "privileged.why"}),
}
"""Leaves that are there to be read on the objects: their echoes are what they are for."""

PLATFORM = ("lab", "annex")
"""The clusters that a leaf of the platform may concern."""

AT_HOME = [name for name, backend in BACKENDS.items() if "clusters" not in backend]
"""Backends that run where wishes are moved to."""

BODY_FIELDS = frozenset(field.alias or name for name, field in JobBody.model_fields.items())


@pytest.fixture(scope="module")
def render() -> Iterator[Render]:
    with rendering() as render:
        yield render


def compare(render: Render, kind: str, row: Row, backend: Data) -> tuple[Outcome, Outcome]:
    """What is rendered without the leaf, and with it."""
    specs = {name: lay(spec, row.beside.get(name, {})) for name, spec in SPECS.items()}
    spec = lay(specs[kind], backend)
    jobs_only = kind == "TrainingJob"
    before, after = (specs | {kind: made} for made in (row.without(spec), row.within(spec)))
    clusters = (
        {"lab", *before[kind].get("clusters", ()), *after[kind].get("clusters", ())}
        if jobs_only
        else PLATFORM
    )
    return render(nearby(before, clusters), jobs_only), render(nearby(after, clusters), jobs_only)


def seen(outcome: Outcome, *, by_people: bool) -> tuple[str, ...]:
    """What a leaf may change: objects and findings, and echoes where they are what the leaf is for."""
    return (outcome.objects, outcome.said, outcome.echoes if by_people else "")


@pytest.mark.parametrize("kind", KINDS)
def test_every_leaf_of_the_types_has_a_row_and_every_row_a_leaf(kind: str) -> None:
    rows = {row.leaf for row in ROWS[kind]} | {leaf for owner, leaf in LAYERS if owner == kind}

    assert rows | FIXED == leaves_of(KINDS[kind])


@pytest.mark.parametrize(
    ("kind", "leaf"), sorted({(kind, row.leaf) for kind, rows in ROWS.items() for row in rows})
)
def test_a_leaf_changes_what_is_rendered_or_is_reported(render: Render, kind: str, leaf: str) -> None:
    backends = BACKENDS if kind == "TrainingJob" else {"its cluster": {}}
    by_people = leaf in FOR_PEOPLE.get(kind, ())
    lost: list[str] = []
    honoured: list[str] = []
    carrying_nothing: set[str] = set()
    for row, name in product((row for row in ROWS[kind] if row.leaf == leaf), backends):
        before, after = compare(render, kind, row, backends[name])
        is_same = seen(before, by_people=by_people) == seen(after, by_people=by_people)
        carrying_nothing |= after.ignored
        if after.refused:
            continue
        if is_same and name not in row.alike:
            lost.append(f"{row} on {name}")
        if before.refused == row.needed and not is_same:
            honoured.append(name)
    assert lost == []
    assert carrying_nothing == set()
    assert honoured != []


@pytest.mark.parametrize(("kind", "leaf"), LAYERS)
def test_a_wish_means_the_same_wherever_it_is_written(render: Render, kind: str, leaf: str) -> None:
    differing: list[str] = []
    for row in (*BODY_ROWS, *EXTRA_ROWS):
        for name in AT_HOME:
            job = row.within(lay(TRAINING_JOB, BACKENDS[name]))
            at_home = render(nearby(SPECS, ["lab"]) | {"TrainingJob": job}, True)
            if not at_home.refused:
                moved = render(_move(job, kind, LAYERS[kind, leaf]), True)
                differing += [f"{row} on {name}"] if moved.objects != at_home.objects else []
                break

    assert differing == []


def _move(job: Data, kind: str, place: tuple[str, ...]) -> Mapping[str, Data]:
    """The specs with all wishes of the job in another place."""
    wishes: Any = {key: value for key, value in job.items() if key in BODY_FIELDS}
    for step in reversed(place):
        wishes = {step: wishes}
    bare = {key: value for key, value in job.items() if key not in BODY_FIELDS} | {"extends": ["large"]}
    specs = nearby(SPECS, ["lab"]) | {"TrainingJob": bare}
    specs["Preset"] = specs["Preset"] | {"job": {}}
    return specs | {kind: lay(specs[kind], wishes)}
