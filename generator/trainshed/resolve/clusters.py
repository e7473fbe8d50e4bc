"""Cluster specs become clusters: machines, drivers and releases looked up in the catalogue."""

from collections.abc import Mapping
from types import MappingProxyType

from trainshed import catalog
from trainshed.model.catalog import AccessMode, BindingMode, Machine, StorageDriver, Taint
from trainshed.model.cluster import ArgoDestination, Cluster, InstalledOperator, Pool, StorageClass
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.model.inputs import SpecFile
from trainshed.model.mirror import Mirror
from trainshed.model.policy import PolicySetting
from trainshed.model.rendezvous import Etcd
from trainshed.model.spec import ClusterSpec
from trainshed.model.spec.cluster import Pool as PoolSpec
from trainshed.model.spec.cluster import Storage as StorageSpec
from trainshed.resolve.cluster_checks import check_alike, check_spec
from trainshed.resolve.mirror import check_mirror, resolve_mirror
from trainshed.resolve.monitoring import check_site, resolve_monitoring, resolve_node_health
from trainshed.resolve.node_fabric import node_fabric
from trainshed.resolve.node_gpus import check_labels_agree, gpu_labels, node_gpus
from trainshed.resolve.policies import resolve_settings
from trainshed.resolve.sharing import check_flavors, resolve_gang, resolve_levels, resolve_sharing

PRIORITIES: Mapping[str, int] = MappingProxyType({"low": 100, "normal": 1_000, "high": 10_000})
GIT_IMAGE = "alpine/git:v2.49.1"
"""git 2.49 brought `clone --revision`, which needs no shell and no second command."""

_IN_CLUSTER = "https://kubernetes.default.svc"


def resolve_clusters(files: tuple[SpecFile[ClusterSpec], ...]) -> tuple[dict[str, Cluster], list[Diagnostic]]:
    """The clusters by name, and what is wrong with them. A cluster with errors is still there for its jobs."""
    findings: list[Diagnostic] = []
    clusters: dict[str, Cluster] = {}
    for file in files:
        findings.extend(check_spec(file))
        findings.extend(check_mirror(file))
        findings.extend(check_site(file))
        clusters[file.spec.name] = _resolve(file)
        findings.extend(check_alike(clusters[file.spec.name]))
        findings.extend(check_labels_agree(clusters[file.spec.name]))
        findings.extend(check_flavors(clusters[file.spec.name]))
    return clusters, findings


def _resolve(file: SpecFile[ClusterSpec]) -> Cluster:
    spec = file.spec
    provider = catalog.providers()[spec.provider]
    operators = {
        name: InstalledOperator(
            name=name,
            release=operator.release or "",
            kinds=operator.kinds or (),
            source=file.tree.value_source(("operators", name, "release")),
        )
        for name, operator in (spec.operators or {}).items()
        if operator is not None
    }
    mirror = resolve_mirror(spec)
    return Cluster(
        name=spec.name,
        kubernetes=spec.kubernetes,
        provider=provider,
        region=spec.region or "",
        environment=spec.environment or "",
        operators=MappingProxyType(operators),
        gang=resolve_gang(spec),
        elastic_jobs=bool(spec.kueue and spec.kueue.elastic_jobs),
        sharing=resolve_sharing(spec),
        topology=resolve_levels(spec),
        cohort=spec.cohort or "",
        priorities=MappingProxyType(_priorities(spec)),
        pools=MappingProxyType(_pools(file)),
        storage=MappingProxyType(_storage(file)),
        git_image=mirror.image((spec.images and spec.images.git) or GIT_IMAGE),
        fetch_images=MappingProxyType(_fetch_images(spec, mirror)),
        init_image=(spec.images and spec.images.init) or "",
        mirror=mirror,
        mesh=spec.mesh or "",
        node_health=resolve_node_health(spec),
        monitoring=resolve_monitoring(spec),
        etcd=_etcd(spec),
        privileged_teams=frozenset((spec.security and spec.security.privileged) or ()),
        policies=_policies(file),
        argocd=_argocd(spec),
        source=file.name_source,
        sources=file.sources,
    )


def _policies(file: SpecFile[ClusterSpec]) -> Mapping[str, PolicySetting]:
    """What the cluster says about rules; `images: {digest: required}` is one of them by another name."""
    images = file.spec.images
    required = images is not None and images.digest == "required"
    pinned = PolicySetting("error", None, file.tree.value_source(("images", "digest")))
    demanded = {Code.IMAGE_DIGEST: pinned} if required else {}
    return MappingProxyType({**demanded, **resolve_settings(file.spec.policies, file.tree)})


def _fetch_images(spec: ClusterSpec, mirror: Mirror) -> dict[str, str]:
    """The images of the tools that fetch data, by scheme: the cluster's own, else the catalogue's."""
    known = {scheme: fetcher.image for scheme, fetcher in catalog.fetchers().items()}
    written = (spec.images and spec.images.fetch) or {}
    named = known | {scheme: image for scheme, image in written.items() if image is not None}
    return {scheme: mirror.image(image) for scheme, image in named.items() if image}


def _priorities(spec: ClusterSpec) -> dict[str, int]:
    merged = {**PRIORITIES, **(spec.priorities or {})}
    return {name: value for name, value in merged.items() if value is not None}


def _pools(file: SpecFile[ClusterSpec]) -> dict[str, Pool]:
    provider = catalog.providers()[file.spec.provider]
    pools: dict[str, Pool] = {}
    for name, pool in (file.spec.pools or {}).items():
        machine = catalog.machines().get(pool.machine or "") if pool else None
        if pool is None or machine is None:
            continue
        capacity = pool.capacity or "on-demand"
        bought = provider.capacities.get(capacity)
        known = {**machine.labels, **(bought.labels if bought else {}), **gpu_labels(pool)}
        labels = {**known, **(pool.labels or {})}
        pools[name] = Pool(
            name=name,
            machine=machine,
            nodes=pool.nodes or 1,
            capacity=capacity,
            labels=MappingProxyType({key: value for key, value in labels.items() if value is not None}),
            taints=_taints(pool, machine) + (bought.taints if bought else ()),
            share=machine.allocatable.less(provider.daemon_reserve),
            gpus=node_gpus(pool, machine),
            fabric=node_fabric(machine, file.spec.fabrics or {}),
            extra=MappingProxyType({key: count for key, count in (pool.resources or {}).items() if count}),
            source=file.tree.key_source(("pools", name)),
        )
    return pools


def _taints(pool: PoolSpec, machine: Machine) -> tuple[Taint, ...]:
    if pool.taints is None:
        return machine.taints
    return tuple(Taint(taint.key, taint.value or "", taint.effect) for taint in pool.taints)


def _storage(file: SpecFile[ClusterSpec]) -> dict[str, StorageClass]:
    return {
        name: StorageClass(
            name=name,
            storage_class=storage.storage_class or name,
            driver=catalog.storage_drivers().get(storage.driver or "")
            or _unknown_driver(storage.driver or ""),
            source=file.tree.key_source(("storage", name)),
            region=storage.region or _own_region(file.spec, storage),
            endpoint=storage.endpoint or "",
            snapshot_class=storage.snapshot_class or "",
            deletes=storage.reclaim == "delete",
        )
        for name, storage in (file.spec.storage or {}).items()
        if storage is not None
    }


def _own_region(spec: ClusterSpec, storage: StorageSpec) -> str:
    """On EKS the cluster's region is one of S3's; elsewhere the two have nothing to do with each other."""
    return (spec.region or "") if spec.provider == "eks" and storage.endpoint is None else ""


def _unknown_driver(name: str) -> StorageDriver:
    """A driver that the catalogue does not know: anything may be asked of it."""
    return StorageDriver(
        name=name,
        title=name or "unknown storage",
        access_modes=tuple(AccessMode),
        min_bytes=0,
        step_bytes=0,
        capacity_ignored=False,
        snapshots=False,
        expandable=True,
        static_only=False,
        binding=BindingMode.IMMEDIATE,
        note="",
        sources=(),
        unconfirmed=(),
    )


def _etcd(spec: ClusterSpec) -> Etcd | None:
    if spec.etcd is None:
        return None
    host, _, port = spec.etcd.endpoint.rpartition(":")
    return Etcd(host, int(port), spec.etcd.version or "3.5")


def _argocd(spec: ClusterSpec) -> ArgoDestination:
    argocd = spec.argocd
    destination = argocd.destination if argocd else None
    return ArgoDestination(
        repo_url=(argocd and argocd.repo_url) or "",
        revision=(argocd and argocd.revision) or "main",
        namespace=(argocd and argocd.namespace) or "argocd",
        destination=("name", destination.name)
        if destination and destination.name
        else ("server", (destination and destination.server) or _IN_CLUSTER),
    )
