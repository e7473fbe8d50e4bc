"""A pod uses ConfigMaps that its namespace has; with another one its containers are never created."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.pods import references
from trainshed.validate.view import ClusterView

KIND = "ConfigMap"
ALWAYS = frozenset({"kube-root-ca.crt", "openshift-service-ca.crt"})


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each use of a ConfigMap that nobody makes and no team declares."""
    for pod in view.pods:
        namespace = pod.owner.namespace
        declared = ALWAYS.union(*(team.config_maps for team in view.owners(namespace)))
        for reference in references(pod, KIND):
            if reference.name not in declared and lacks(view, KIND, namespace, reference.name):
                source = pod.at(reference.pointer)
                sentence = f"pods of {pod.owner.identity} use ConfigMap"
                yield missing(
                    view, Code.NO_SUCH_CONFIG_MAP, source, sentence, KIND, namespace, reference.name
                )
