"""How the nodes of an elastic run find one another."""

from collections.abc import Mapping

from msgspec import Struct


class Rendezvous(Struct, frozen=True):
    """torchrun's rendezvous. Empty or 0 where the operator's own will do."""

    backend: str
    host: str
    port: int
    conf: Mapping[str, str]


class Etcd(Struct, frozen=True):
    """The etcd of a cluster that rendezvous may use."""

    host: str
    port: int
    version: str
