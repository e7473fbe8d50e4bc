"""Properties that every row of the catalogue has."""

import json
import re
import string
from collections.abc import Mapping
from itertools import chain

import pytest

from trainshed import catalog
from trainshed.model.catalog import AccessMode, PodSecurity, Taint

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


@pytest.mark.parametrize("name", catalog.machines())
def test_slices_of_a_gpu_fit_into_it(name: str) -> None:
    gpus = catalog.machines()[name].accelerator
    if gpus is not None:
        for profile, count in gpus.mig.items():
            parsed = re.fullmatch(r"(\d)g\.(\d+)gb", profile)
            assert parsed is not None, profile
            compute, memory = map(int, parsed.groups())
            assert count > 0
            assert count * compute <= 7
            assert count * memory * 1000**3 <= gpus.memory_bytes


@pytest.mark.parametrize("name", catalog.machines())
def test_a_machine_has_an_architecture_that_kubernetes_names(name: str) -> None:
    machine = catalog.machines()[name]
    assert machine.arch in {"amd64", "arm64"}
    assert "kubernetes.io/arch" not in machine.labels


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
        assert identity.annotation == "" or is_key(identity.annotation)


@pytest.mark.parametrize("name", catalog.providers())
def test_a_provider_sells_on_demand_and_always_gives_notice_for_spot(name: str) -> None:
    notices = {
        kind: capacity.notice_seconds for kind, capacity in catalog.providers()[name].capacities.items()
    }
    assert notices.pop("on-demand") is None
    assert notices.pop("reserved", None) in {None, 600}
    assert all(notice is not None and notice > 0 for notice in notices.values())
    assert set(notices) <= {"spot"}


@pytest.mark.parametrize("name", catalog.fabrics())
def test_a_fabric_is_carried_or_says_why_not(name: str) -> None:
    fabric = catalog.fabrics()[name]
    assert fabric.carried is (fabric.reason == "")
    assert fabric.resource == "" or is_key(fabric.resource)


@pytest.mark.parametrize("name", catalog.fabrics())
def test_a_fabric_asks_for_no_more_privilege_than_it_says(name: str) -> None:
    fabric = catalog.fabrics()[name]
    privileged = bool(fabric.capabilities or fabric.host_paths or fabric.sidecar)
    assert (fabric.pod_security is PodSecurity.PRIVILEGED) is privileged
    assert set(fabric.capabilities) <= {"IPC_LOCK"}
    if fabric.sidecar:
        assert set(fabric.sidecar.capabilities) <= {"NET_ADMIN", "NET_BIND_SERVICE"}


@pytest.mark.parametrize("name", catalog.fabrics())
def test_a_host_path_is_absolute_and_used(name: str) -> None:
    fabric = catalog.fabrics()[name]
    mounts = fabric.sidecar.mounts if fabric.sidecar else {}
    assert mounts.keys() <= fabric.host_paths.keys()
    for path_name, path in fabric.host_paths.items():
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", path_name)
        assert path.mount_path or path_name in mounts
        used = {path.path, path.mount_path, mounts.get(path_name, "")} - {""}
        assert all(place.startswith("/") for place in used)


@pytest.mark.parametrize("name", catalog.fabrics())
def test_annotations_name_the_interfaces_and_the_sidecar_that_are_there(name: str) -> None:
    fabric = catalog.fabrics()[name]
    assert all(is_key(key) for key in fabric.annotations)
    interfaces = json.loads(fabric.annotations.get("networking.gke.io/interfaces", "[]"))
    known = {interface["interfaceName"] for interface in interfaces}
    named = {word for value in fabric.env.values() for word in re.findall(r"\beth\d+", value)}
    assert named <= known
    if fabric.sidecar:
        assert f"devices.gke.io/container.{fabric.sidecar.name}" in fabric.annotations


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


PARTS_OF_A_BUCKET = {
    "volume",
    "bucket",
    "account",
    "prefix",
    "region",
    "endpoint",
    "user",
    "group",
    "clientId",
    "cache",
    "cacheMegabytes",
}
BUCKETS = {name: driver.bucket for name, driver in catalog.storage_drivers().items() if driver.bucket}


@pytest.mark.parametrize("name", BUCKETS)
def test_the_templates_of_a_bucket_hold_known_parts(name: str) -> None:
    bucket = BUCKETS[name]
    templates = [
        bucket.volume_handle,
        *bucket.attributes.values(),
        *bucket.identity_attributes.values(),
        *bucket.inline_attributes.values(),
        *chain.from_iterable(bucket.mount_options.values()),
    ]
    parts = {part for text in templates for _, part, _, _ in string.Formatter().parse(text) if part}
    assert parts <= PARTS_OF_A_BUCKET
    assert {"bucket", "volume"} <= parts
    assert all(is_key(key) for key in bucket.pod_annotations)


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


@pytest.mark.parametrize(("name", "version"), RELEASES)
def test_a_release_has_or_lacks_each_feature_of_its_operator(name: str, version: str) -> None:
    operator = catalog.operators()[name]
    release = operator.releases[version]
    assert not release.features & release.missing
    assert release.features | release.missing == operator.features.keys()
    assert all(feature.meaning for feature in operator.features.values())
