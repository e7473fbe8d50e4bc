"""Cluster specs become clusters: machines, drivers and releases looked up in the catalogue."""

from collections.abc import Mapping
from types import MappingProxyType

from trainshed import catalog
from trainshed.model.catalog import AccessMode, BindingMode, Machine, StorageDriver, Taint
from trainshed.model.cluster import ArgoDestination, Cluster, InstalledOperator, Pool, StorageClass
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.model.inputs import SpecFile
from trainshed.model.policy import PolicySetting
from trainshed.model.provenance import Sources
from trainshed.model.spec import ClusterSpec
from trainshed.model.spec.cluster import Pool as PoolSpec
from trainshed.resolve.cluster_checks import check_alike, check_spec
from trainshed.resolve.policies import resolve_settings

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
        clusters[file.spec.name] = _resolve(file)
        findings.extend(check_alike(clusters[file.spec.name]))
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
    kueue = "kueue" in operators
    return Cluster(
        name=spec.name,
        kubernetes=spec.kubernetes,
        provider=provider,
        region=spec.region or "",
        environment=spec.environment or "",
        operators=MappingProxyType(operators),
        has_gang=kueue if spec.gang is None else spec.gang == "kueue",
        elastic_jobs=bool(spec.kueue and spec.kueue.elastic_jobs),
        cohort=spec.cohort or "",
        priorities=MappingProxyType(_priorities(spec)),
        pools=MappingProxyType(_pools(file)),
        storage=MappingProxyType(_storage(file)),
        git_image=(spec.images and spec.images.git) or GIT_IMAGE,
        privileged_teams=frozenset((spec.security and spec.security.privileged) or ()),
        policies=_policies(file),
        argocd=_argocd(spec),
        source=file.name_source,
        sources=Sources(
            file.name_source,
            {path: file.tree.value_source(path) for path in file.tree.marks},
            MappingProxyType({}),
        ),
    )


def _policies(file: SpecFile[ClusterSpec]) -> Mapping[str, PolicySetting]:
    """What the cluster says about rules; `images: {digest: required}` is one of them by another name."""
    images = file.spec.images
    required = images is not None and images.digest == "required"
    pinned = PolicySetting("error", None, file.tree.value_source(("images", "digest")))
    demanded = {Code.IMAGE_DIGEST: pinned} if required else {}
    return MappingProxyType({**demanded, **resolve_settings(file.spec.policies, file.tree)})


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
        labels = {**machine.labels, **(bought.labels if bought else {}), **(pool.labels or {})}
        pools[name] = Pool(
            name=name,
            machine=machine,
            nodes=pool.nodes or 1,
            capacity=capacity,
            labels=MappingProxyType({key: value for key, value in labels.items() if value is not None}),
            taints=_taints(pool, machine) + (bought.taints if bought else ()),
            share=machine.allocatable.less(provider.daemon_reserve),
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
        )
        for name, storage in (file.spec.storage or {}).items()
        if storage is not None
    }


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
