"""Properties that every row of the catalogue has."""

import re
from collections.abc import Mapping
from itertools import chain

import pytest

from trainshed import catalog
from trainshed.model.catalog import AccessMode, Taint

TABLES = {
    "machines": catalog.machines,
    "providers": catalog.providers,
    "fabrics": catalog.fabrics,
    "storage": catalog.storage_drivers,
    "operators": catalog.operators,
}
ROWS = [(table, name) for table, read in TABLES.items() for name in read()]

# Label syntax of k8s.io/apimachinery, pkg/util/validation: an optional DNS-1123 subdomain, a slash, a name.
LABEL_NAME = re.compile(r"(?=.{1,63}$)[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?")
LABEL_PREFIX = re.compile(r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def is_key(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    return bool(LABEL_NAME.fullmatch(name)) and (not slash or bool(LABEL_PREFIX.fullmatch(prefix)))


def is_value(text: str) -> bool:
    return text == "" or bool(LABEL_NAME.fullmatch(text))


def assert_labels(labels: Mapping[str, str]) -> None:
    assert {key: value for key, value in labels.items() if not (is_key(key) and is_value(value))} == {}


def assert_taints(taints: tuple[Taint, ...]) -> None:
    for taint in taints:
        assert is_key(taint.key) and is_value(taint.value)
        assert taint.effect in {"NoSchedule", "PreferNoSchedule", "NoExecute"}


@pytest.mark.parametrize(("table", "name"), ROWS)
def test_every_row_names_its_sources(table: str, name: str) -> None:
    sources = TABLES[table]()[name].sources
    assert sources
    assert all(re.fullmatch(r"https://[^\s]+", source) for source in sources)


@pytest.mark.parametrize("name", catalog.machines())
def test_a_machine_has_valid_labels_and_taints(name: str) -> None:
    machine = catalog.machines()[name]
    assert_labels(machine.labels)
    assert_taints(machine.taints)


@pytest.mark.parametrize("name", catalog.machines())
def test_a_machine_belongs_to_tables_that_exist(name: str) -> None:
    machine = catalog.machines()[name]
    assert re.fullmatch(r"[a-z]+/[A-Za-z0-9._-]+", name)
    assert machine.provider in catalog.providers()
    assert machine.fabric is None or machine.fabric.name in catalog.fabrics()
    assert machine.fabric is None or machine.fabric.devices > 0


@pytest.mark.parametrize("name", catalog.machines())
def test_a_machine_offers_less_than_it_has_and_more_than_its_daemons_take(name: str) -> None:
    machine = catalog.machines()[name]
    left = machine.allocatable.less(catalog.providers()[machine.provider].daemon_reserve)
    assert 0 < left.cpu_millicores < machine.capacity.cpu_millicores
    assert 0 < left.memory_bytes < machine.capacity.memory_bytes
    assert machine.allocatable.cpu_millicores <= machine.capacity.cpu_millicores
    assert machine.allocatable.memory_bytes <= machine.capacity.memory_bytes


@pytest.mark.parametrize("name", catalog.machines())
def test_gpus_are_counted_and_asked_for_by_a_resource_name(name: str) -> None:
    gpus = catalog.machines()[name].accelerator
    if gpus is not None:
        assert gpus.count > 0
        assert is_key(gpus.resource) and "/" in gpus.resource
        assert re.fullmatch(r"[a-z0-9-]+", gpus.type)
        assert gpus.memory_bytes >= 16 * 1024**3


@pytest.mark.parametrize("name", catalog.providers())
def test_a_provider_has_valid_labels_and_taints(name: str) -> None:
    provider = catalog.providers()[name]
    for capacity in provider.capacities.values():
        assert_labels(capacity.labels)
        assert_taints(capacity.taints)
        for labels in capacity.variants.values():
            assert_labels(labels)
    for identity in provider.identities:
        assert_labels(identity.pod_labels)
        assert is_key(identity.annotation)


@pytest.mark.parametrize("name", catalog.providers())
def test_a_provider_sells_on_demand_and_gives_notice_for_spot_only(name: str) -> None:
    notices = {
        kind: capacity.notice_seconds for kind, capacity in catalog.providers()[name].capacities.items()
    }
    assert notices.pop("on-demand") is None
    assert all(notice is not None and notice > 0 for notice in notices.values())
    assert set(notices) <= {"spot"}


@pytest.mark.parametrize("name", catalog.fabrics())
def test_a_fabric_is_carried_or_says_why_not(name: str) -> None:
    fabric = catalog.fabrics()[name]
    assert fabric.carried is (fabric.reason == "")
    assert fabric.resource == "" or is_key(fabric.resource)


@pytest.mark.parametrize("name", catalog.storage_drivers())
def test_a_storage_driver_mounts_volumes_of_sensible_size(name: str) -> None:
    driver = catalog.storage_drivers()[name]
    assert driver.access_modes
    assert len(set(driver.access_modes)) == len(driver.access_modes)
    assert not (driver.capacity_ignored and driver.step_bytes)
    assert driver.step_bytes == 0 or driver.min_bytes > 0
    assert (
        AccessMode.READ_WRITE_MANY in driver.access_modes or AccessMode.READ_WRITE_ONCE in driver.access_modes
    )


RELEASES = [
    (name, version) for name, operator in catalog.operators().items() for version in operator.releases
]
FRAMEWORKS = {
    version: frozenset(release.settings["frameworks"].split())
    for version, release in catalog.operators()["kueue"].releases.items()
}


@pytest.mark.parametrize(("name", "version"), RELEASES)
def test_a_release_is_installed_from_a_tag_by_its_image(name: str, version: str) -> None:
    release = catalog.operators()[name].releases[version]
    assert release.install.revision.rpartition("/")[2] == version
    assert release.install.repo_url.startswith("https://github.com/")
    assert {"deployment", "container", "image", "tag", "image-value"} <= release.settings.keys()
    assert {"main", "latest", "nightly"}.isdisjoint(release.settings.values())


@pytest.mark.parametrize(("name", "version"), RELEASES)
def test_a_release_serves_each_kind_once(name: str, version: str) -> None:
    kinds = [kind.kind for kind in catalog.operators()[name].releases[version].kinds]
    assert kinds
    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize(("name", "version"), RELEASES)
def test_integrations_are_known_to_the_newest_kueue(name: str, version: str) -> None:
    release = catalog.operators()[name].releases[version]
    named = {kind.kueue_framework for kind in release.kinds} - {""}
    assert named <= FRAMEWORKS["v0.19.2"]


def test_features_are_explained() -> None:
    for operator in catalog.operators().values():
        used = frozenset(chain.from_iterable(release.features for release in operator.releases.values()))
        assert used == operator.features.keys()
