"""What operators and fabrics add to a run's own containers, and queues charge for."""

from collections.abc import Mapping
from types import MappingProxyType

SUBMITTER_REQUESTS: Mapping[str, str] = MappingProxyType({"cpu": "500m", "memory": "200Mi"})
"""KubeRay's own defaults for the pod that submits a RayJob; Kueue charges them (ray-operator v1.6.2, Kueue v0.19.2)."""

SUBMITTER_MEMORY_LIMIT = "1Gi"
"""KubeRay's own limit for that pod, which imports Ray and follows the job's log."""

SIDECAR_REQUESTS: Mapping[str, str] = MappingProxyType({"cpu": "2", "memory": "8Gi"})
"""What a fabric's sidecar is given, as request and memory limit. Its vendor names no size, and the namespace's default
of 512Mi for containers that name none would end it: a choice of our own, small beside the machines that have one."""
