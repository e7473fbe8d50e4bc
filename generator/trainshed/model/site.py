"""What a cluster has beside the machines: who watches it, and which of its nodes are unwell."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Monitoring:
    """Prometheus on a cluster: its namespace and service account, and the labels by which it picks what it scrapes."""

    namespace: str
    service_account: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NodeHealth:
    """A label that a health check keeps on nodes, and the values that keep pods away."""

    label: str
    bad: tuple[str, ...]
