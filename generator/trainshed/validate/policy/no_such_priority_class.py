"""A priority class is one that the cluster has: the API server refuses pods of another, Kueue the workload."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.queues import PRIORITY_LABEL, kueue_labels
from trainshed.validate.policy.reading.values import text_at
from trainshed.validate.view import ClusterView

ALWAYS = frozenset({"system-cluster-critical", "system-node-critical"})


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each label and each pod's `priorityClassName` that names no class."""
    for member in view.members:
        for pointer, name in kueue_labels(member, PRIORITY_LABEL):
            if lacks(view, "WorkloadPriorityClass", "", name):
                sentence = f"{member.identity} waits with priority"
                yield missing(
                    view,
                    Code.NO_SUCH_PRIORITY_CLASS,
                    member.at(pointer),
                    sentence,
                    "WorkloadPriorityClass",
                    "",
                    name,
                )
    for pod in view.pods:
        name = text_at(pod.body, "spec", "priorityClassName")
        if name and name not in ALWAYS and lacks(view, "PriorityClass", "", name):
            source = pod.at("/spec/priorityClassName")
            sentence = f"pods of {pod.owner.identity} have priority class"
            yield missing(view, Code.NO_SUCH_PRIORITY_CLASS, source, sentence, "PriorityClass", "", name)
