"""Which names lead to which pods, by the rules of DNS for Services and Pods.

Source: https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/. A pod has a name of its own only as
`<hostname>.<subdomain>` of a headless Service that selects it; any other name is that of a Service.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from trainshed.model.manifest import JsonObject

DOMAIN = "cluster.local"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A pod with its address."""

    name: str
    hostname: str
    subdomain: str
    namespace: str
    labels: Mapping[str, str]
    address: str

    @classmethod
    def of(cls, body: JsonObject, hostname: str, address: str) -> "Neighbour":
        """A pod as its neighbours see it."""
        metadata, spec = body.get("metadata") or {}, body.get("spec") or {}
        return cls(
            str(metadata.get("name", "")),
            hostname,
            str(spec.get("subdomain") or ""),
            str(metadata.get("namespace") or "default"),
            metadata.get("labels") or {},
            address,
        )


def resolve_names(
    neighbours: Iterable[Neighbour], services: Iterable[JsonObject], namespace: str
) -> dict[str, list[str]]:
    """Every name that a pod of this namespace can look up, with its addresses."""
    addresses: dict[str, list[str]] = {}
    everyone = list(neighbours)
    for service in services:
        for name, neighbour in _names_of(service, everyone):
            for spelling in _spellings(name, neighbour.namespace, namespace):
                known = addresses.setdefault(spelling, [])
                if neighbour.address not in known:
                    known.append(neighbour.address)
    return addresses


def write_hosts(own: Neighbour, spec: JsonObject, addresses: Mapping[str, list[str]]) -> str:
    """The text of the pod's /etc/hosts."""
    full = f"{own.hostname}.{own.subdomain}.{own.namespace}.svc.{DOMAIN}"
    own_names = f"{full} {own.hostname}" if own.subdomain else own.hostname
    lines = ["127.0.0.1 localhost", "::1 localhost ip6-localhost ip6-loopback", f"{own.address} {own_names}"]
    for alias in spec.get("hostAliases") or ():
        lines += [f"{alias.get('ip', '')} {name}" for name in alias.get("hostnames") or ()]
    lines += [f"{address} {name}" for name, found in sorted(addresses.items()) for address in found]
    return "".join(f"{' '.join(line.split())}\n" for line in lines)


def _names_of(service: JsonObject, everyone: list[Neighbour]) -> Iterator[tuple[str, Neighbour]]:
    metadata, spec = service.get("metadata") or {}, service.get("spec") or {}
    name, selector = str(metadata.get("name", "")), spec.get("selector") or {}
    namespace = str(metadata.get("namespace") or "default")
    selected = [
        one
        for one in everyone
        if selector and one.namespace == namespace and selector.items() <= one.labels.items()
    ]
    if spec.get("clusterIP") != "None":
        selected = selected[:1]
    for one in selected:
        yield name, one
        if spec.get("clusterIP") == "None" and one.subdomain == name:
            yield f"{one.hostname}.{name}", one


def _spellings(name: str, of: str, seen_from: str) -> Iterator[str]:
    if of == seen_from:
        yield name
    yield from (f"{name}.{of}{rest}" for rest in ("", ".svc", f".svc.{DOMAIN}"))
