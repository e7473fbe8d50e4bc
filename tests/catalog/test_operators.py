"""Releases of operators: what each has is what its own schemas say, and each can be asked."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from trainshed import catalog
from trainshed.catalog.operator import read_field
from trainshed.derive import read_releases
from trainshed.model.catalog import CatalogError, ManifestField, Operator, OperatorRelease, ServedKind
from trainshed.model.spec.cluster import OperatorName

SCHEMAS = Path(__file__).parents[2] / "schemas"
CATALOGUED = [
    (name, version) for name, operator in catalog.operators().items() for version in operator.releases
]
UNAVAILABLE = {
    (name, version): reason
    for name, row in read_releases().items()
    for version, reason in row.get("unavailable", {}).items()
}
"""Releases that have no schemas, and why."""

RELEASES = [release for release in CATALOGUED if release not in UNAVAILABLE]


def release_of(name: str, version: str) -> OperatorRelease:
    return catalog.operators()[name].releases[version]


def fields_of_spec(operator: Operator) -> Iterator[tuple[str, ManifestField]]:
    """Every field that a schema can know; labels and annotations are free."""
    for name, feature in operator.features.items():
        yield from ((name, field) for field in feature.fields if not field.pointer.startswith("/metadata/"))


def schema_of(release: OperatorRelease, kind: ServedKind) -> Mapping[str, Any]:
    group, _, version = kind.api_version.rpartition("/")
    return read_schema(
        SCHEMAS / release.operator / release.version / group / f"{kind.kind.lower()}_{version}.json"
    )


@cache
def read_schema(path: Path) -> Mapping[str, Any]:
    return json.loads(path.read_text("utf-8"))


def has(release: OperatorRelease, field: ManifestField) -> bool | None:
    """Whether the release's schema knows the field and its value; None where it lists no values."""
    kind = release.serves(field.kind)
    if kind is None:
        return False
    node = schema = schema_of(release, kind)
    for step in field.pointer.split("/")[1:]:
        below = node.get("items") if step == "*" else node.get("properties", {}).get(step)
        if below is None:
            return False
        node = resolved(schema, below)
    if field.value and "enum" not in node:
        return None
    return not field.value or field.value in node["enum"]


def resolved(schema: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    name = node.get("$ref", "").rpartition("/")[2]
    return schema["definitions"][name] if name else node


@pytest.mark.parametrize(("name", "version"), RELEASES)
def test_a_release_has_the_fields_of_its_features_and_lacks_those_of_others(name: str, version: str) -> None:
    release = release_of(name, version)
    wrong = [
        f"{feature}: {field}"
        for feature, field in fields_of_spec(catalog.operators()[name])
        if has(release, field) is (not release.can(feature))
    ]
    assert wrong == []


@pytest.mark.parametrize("name", catalog.operators())
def test_the_fields_of_a_feature_are_of_kinds_that_its_operator_serves(name: str) -> None:
    operator = catalog.operators()[name]
    kinds = {served.kind for release in operator.releases.values() for served in release.kinds}
    assert {field.kind for _, field in fields_of_spec(operator)} <= kinds


@pytest.mark.parametrize(("name", "version"), RELEASES)
def test_a_release_can_be_judged_by_schemas_of_its_own(name: str, version: str) -> None:
    assert version in read_releases()[name]["releases"]


def test_a_release_without_schemas_is_one_of_the_catalogue_and_has_a_reason() -> None:
    assert UNAVAILABLE.keys() <= {*CATALOGUED}
    assert all(UNAVAILABLE.values())
    assert not [
        (name, version) for name, version in UNAVAILABLE if version in read_releases()[name]["releases"]
    ]


def test_the_grammar_names_the_operators_of_the_catalogue() -> None:
    assert set(get_args(OperatorName)) == catalog.operators().keys()


@pytest.mark.parametrize(
    ("name", "feature", "having"),
    [
        ("training-operator", "managed-by", ["v1.9.4"]),
        ("training-operator", "gang-scheduler-flag", ["v1.8.1", "v1.9.4"]),
        ("kuberay", "rayjob-backoff-limit", ["v1.2.2", "v1.6.2"]),
        ("kuberay", "batch-scheduler-plugins", ["v1.6.2"]),
        ("kueue", "elastic-jobs", ["v0.14.0", "v0.19.2"]),
        ("kueue", "elastic-rayjob", ["v0.19.2"]),
        ("kueue", "trainjob-integration", ["v0.19.2"]),
        ("jobset", "exclusive-topology", ["v0.8.0", "v0.12.0"]),
        ("jobset", "in-place-restart", ["v0.12.0"]),
        ("gpu-operator", "mps", ["v26.7.0"]),
    ],
)
def test_a_release_can_be_asked_what_it_can_do(name: str, feature: str, having: list[str]) -> None:
    releases = catalog.operators()[name].releases.values()
    assert [release.version for release in releases if release.can(feature)] == having


def test_asking_for_a_feature_that_no_table_has_is_our_mistake() -> None:
    with pytest.raises(CatalogError, match="kueue has no feature elastic-rayjobs"):
        release_of("kueue", "v0.19.2").can("elastic-rayjobs")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("RayJob /spec/managedBy", ManifestField("RayJob", "/spec/managedBy")),
        (
            "RayJob /spec/submissionMode=SidecarMode",
            ManifestField("RayJob", "/spec/submissionMode", "SidecarMode"),
        ),
    ],
)
def test_a_field_is_a_kind_and_a_pointer_and_maybe_a_value(text: str, field: ManifestField) -> None:
    assert read_field(text) == field
    assert str(field) == text


@pytest.mark.parametrize("text", ["/spec/managedBy", "RayJob", "RayJob spec.managedBy", ""])
def test_a_field_without_kind_or_pointer_is_refused(text: str) -> None:
    with pytest.raises(CatalogError, match="not a kind and a JSON pointer"):
        read_field(text)
