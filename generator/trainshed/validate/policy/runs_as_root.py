"""A container runs as somebody else than root: by a user that is said, or by a demand that the kubelet checks."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.policy.reading.pods import containers
from trainshed.validate.policy.reading.values import map_at
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each container of a made pod that is root, or may be if its image says so."""
    for pod in view.pods:
        of_pod = map_at(pod.body, "spec", "securityContext")
        for pointer, container in containers(pod):
            context = of_pod | map_at(container, "securityContext")
            user = context.get("runAsUser")
            if context.get("runAsNonRoot") is True or (isinstance(user, int) and user > 0):
                continue
            verdict = "runs as root" if user == 0 else "runs as root if its image does"
            yield from breach(
                view,
                pod.owner,
                Code.RUNS_AS_ROOT,
                pod.at(f"{pointer}/securityContext"),
                f'container "{container.get("name")}" of {pod.owner.identity} {verdict}',
                "write runAsNonRoot: true, or a runAsUser other than 0",
            )
