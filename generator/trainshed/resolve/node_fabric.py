"""The fabric of a pool's nodes: the catalogue's facts, the machine's, and what the site calls its own."""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from trainshed import catalog
from trainshed.model.catalog import Fabric, Machine
from trainshed.model.cluster import NodeFabric
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.inputs import SpecFile
from trainshed.model.spec import ClusterSpec
from trainshed.model.spec.fabric import SiteFabric
from trainshed.model.suggest import did_you_mean

GKE_INTERFACES = "networking.gke.io/interfaces"
"""The annotation that names a Network object for each interface; the first stays the cluster's own."""

HUGEPAGES = "hugepages-2Mi"


def node_fabric(machine: Machine, site: Mapping[str, SiteFabric | None]) -> NodeFabric | None:
    """The fabric of a machine at this site; none where the machine has none."""
    if machine.fabric is None:
        return None
    fabric = catalog.fabrics()[machine.fabric.name]
    fabric = replace(fabric, env=MappingProxyType({**fabric.env, **machine.fabric.env}))
    said = site.get(fabric.name)
    if said is None:
        return NodeFabric(fabric, machine.fabric.devices)
    env = {**fabric.env, **(said.env or {})}
    pages = {HUGEPAGES: said.hugepages} if said.hugepages else {}
    fabric = replace(
        fabric,
        resource=said.resource or fabric.resource,
        extra_resources=MappingProxyType({**fabric.extra_resources, **pages}),
        env=MappingProxyType({name: value for name, value in env.items() if value is not None}),
    )
    return NodeFabric(join_networks(fabric, said.networks or ()), said.devices or machine.fabric.devices)


def join_networks(fabric: Fabric, networks: Sequence[str]) -> Fabric:
    """The fabric with these networks in place of its own; as it was where there are none, or another number."""
    if not networks or not fits_networks(fabric, networks):
        return fabric
    if GKE_INTERFACES not in fabric.annotations:
        return replace(fabric, networks=", ".join(networks))
    first, *others = json.loads(fabric.annotations[GKE_INTERFACES])
    named = [{**interface, "network": network} for interface, network in zip(others, networks, strict=True)]
    text = json.dumps([first, *named], separators=(",", ":"))
    return replace(fabric, annotations=MappingProxyType({**fabric.annotations, GKE_INTERFACES: text}))


def fits_networks(fabric: Fabric, networks: Sequence[str]) -> bool:
    """Whether there is a network for each of the interfaces, where their number is fixed."""
    return num_networks(fabric) in (0, len(networks))


def num_networks(fabric: Fabric) -> int:
    """How many networks a pod joins besides the cluster's own; 0 where any number goes."""
    annotation = fabric.annotations.get(GKE_INTERFACES)
    return len(json.loads(annotation)) - 1 if annotation else 0


def check_site_fabrics(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    """Findings for fabrics that the catalogue does not have, and for words that do not fit them."""
    known = catalog.fabrics()
    pools = (file.spec.pools or {}).values()
    machines = [catalog.machines().get(pool.machine or "") for pool in pools if pool]
    used = {machine.fabric.name for machine in machines if machine and machine.fabric}
    for name, site in (file.spec.fabrics or {}).items():
        if name not in known:
            yield error(
                Code.UNKNOWN_FABRIC,
                file.tree.key_source(("fabrics", name)),
                f'fabric "{name}" is not in the catalogue',
                did_you_mean(name, known),
            )
        elif name not in used:
            yield error(
                Code.UNKNOWN_FABRIC,
                file.tree.key_source(("fabrics", name)),
                f'no machine of cluster "{file.spec.name}" has fabric "{name}"',
                f"its machines have {', '.join(sorted(used)) or 'none'}",
            )
        elif site is not None:
            yield from _check_site(file, known[name], site)


def _check_site(file: SpecFile[ClusterSpec], fabric: Fabric, site: SiteFabric) -> Iterator[Diagnostic]:
    at = ("fabrics", fabric.name)
    if site.networks and not fits_networks(fabric, site.networks):
        yield error(
            Code.BAD_VALUE,
            file.tree.key_source((*at, "networks")),
            f"pods join {num_networks(fabric)} networks of {fabric.title}, {len(site.networks)} are named",
            "name one for each interface, in their order",
        )
    if site.devices and not (site.resource or fabric.resource):
        yield error(
            Code.CONFLICTING_CHOICE,
            file.tree.key_source((*at, "devices")),
            f"no device plugin hands out devices of {fabric.title}",
            "leave devices out",
        )
