"""A queue label names a LocalQueue of the workload's own namespace, or the workload waits for ever."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.queues import QUEUE_LABEL, kueue_labels
from trainshed.validate.view import ClusterView

KIND = "LocalQueue"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each label that names no queue."""
    for member in view.members:
        for pointer, name in kueue_labels(member, QUEUE_LABEL):
            if lacks(view, KIND, member.namespace, name):
                yield missing(
                    view,
                    Code.NO_SUCH_QUEUE,
                    member.at(pointer),
                    f"{member.identity} waits in queue",
                    KIND,
                    member.namespace,
                    name,
                )
