"""How pods say which scheduler starts them, and with which others."""

from trainshed.compile.gang import GROUP_NAME, QUEUE_NAME
from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.compile.podgroup import makes_pod_group
from trainshed.compile.said import said
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup

PREEMPTABLE = "volcano.sh/preemptable"
POD_GROUP_LABEL = "scheduling.x-k8s.io/pod-group"


def gang(target: Target, pods: PodGroup) -> PodPart:
    """The part of a pod that hands it to the cluster's gang scheduler; Kueue's own needs none.

    An operator adds the name of the PodGroup that it makes; of ours the pods say it. Pods without one count in the
    queue that their annotation names (Volcano v1.15.1, `pkg/controllers/podgroup`).
    """
    together = target.scheduling.together
    if together is None:
        return NO_PART
    scheduler = {"schedulerName": together.scheduler_name}
    ours = makes_pod_group(target)
    asked = said(target, pods, ("gang",), ("nodes",), ("roles",))
    if together.scheduler == "coscheduling":
        label = {POD_GROUP_LABEL: target.run} if ours else {}
        return PodPart(pod=scheduler, labels=label, source=asked)
    group = {GROUP_NAME: target.run} if ours else {QUEUE_NAME: together.queue}
    wish = target.scheduling.preemptible
    kept = {} if wish is None else {PREEMPTABLE: str(wish).lower()}
    return PodPart(
        pod=scheduler,
        annotations={**group, **kept},
        source=asked,
        sources={PREEMPTABLE: ("preemptible",), QUEUE_NAME: ("queue",)},
    )
