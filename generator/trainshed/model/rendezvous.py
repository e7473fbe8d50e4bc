"""How the nodes of an elastic run find one another."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rendezvous:
    """torchrun's rendezvous. Empty or 0 where the operator's own will do."""

    backend: str
    host: str
    port: int
    conf: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Etcd:
    """The etcd of a cluster that rendezvous may use."""

    host: str
    port: int
    version: str
