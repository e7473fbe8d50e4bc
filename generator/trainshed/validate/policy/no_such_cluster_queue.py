"""A LocalQueue leads to a ClusterQueue, or nothing that waits in it is ever admitted."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.values import text_at
from trainshed.validate.view import ClusterView

KIND = "ClusterQueue"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each LocalQueue's `clusterQueue` that is not there."""
    for queue in view.of_kind("LocalQueue"):
        name = text_at(queue.body, "spec", "clusterQueue")
        if name and lacks(view, KIND, "", name):
            yield missing(
                view,
                Code.NO_SUCH_CLUSTER_QUEUE,
                queue.at("/spec/clusterQueue"),
                f"{queue.identity} leads to",
                KIND,
                "",
                name,
            )
