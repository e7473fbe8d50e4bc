"""Who watches a cluster, and which of its nodes are unwell."""

from collections.abc import Iterator
from types import MappingProxyType

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.inputs import SpecFile
from trainshed.model.site import Monitoring, NodeHealth
from trainshed.model.spec import ClusterSpec
from trainshed.resolve.labels import is_label_key


def resolve_monitoring(spec: ClusterSpec) -> Monitoring | None:
    """Prometheus, where the cluster says that it is there."""
    written = spec.monitoring
    if written is None:
        return None
    labels = {key: value for key, value in (written.labels or {}).items() if value is not None}
    return Monitoring(
        namespace=written.namespace or "monitoring",
        service_account=written.service_account or "prometheus-k8s",
        labels=MappingProxyType(labels),
    )


def resolve_node_health(spec: ClusterSpec) -> tuple[NodeHealth, ...]:
    """The labels that keep pods with GPUs off their nodes."""
    return tuple(NodeHealth(rule.label, rule.not_in) for rule in spec.node_health or ())


def check_site(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    """Findings for monitoring without an operator that reads it, and for labels that no node can have."""
    spec = file.spec
    if spec.monitoring is not None and (spec.operators or {}).get("prometheus-operator") is None:
        yield error(
            Code.MISSING_OPERATOR,
            file.tree.key_source(("monitoring",)),
            f'monitors and alerts are for prometheus-operator, which cluster "{spec.name}" does not have',
            "write operators: {prometheus-operator: …}, or leave monitoring out",
        )
    labels = [
        (("monitoring", "labels", key), key) for key in (spec.monitoring and spec.monitoring.labels) or {}
    ]
    for path, key in labels:
        if not is_label_key(key):
            yield error(Code.BAD_LABEL, file.tree.key_source(path), f'"{key}" cannot be the key of a label')
    for index, rule in enumerate(spec.node_health or ()):
        if not is_label_key(rule.label):
            source = file.tree.value_source(("nodeHealth", index, "label"))
            yield error(Code.BAD_LABEL, source, f'"{rule.label}" cannot be the key of a label')
