"""A path of the node is shared with everything that runs there, and stays behind."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.policy.reading.values import maps_at, text_at
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each volume of a made pod that is a path of its node."""
    for pod in view.pods:
        for index, volume in maps_at(pod.body, "spec", "volumes"):
            path = text_at(volume, "hostPath", "path")
            if path:
                yield from breach(
                    view,
                    pod.owner,
                    Code.HOST_PATH,
                    pod.at(f"/spec/volumes/{index}/hostPath"),
                    f"pods of {pod.owner.identity} mount {path} of their node",
                    "mount a claim, or waive the rule with the reason",
                )
