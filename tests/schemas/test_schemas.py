"""The committed schemas: each stands alone, compiles, is asked for, and covers what our apps render."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from jsonschema import Draft4Validator
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas"
OURS = "trainshed"
"""The schemas of our own specs lie in this folder and follow other rules."""

Schema: TypeAlias = dict[str, Any]

KEYWORDS_OF_MAPS = ("definitions", "properties")
KEYWORDS_OF_LISTS = ("allOf", "anyOf", "oneOf")
KEYWORDS_OF_ONE = ("additionalProperties", "items", "not")

RENDERED = {
    "kubernetes": (
        "core/configmap_v1",
        "core/limitrange_v1",
        "core/namespace_v1",
        "core/persistentvolume_v1",
        "core/persistentvolumeclaim_v1",
        "core/resourcequota_v1",
        "core/secret_v1",
        "core/service_v1",
        "core/serviceaccount_v1",
        "batch/cronjob_v1",
        "batch/job_v1",
        "networking.k8s.io/networkpolicy_v1",
        "policy/poddisruptionbudget_v1",
        "rbac.authorization.k8s.io/clusterrole_v1",
        "rbac.authorization.k8s.io/clusterrolebinding_v1",
        "rbac.authorization.k8s.io/role_v1",
        "rbac.authorization.k8s.io/rolebinding_v1",
        "scheduling.k8s.io/priorityclass_v1",
        "storage.k8s.io/storageclass_v1",
    ),
    "training-operator": (
        "kubeflow.org/mpijob_v1",
        "kubeflow.org/paddlejob_v1",
        "kubeflow.org/pytorchjob_v1",
        "kubeflow.org/tfjob_v1",
        "kubeflow.org/xgboostjob_v1",
    ),
    "kuberay": ("ray.io/raycluster_v1", "ray.io/rayjob_v1"),
    "kueue": (
        "kueue.x-k8s.io/clusterqueue_v1beta1",
        "kueue.x-k8s.io/localqueue_v1beta1",
        "kueue.x-k8s.io/resourceflavor_v1beta1",
        "kueue.x-k8s.io/workloadpriorityclass_v1beta1",
    ),
    "jobset": ("jobset.x-k8s.io/jobset_v1alpha2",),
    "mpi-operator": ("kubeflow.org/mpijob_v2beta1",),
    "trainer": ("trainer.kubeflow.org/trainingruntime_v1alpha1", "trainer.kubeflow.org/trainjob_v1alpha1"),
    "volcano": (
        "batch.volcano.sh/cronjob_v1alpha1",
        "batch.volcano.sh/job_v1alpha1",
        "scheduling.volcano.sh/podgroup_v1beta1",
        "scheduling.volcano.sh/queue_v1beta1",
    ),
    "scheduler-plugins": ("scheduling.x-k8s.io/podgroup_v1alpha1",),
    "snapshotter": (
        "snapshot.storage.k8s.io/volumesnapshot_v1",
        "snapshot.storage.k8s.io/volumesnapshotclass_v1",
    ),
    "snapscheduler": ("snapscheduler.backube/snapshotschedule_v1",),
    "gpu-operator": ("nvidia.com/clusterpolicy_v1",),
    "external-secrets": ("external-secrets.io/externalsecret_v1", "external-secrets.io/secretstore_v1"),
    "prometheus-operator": (
        "monitoring.coreos.com/podmonitor_v1",
        "monitoring.coreos.com/prometheusrule_v1",
        "monitoring.coreos.com/servicemonitor_v1",
    ),
    "argo-cd": (
        "argoproj.io/application_v1alpha1",
        "argoproj.io/applicationset_v1alpha1",
        "argoproj.io/appproject_v1alpha1",
    ),
}
"""What every committed release of an operator has to have."""

RENDERED_AT = {
    ("training-operator", "v1.9.4"): ("kubeflow.org/jaxjob_v1",),
    ("kueue", "v0.19.2"): (
        "kueue.x-k8s.io/clusterqueue_v1beta2",
        "kueue.x-k8s.io/localqueue_v1beta2",
        "kueue.x-k8s.io/resourceflavor_v1beta2",
        "kueue.x-k8s.io/workloadpriorityclass_v1beta2",
    ),
}
"""What only newer releases have."""


def committed() -> list[Path]:
    """Every committed schema, as a path below `schemas/`."""
    paths = (path.relative_to(SCHEMAS) for path in SCHEMAS.rglob("*") if path.is_file())
    return sorted(path for path in paths if path.parts[0] != OURS)


@cache
def text_of(path: Path) -> str:
    return (SCHEMAS / path).read_bytes().decode("utf-8")


@cache
def schema_at(path: Path) -> Schema:
    return json.loads(text_of(path))


@cache
def releases() -> Mapping[str, tuple[str, ...]]:
    """The releases that `releases.yaml` lists, by operator."""
    file = ROOT / "generator" / "trainshed" / "catalog" / "releases.yaml"
    parser: Any = YAML(typ="safe")
    operators: dict[str, Any] = parser.load(file.read_text(encoding="utf-8"))
    return {operator: tuple(row["releases"]) for operator, row in operators.items()}


def subschemas(schema: Schema) -> Iterator[Schema]:
    """The schema and every schema inside it; the names of fields are not mistaken for keywords."""
    yield schema
    children = [child for keyword in KEYWORDS_OF_MAPS for child in schema.get(keyword, {}).values()]
    children += [child for keyword in KEYWORDS_OF_LISTS for child in schema.get(keyword, ())]
    children += [schema[keyword] for keyword in KEYWORDS_OF_ONE if isinstance(schema.get(keyword), dict)]
    for child in children:
        yield from subschemas(child)


@pytest.mark.parametrize("path", committed(), ids=str)
def test_schema_compiles_as_draft_4(path: Path) -> None:
    schema = schema_at(path)
    assert schema["$schema"] == "http://json-schema.org/draft-04/schema#"
    Draft4Validator.check_schema(schema)


@pytest.mark.parametrize("path", committed(), ids=str)
def test_schema_holds_no_words_for_people(path: Path) -> None:
    keywords = {keyword for schema in subschemas(schema_at(path)) for keyword in schema}
    assert not keywords & {"description", "example", "externalDocs", "title"}


@pytest.mark.parametrize("path", committed(), ids=str)
def test_schema_of_a_custom_resource_says_what_admission_needs_and_no_other_does(path: Path) -> None:
    schema = schema_at(path)
    if path.parts[0] == "kubernetes":
        keywords = {keyword for inner in subschemas(schema) for keyword in inner}
        assert not keywords & {"default", "nullable"}
        assert not [keyword for keyword in keywords if keyword.startswith("x-")]
    else:
        resource = schema["x-trainshed-resource"]
        assert resource["scope"] in ("Cluster", "Namespaced")
        assert resource["plural"] and resource["singular"]


@pytest.mark.parametrize("path", committed(), ids=str)
def test_schema_refers_to_its_own_definitions_and_to_all_of_them(path: Path) -> None:
    schema = schema_at(path)
    references = {inner["$ref"] for inner in subschemas(schema) if "$ref" in inner}
    assert references == {f"#/definitions/{name}" for name in schema.get("definitions", {})}


@pytest.mark.parametrize("path", committed(), ids=str)
def test_schema_closes_its_root_and_names_its_own_kind(path: Path) -> None:
    schema = schema_at(path)
    _, _, group, file = path.parts
    (kind,) = schema["properties"]["kind"]["enum"]
    (api_version,) = schema["properties"]["apiVersion"]["enum"]
    assert schema["additionalProperties"] is False
    assert {"apiVersion", "kind", "metadata"} <= set(schema["required"])
    assert file == f"{kind.lower()}_{api_version.rpartition('/')[2]}.json"
    assert group == (api_version.rpartition("/")[0] or "core")


@pytest.mark.parametrize("path", committed(), ids=str)
def test_schema_takes_labels_and_annotations_of_strings_only(path: Path) -> None:
    schema = schema_at(path)
    only_metadata: Any = Draft4Validator({**schema, "required": ["metadata"]})
    for field in ("labels", "annotations"):
        assert only_metadata.is_valid({"metadata": {"name": "a", field: {"b": "1"}}})
        assert not only_metadata.is_valid({"metadata": {"name": "a", field: {"b": 1}}})
    assert not only_metadata.is_valid({"metadata": {"name": "a", "label": {}}})


def test_committed_releases_are_those_of_releases_yaml() -> None:
    found = {path.parts[:2] for path in committed()}
    listed = {(operator, release) for operator, names in releases().items() for release in names}
    assert found == listed


@pytest.mark.parametrize(
    ("operator", "release"),
    [(operator, release) for operator in RENDERED for release in releases()[operator]],
)
def test_every_release_has_the_kinds_that_apps_render(operator: str, release: str) -> None:
    wanted = {*RENDERED[operator], *RENDERED_AT.get((operator, release), ())}
    missing = {kind for kind in wanted if not (SCHEMAS / operator / release / f"{kind}.json").is_file()}
    assert missing == set()


def test_kueue_keeps_one_release_that_serves_v1beta1_alone() -> None:
    versions = {
        release: {
            path.stem.rpartition("_")[2] for path in committed() if path.parts[:2] == ("kueue", release)
        }
        for release in releases()["kueue"]
    }
    assert "v1beta2" not in versions["v0.14.0"]
    assert "v1beta2" in versions["v0.19.2"]


@pytest.mark.parametrize(
    ("spec", "fits"),
    [
        ({"schedule": "0 3 * * *", "retention": {"expires": "168h", "maxCount": 7}}, True),
        ({"schedule": "@daily", "snapshotTemplate": {"snapshotClassName": "csi"}}, True),
        ({"schedule": "@daily", "claimSelector": {"matchLabels": {"app": "train"}}}, True),
        ({"schedule": "every night"}, False),
        ({"schedule": "@daily", "retention": {"expires": "7d"}}, False),
        ({"schedule": "@daily", "retention": {"maxCount": 0}}, False),
        ({"schedule": "@daily", "snapshotClassName": "csi"}, False),
    ],
)
def test_the_schema_that_is_written_by_hand_judges_as_its_operator_does(spec: Schema, fits: bool) -> None:
    schema = schema_at(Path("snapscheduler/v3.5.0/snapscheduler.backube/snapshotschedule_v1.json"))
    judge: Any = Draft4Validator(schema)
    kind = {"apiVersion": "snapscheduler.backube/v1", "kind": "SnapshotSchedule"}
    assert judge.is_valid({**kind, "metadata": {"name": "nightly"}, "spec": spec}) is fits


def test_schemas_stay_small() -> None:
    assert sum(len(text_of(path).encode("utf-8")) for path in committed()) < 6_000_000
