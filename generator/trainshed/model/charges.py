"""What operators add to a run, and queues charge for."""

from collections.abc import Mapping
from types import MappingProxyType

SUBMITTER_REQUESTS: Mapping[str, str] = MappingProxyType({"cpu": "500m", "memory": "200Mi"})
"""KubeRay's own defaults for the pod that submits a RayJob; Kueue charges them (ray-operator v1.6.2, Kueue v0.19.2)."""

SUBMITTER_MEMORY_LIMIT = "1Gi"
"""KubeRay's own limit for that pod, which imports Ray and follows the job's log."""
