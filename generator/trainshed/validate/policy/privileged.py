"""A privileged container is root on its node."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.policy.reading.pods import containers
from trainshed.validate.policy.reading.values import map_at
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each privileged container of a made pod."""
    for pod in view.pods:
        for pointer, container in containers(pod):
            if map_at(container, "securityContext").get("privileged") is True:
                yield from breach(
                    view,
                    pod.owner,
                    Code.PRIVILEGED,
                    pod.at(f"{pointer}/securityContext/privileged"),
                    f'container "{container.get("name")}" of {pod.owner.identity} is privileged',
                    "take it out, or waive the rule with the reason",
                )
