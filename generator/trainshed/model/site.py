"""What a cluster has beside the machines: who watches it, and which of its nodes are unwell."""

from collections.abc import Mapping

from msgspec import Struct


class Monitoring(Struct, frozen=True):
    """Prometheus on a cluster: its namespace and service account, and the labels by which it picks what it scrapes."""

    namespace: str
    service_account: str
    labels: Mapping[str, str]


class NodeHealth(Struct, frozen=True):
    """A label that a health check keeps on nodes, and the values that keep pods away."""

    label: str
    bad: tuple[str, ...]
