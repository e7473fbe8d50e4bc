"""Training pods stay out of a service mesh: a proxy beside them never ends, and knows nothing of NCCL."""

from collections.abc import Mapping

from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup

OUTSIDE: Mapping[str, PodPart] = {
    "istio": PodPart(labels={"sidecar.istio.io/inject": "false", "istio.io/dataplane-mode": "none"}),
    "linkerd": PodPart(annotations={"linkerd.io/inject": "disabled"}),
}
"""How a pod says no, by mesh (istio.io/latest/docs: `setup/additional-setup/sidecar-injection`,
`ambient/usage/add-workloads`; linkerd.io/2/features/proxy-injection)."""


def mesh(target: Target, _: PodGroup) -> PodPart:
    """The label or annotation by which the cluster's mesh leaves the pod alone."""
    return OUTSIDE.get(target.cluster.mesh, NO_PART)
