"""A pod on its node's network is out of reach of network policies, and takes the node's ports."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.policy.reading.values import map_at
from trainshed.validate.view import ClusterView

FIELDS = {"hostNetwork": "network", "hostPID": "processes", "hostIPC": "shared memory"}


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each made pod that shares its node's network, processes or shared memory."""
    for pod in view.pods:
        for field, what in FIELDS.items():
            if map_at(pod.body, "spec").get(field) is True:
                yield from breach(
                    view,
                    pod.owner,
                    Code.HOST_NETWORK,
                    pod.at(f"/spec/{field}"),
                    f"pods of {pod.owner.identity} use the {what} of their node",
                    "take it out, or waive the rule with the reason",
                )
