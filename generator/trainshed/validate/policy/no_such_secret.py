"""A pod uses Secrets that its team says are there. Secrets are never in Git, so other manifests must hold one."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.pods import references
from trainshed.validate.view import ClusterView

KIND = "Secret"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each use of a Secret that nobody makes and no team declares."""
    for pod in view.pods:
        namespace = pod.owner.namespace
        teams = view.owners(namespace)
        if not teams and not any(one.namespace == namespace for one in view.of_kind(KIND, "ExternalSecret")):
            continue
        declared = {name for team in teams for name in team.secrets}
        declared |= {
            one.identity.name for one in view.of_kind("ExternalSecret") if one.namespace == namespace
        }
        for reference in references(pod, KIND):
            if reference.name not in declared and lacks(view, KIND, namespace, reference.name):
                source = pod.at(reference.pointer)
                sentence = f"pods of {pod.owner.identity} use Secret"
                yield missing(view, Code.NO_SUCH_SECRET, source, sentence, KIND, namespace, reference.name)
