"""What can be wrong with a cluster's spec."""

from collections.abc import Iterator
from itertools import combinations

from trainshed import catalog
from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.inputs import SpecFile
from trainshed.model.spec import ClusterSpec
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.node_fabric import check_site_fabrics
from trainshed.resolve.node_gpus import check_node_gpus
from trainshed.resolve.pools import telling_apart
from trainshed.resolve.sharing import check_sharing


def check_spec(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    """Findings for what the catalogue does not know, and for what contradicts itself."""
    yield from _check_pools(file)
    yield from check_node_gpus(file)
    yield from check_site_fabrics(file)
    yield from _check_storage(file)
    yield from _check_operators(file)
    yield from check_sharing(file)
    argocd = file.spec.argocd
    if argocd is None or not argocd.repo_url:
        yield error(
            Code.MISSING_FIELD,
            file.tree.key_source(("argocd",)),
            f'cluster "{file.spec.name}" does not say where Argo CD finds this repository',
            "write argocd: {repoURL: https://…}",
        )
    elif argocd.destination and argocd.destination.name and argocd.destination.server:
        yield error(
            Code.CONFLICTING_CHOICE,
            file.tree.value_source(("argocd", "destination", "server")),
            "a destination has a name or a server, not both",
            "keep the one that the cluster was registered with",
        )


def _check_pools(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    machines = catalog.machines()
    provider = catalog.providers()[file.spec.provider]
    for name, pool in (file.spec.pools or {}).items():
        if pool is None:
            continue
        if pool.machine is None or pool.nodes is None:
            missing = "machine" if pool.machine is None else "nodes"
            yield error(
                Code.MISSING_FIELD,
                file.tree.key_source(("pools", name)),
                f'pool "{name}" does not say its {missing}',
                "write for example {machine: aws/p5.48xlarge, nodes: 8}",
            )
        elif pool.machine not in machines:
            yield error(
                Code.UNKNOWN_MACHINE,
                file.tree.value_source(("pools", name, "machine")),
                f'machine "{pool.machine}" is not in the catalogue',
                did_you_mean(pool.machine, machines),
            )
        if pool.capacity and pool.capacity not in provider.capacities:
            yield error(
                Code.UNKNOWN_VALUE,
                file.tree.value_source(("pools", name, "capacity")),
                f'provider "{provider.name}" has no {pool.capacity} capacity',
                f"it has {', '.join(sorted(provider.capacities)) or 'none'}",
            )


def _check_storage(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    drivers = catalog.storage_drivers()
    for name, storage in (file.spec.storage or {}).items():
        if storage is None:
            continue
        if storage.driver is None:
            yield error(
                Code.MISSING_FIELD,
                file.tree.key_source(("storage", name)),
                f'storage "{name}" does not say its driver',
                "write {class: <StorageClass>, driver: <its provisioner>}: what it can do follows from the driver",
            )
        elif storage.driver not in drivers:
            yield error(
                Code.UNKNOWN_DRIVER,
                file.tree.value_source(("storage", name, "driver")),
                f'driver "{storage.driver}" is not in the catalogue',
                did_you_mean(storage.driver, drivers),
            )


def _check_operators(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    known = catalog.operators()
    written = {
        name: operator for name, operator in (file.spec.operators or {}).items() if operator is not None
    }
    for name, operator in written.items():
        releases = known[name].releases
        release = releases.get(operator.release or "")
        if release is None:
            yield error(
                Code.UNKNOWN_RELEASE,
                file.tree.value_source(("operators", name, "release")),
                f'release "{operator.release}" of {name} is not in the catalogue',
                did_you_mean(operator.release or "", releases),
            )
            continue
        if operator.kinds and name != "training-operator":
            yield error(
                Code.CONFLICTING_CHOICE,
                file.tree.key_source(("operators", name, "kinds")),
                f"{name} always serves all its kinds",
                "leave kinds out: only training-operator can be told which to serve",
            )
            continue
        kinds = {served.kind.lower(): served.kind for served in release.kinds}
        for index, kind in enumerate(operator.kinds or ()):
            if kind.lower() not in kinds:
                yield error(
                    Code.UNKNOWN_VALUE,
                    file.tree.value_source(("operators", name, "kinds", index)),
                    f'{name} {operator.release} does not serve "{kind}"',
                    did_you_mean(kind, kinds.values()),
                )
            elif name == "training-operator" and kind.lower() == "mpijob" and "mpi-operator" in written:
                yield error(
                    Code.MPIJOB_CLASH,
                    file.tree.value_source(("operators", name, "kinds", index)),
                    "training-operator and mpi-operator cannot both own mpijobs.kubeflow.org on one cluster",
                    "take MPIJob out of these kinds (mpi-operator serves v2beta1), or leave mpi-operator out",
                )


def check_alike(cluster: Cluster) -> Iterator[Diagnostic]:
    """Whether the nodes of every two pools can be told apart: by a label that both have, with different values."""
    for one, other in combinations(cluster.pools.values(), 2):
        if not telling_apart(one, other):
            yield error(
                Code.POOLS_ALIKE,
                other.source,
                f'nothing tells nodes of pool "{other.name}" from those of pool "{one.name}"',
                f"write the label that they have on the cluster to both, such as labels: {{pool: {other.name}}}",
                related=[Related(one.source, f"{one.name} is described here")],
            )
