"""How a cluster's GPUs are cut and shared: what a pool's nodes then offer, and what that needs of the GPU Operator."""

from collections.abc import Iterator, Mapping

from trainshed import catalog
from trainshed.model.catalog import Machine
from trainshed.model.cluster import Cluster, Pool
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.gpus import GPU_OPERATOR, MIG_LABEL, SHARED_SUFFIX, SHARING_LABEL, NodeGpus, Sharing
from trainshed.model.inputs import SpecFile
from trainshed.model.provenance import FieldPath
from trainshed.model.spec import ClusterSpec
from trainshed.model.spec.cluster import Pool as PoolSpec
from trainshed.model.suggest import did_you_mean

MIG_RESOURCE = "nvidia.com/mig-"
"""By the strategy `mixed`, in which the resource says the profile: no pod gets a smaller slice than it asked for."""


def node_gpus(pool: PoolSpec, machine: Machine) -> NodeGpus | None:
    """What a node of the pool hands out; nothing where the machine has no GPUs."""
    accelerator = machine.accelerator
    if accelerator is None:
        return None
    resource = pool.resource or (f"{MIG_RESOURCE}{pool.mig}" if pool.mig else accelerator.resource)
    slices = accelerator.mig.get(pool.mig, 1) if pool.mig else 1
    sharing, replicas = _sharing(pool)
    return NodeGpus(
        type=accelerator.type,
        count=accelerator.count * slices * replicas,
        resource=resource + (SHARED_SUFFIX if sharing else ""),
        mig=pool.mig or "",
        sharing=sharing,
        replicas=replicas,
    )


def gpu_labels(pool: PoolSpec) -> Mapping[str, str]:
    """The labels by which the operator knows what to do with a node, unless the pool's own say otherwise."""
    sharing, replicas = _sharing(pool)
    shared = {SHARING_LABEL: f"{'mps' if sharing == 'mps' else 'time-slicing'}-{replicas}"} if sharing else {}
    return ({MIG_LABEL: f"all-{pool.mig}"} if pool.mig else {}) | shared


def _sharing(pool: PoolSpec) -> tuple[Sharing, int]:
    sharing = pool.sharing
    if sharing is None:
        return "", 1
    if sharing.time_slicing is not None:
        return "timeSlicing", sharing.time_slicing
    return ("mps", sharing.mps) if sharing.mps is not None else ("", 1)


def check_node_gpus(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    """Findings for GPUs that cannot be cut or shared as a pool says."""
    for name, pool in (file.spec.pools or {}).items():
        machine = catalog.machines().get(pool.machine or "") if pool else None
        if pool is not None and machine is not None:
            yield from _check_pool(file, ("pools", name), pool, machine)


def _check_pool(
    file: SpecFile[ClusterSpec], at: FieldPath, pool: PoolSpec, machine: Machine
) -> Iterator[Diagnostic]:
    accelerator, sharing = machine.accelerator, pool.sharing
    written = {"mig": pool.mig, "sharing": sharing, "resource": pool.resource}
    if accelerator is None:
        for field, value in written.items():
            if value is not None:
                yield error(
                    Code.CONFLICTING_CHOICE,
                    file.tree.key_source((*at, field)),
                    f"{machine.name} has no GPUs",
                    f"leave {field} out, or name another machine",
                )
        return
    if pool.mig and pool.mig not in accelerator.mig:
        yield error(
            Code.UNKNOWN_VALUE,
            file.tree.value_source((*at, "mig")),
            f"a {accelerator.type} cannot be cut into slices of {pool.mig}",
            (did_you_mean(pool.mig, accelerator.mig) or f"it can into {', '.join(accelerator.mig)}")
            if accelerator.mig
            else "leave mig out: sharing: {timeSlicing: 4} works with every GPU",
        )
    if pool.resource and (pool.mig or sharing):
        yield error(
            Code.CONFLICTING_CHOICE,
            file.tree.key_source((*at, "resource")),
            "the GPU Operator names the resource of slices and of shared GPUs itself",
            "leave resource out",
        )
    if sharing and (sharing.mps is None) == (sharing.time_slicing is None):
        both = sharing.mps is not None
        yield error(
            Code.CONFLICTING_CHOICE if both else Code.MISSING_CHOICE,
            file.tree.key_source((*at, "sharing")),
            "GPUs are shared by timeSlicing or by mps" + (", not by both" if both else ""),
            "write {timeSlicing: 4} or {mps: 4}",
        )
    if sharing and sharing.mps is not None and pool.mig:
        yield error(
            Code.CONFLICTING_CHOICE,
            file.tree.key_source((*at, "sharing", "mps")),
            "MPS shares whole GPUs, not slices",
            "write sharing: {timeSlicing: …}, or leave mig out",
        )
    yield from _check_operator(file, at, pool)


def _check_operator(file: SpecFile[ClusterSpec], at: FieldPath, pool: PoolSpec) -> Iterator[Diagnostic]:
    """What cuts and shares GPUs, and whether its release can."""
    asked: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = []
    if pool.mig:
        asked.append((("mig",), "cut GPUs into slices", ("mig-strategy", "mig-manager-config")))
    if pool.sharing and pool.sharing.time_slicing is not None:
        features = ("device-plugin-config", "time-slicing")
        asked.append((("sharing", "timeSlicing"), "share GPUs by time-slicing", features))
    if pool.sharing and pool.sharing.mps is not None:
        asked.append((("sharing", "mps"), "share GPUs by MPS", ("device-plugin-config", "mps")))
    installed = (file.spec.operators or {}).get(GPU_OPERATOR)
    release = catalog.operators()[GPU_OPERATOR].releases.get((installed and installed.release) or "")
    for field, deed, features in asked:
        source = file.tree.key_source((*at, *field))
        if installed is None:
            yield error(
                Code.MISSING_OPERATOR,
                source,
                f'nothing on cluster "{file.spec.name}" could {deed}',
                f"write operators: {{{GPU_OPERATOR}: {catalog.operators()[GPU_OPERATOR].newest.version}}}",
            )
        elif release and not all(release.can(feature) for feature in features):
            yield error(
                Code.RELEASE_LACKS,
                source,
                f"{GPU_OPERATOR} {release.version} cannot {deed}",
                "write sharing: {timeSlicing: …}" if field[-1] == "mps" else "raise the release",
            )


def check_labels_agree(cluster: Cluster) -> Iterator[Diagnostic]:
    """Whether pools whose nodes have one label mean one layout of slices, and one way of sharing, by it."""
    for label in (MIG_LABEL, SHARING_LABEL):
        meant: dict[str, Pool] = {}
        for pool in cluster.pools.values():
            name = pool.labels.get(label, "")
            if not name or _meaning(pool, label) is None:
                continue
            other = meant.setdefault(name, pool)
            if _meaning(other, label) != _meaning(pool, label):
                yield error(
                    Code.CONFLICTING_CHOICE,
                    pool.source,
                    f'{label}={name} means one thing on nodes of pool "{pool.name}", '
                    f'another on those of "{other.name}"',
                    f"give one of them a name of its own: labels: {{{label}: {pool.name}}}",
                    related=[Related(other.source, f"{other.name} is described here")],
                )


def _meaning(pool: Pool, label: str) -> tuple[str, int] | None:
    """What the operator is told to do with the pool's nodes by a label."""
    gpus, accelerator = pool.gpus, pool.machine.accelerator
    if gpus is None or accelerator is None:
        return None
    if label == MIG_LABEL:
        return (gpus.mig, accelerator.mig.get(gpus.mig, 0)) if gpus.mig else None
    return (f"{gpus.sharing} {gpus.resource}", gpus.replicas) if gpus.sharing else None
