"""A pod mounts claims that its namespace has; with another one it stays pending for ever."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.pods import references
from trainshed.validate.view import ClusterView

KIND = "PersistentVolumeClaim"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each mount of a claim that nobody makes and no team declares."""
    for pod in view.pods:
        namespace = pod.owner.namespace
        declared = {name for team in view.owners(namespace) for name in team.claims}
        for reference in references(pod, KIND):
            if reference.name not in declared and lacks(view, KIND, namespace, reference.name):
                source = pod.at(reference.pointer)
                sentence = f"pods of {pod.owner.identity} mount claim"
                yield missing(view, Code.NO_SUCH_CLAIM, source, sentence, KIND, namespace, reference.name)
