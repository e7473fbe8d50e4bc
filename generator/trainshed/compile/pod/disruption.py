"""The annotations by which autoscalers leave the node of a pod alone until the run has ended."""

from collections.abc import Mapping

from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup

KARPENTER = {"karpenter.sh/do-not-disrupt": "true"}
CLUSTER_AUTOSCALER = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
BY_PROVIDER: Mapping[str, Mapping[str, str]] = {
    "eks": {**KARPENTER, **CLUSTER_AUTOSCALER},
    "aks": {**KARPENTER, **CLUSTER_AUTOSCALER},
    "gke": CLUSTER_AUTOSCALER,
    "openshift": CLUSTER_AUTOSCALER,
    "onprem": {**KARPENTER, **CLUSTER_AUTOSCALER},
}
"""What removes nodes, by provider: kubernetes-sigs/karpenter `pkg/apis/v1/labels.go` (on AKS as node
auto-provisioning), and kubernetes/autoscaler `cluster-autoscaler/FAQ.md`. On kind nothing does."""


def undisturbed(target: Target, _: PodGroup) -> PodPart:
    """The annotations of what removes nodes on the cluster's provider."""
    if not target.do_not_disrupt:
        return NO_PART
    removers = BY_PROVIDER.get(target.cluster.provider.name, {})
    return PodPart(annotations=removers, source=("doNotDisrupt",))
