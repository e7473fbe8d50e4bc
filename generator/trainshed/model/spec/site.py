"""Parts of a cluster's spec: what watches it, and which of its nodes are unwell."""

from typing import Annotated

from pydantic import Field, Strict

from trainshed.model.spec.scalars import LabelValue, Name, Text
from trainshed.model.spec.written import Written


class Monitoring(Written):
    """Prometheus on the cluster, found through its operator: {labels: {release: kube-prometheus}}."""

    namespace: Name | None = None
    """The namespace of Prometheus; monitoring unless said otherwise."""
    service_account: Name | None = None
    """The service account that Prometheus runs as; prometheus-k8s unless said otherwise."""
    labels: dict[str, LabelValue | None] | None = None
    """The labels by which Prometheus picks monitors and rules."""


class NodeHealth(Written):
    """A label that a health check keeps on nodes."""

    label: Text
    """The label, such as autopilot.ibm.com/gpuhealth."""
    not_in: Annotated[tuple[LabelValue, ...], Strict(False), Field(min_length=1)]
    """The values that keep pods with GPUs away: [ERR, EVICT, TESTING]."""
