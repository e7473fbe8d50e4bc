"""No silent loss: every leaf of a spec changes what is rendered, or is reported.

The leaves come from the types, so a new field without a row here fails. What merely echoes the spec is taken out
before comparing: a run's digest, the lineage in its checkpoints' folder, the hash in a ConfigMap's name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from properties.extra_leaves import EXTRA_ROWS
from properties.job_leaves import BODY_ROWS, JOB_ROWS
from properties.leaf_rows import Data, Row, lay
from properties.leaf_specs import BACKENDS, FOLDERS, SPECS, TRAINING_JOB
from properties.leaves import JOB, leaves_of
from properties.platform_leaves import CLUSTER_ROWS, POLICY_ROWS, PRESET_ROWS, TEAM_ROWS
from repositories import write_project

from trainshed.compile.node import prepare_node
from trainshed.load import load_inputs
from trainshed.model.diagnostic import Findings, has_errors
from trainshed.model.plan import Plan
from trainshed.model.spec import KINDS, JobBody
from trainshed.resolve import resolve_plan
from trainshed.validate.schemas import SHIPPED, schema_folders

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

HONOURED_NOWHERE: Mapping[str, str] = {
    "pools.*.sharing.mps": "no release of the GPU Operator that the catalogue has knows MPS",
}
"""Leaves that are reported on every cluster, and why."""

DIGEST = re.compile(r"\b(resnet(?:-[a-z]+)?-|/)[0-9a-f]{8}\b")
BODY_FIELDS = frozenset(field.alias or name for name, field in JobBody.model_fields.items())


@dataclass(frozen=True)
class Outcome:
    """What became of the specs: the objects without echoes, and what was said."""

    objects: str
    said: str
    refused: bool


@cache
def render(specs: str, jobs_only: bool) -> Outcome:
    """Load, resolve and compile the specs, as far as they go."""
    with TemporaryDirectory() as folder:
        loaded = load_inputs(write_project(Path(folder), _files(json.loads(specs))).path)
    if loaded.value is None or loaded.has_errors:
        return Outcome("", _say(loaded.findings), True)
    resolved = resolve_plan(loaded.value)
    said = _say(loaded.findings + resolved.findings)
    if resolved.value is None or has_errors(resolved.findings):
        return Outcome("", said, True)
    objects, unmade = _compile(resolved.value, jobs_only)
    return Outcome(DIGEST.sub(r"\1#", objects), said + _say(unmade), has_errors(unmade))


def _files(specs: Mapping[str, Data]) -> dict[str, str | bytes]:
    """JSON is YAML. Code lies beside every spec that may name it."""
    files: dict[str, str | bytes] = {
        f"specs/{folder}/{name}.py": f"print('{name}')\n" for folder in FOLDERS.values() for name in "ab"
    }
    return files | {
        f"specs/{FOLDERS[spec['kind']]}/{file.lower()}.yaml": json.dumps(spec) for file, spec in specs.items()
    }


def _compile(plan: Plan, jobs_only: bool) -> tuple[str, Findings]:
    """Every object, what they are judged by (the schemas of each cluster, and rules), and patches that cannot be."""
    prepare_node()
    from trainshed.compile.apps import compile_apps, compile_target
    from trainshed.compile.platform.argocd import subscriptions

    apps = tuple(map(compile_target, plan.targets) if jobs_only else compile_apps(plan))
    texts = [manifest.text for app in apps for manifest in app.manifests]
    texts += [str(subscriptions(target.observability.notify)) for target in plan.targets]
    judges = [str(schema_folders(cluster, SHIPPED[0])) for cluster in plan.clusters.values()]
    unmade = tuple(finding for app in apps for finding in app.findings)
    return "\n".join([*texts, *judges, *_describe_rules(plan)]), unmade


def _describe_rules(plan: Plan) -> Iterator[str]:
    for layer in (*plan.clusters.values(), *plan.teams):
        yield from (f"{name}: {said.severity} {said.gpu_hours}" for name, said in layer.policies.items())
    for target in plan.targets:
        yield from (f"waived {waiver.rule}: {waiver.because}" for waiver in target.waivers)
    for rule in plan.rules:
        yield f"{rule.name} {rule.severity} {sorted(rule.kinds)} {rule.expression}"
        yield f"{rule.message} {rule.message_expression}"


def _say(findings: Findings) -> str:
    return "\n".join(sorted(f"{finding.severity} {finding.code} {finding.summary}" for finding in findings))


def compare(kind: str, row: Row, backend: Mapping[str, Any]) -> tuple[Outcome, Outcome]:
    """What is rendered without the leaf, and with it."""
    specs = {name: lay(spec, row.beside.get(name, {})) for name, spec in SPECS.items()}
    spec = lay(specs[kind], backend)
    jobs_only = kind == "TrainingJob"
    before = render(json.dumps(specs | {kind: row.without(spec)}), jobs_only)
    return before, render(json.dumps(specs | {kind: row.within(spec)}), jobs_only)


@pytest.mark.parametrize("kind", KINDS)
def test_every_leaf_of_the_types_has_a_row_and_every_row_a_leaf(kind: str) -> None:
    rows = {row.leaf for row in ROWS[kind]} | {leaf for owner, leaf in LAYERS if owner == kind}

    assert rows | FIXED == leaves_of(KINDS[kind])


@pytest.mark.parametrize(
    ("kind", "leaf"), sorted({(kind, row.leaf) for kind, rows in ROWS.items() for row in rows})
)
def test_a_leaf_changes_what_is_rendered_or_is_reported(kind: str, leaf: str) -> None:
    backends = BACKENDS if kind == "TrainingJob" else {"its cluster": {}}
    compared = [
        (row, name, *compare(kind, row, backend))
        for row in ROWS[kind]
        if row.leaf == leaf
        for name, backend in backends.items()
    ]
    lost = [
        f"{row} on {name}" for row, name, before, after in compared if before == after and not after.refused
    ]
    honoured = [
        name
        for row, name, before, after in compared
        if not after.refused and before.refused == row.needed and before != after
    ]
    assert lost == [f"{row} on {name}" for row, name, *_ in compared if name in row.alike]
    assert (honoured == []) == (leaf in HONOURED_NOWHERE)


@pytest.mark.parametrize(("kind", "leaf"), LAYERS)
def test_a_wish_means_the_same_wherever_it_is_written(kind: str, leaf: str) -> None:
    differing: list[str] = []
    for row in (*BODY_ROWS, *EXTRA_ROWS):
        for name, backend in BACKENDS.items():
            if "clusters" in backend:
                continue  # runs elsewhere than where the wishes are moved to
            job = row.within(lay(TRAINING_JOB, backend))
            at_home = render(json.dumps(SPECS | {"TrainingJob": job}), jobs_only=True)
            if not at_home.refused:
                moved = render(json.dumps(_move(job, kind, LAYERS[kind, leaf])), jobs_only=True)
                differing += [f"{row} on {name}"] if moved.objects != at_home.objects else []
                break

    assert differing == []


def _move(job: Data, kind: str, place: tuple[str, ...]) -> Mapping[str, Data]:
    """The specs with all wishes of the job in another place."""
    wishes: Any = {key: value for key, value in job.items() if key in BODY_FIELDS}
    for step in reversed(place):
        wishes = {step: wishes}
    bare = {key: value for key, value in job.items() if key not in BODY_FIELDS} | {"extends": ["large"]}
    specs = {**SPECS, "Preset": SPECS["Preset"] | {"job": {}}, "TrainingJob": bare}
    return specs | {kind: lay(specs[kind], wishes)}
