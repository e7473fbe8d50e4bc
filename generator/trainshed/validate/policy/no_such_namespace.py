"""An object is in a namespace that somebody makes: Kubernetes, one of ours, or Argo CD for an Application."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.values import items_at, text_at
from trainshed.validate.view import ClusterView

ALWAYS = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
ARGO_CD = "argocd"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each object whose namespace nobody makes."""
    made = ALWAYS | {view.cluster.argocd.namespace if view.cluster else ARGO_CD}
    made |= {
        text_at(application.body, "spec", "destination", "namespace")
        for application in view.of_kind("Application")
        if "CreateNamespace=true" in items_at(application.body, "spec", "syncPolicy", "syncOptions")
    }
    for member in view.members:
        namespace = member.namespace
        if namespace and namespace not in made and lacks(view, "Namespace", "", namespace):
            source = member.at("/metadata/namespace")
            sentence = f"{member.identity} is in namespace"
            yield missing(view, Code.NO_SUCH_NAMESPACE, source, sentence, "Namespace", "", namespace)
