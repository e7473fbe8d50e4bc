"""Whether a cluster has what an object names, as far as that can be known."""

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity
from trainshed.model.source import Source
from trainshed.model.suggest import did_you_mean
from trainshed.validate.view import ClusterView


def lacks(view: ClusterView, kind: str, namespace: str, name: str) -> bool:
    """Whether there is certainly no such object among those that are known.

    A namespace is known if its Namespace is, or any object of the kind in it: of all others nothing can be said.
    """
    if view.find(kind, namespace, name) is not None:
        return False
    if namespace and view.find("Namespace", "", namespace) is not None:
        return True
    if not namespace and view.cluster is not None:
        return True
    return any(one.namespace == namespace for one in view.of_kind(kind))


def missing(
    view: ClusterView, code: Code, source: Source, sentence: str, kind: str, namespace: str, name: str
) -> Diagnostic:
    """The finding at a name of what is not there: an error if the cluster is known, a warning for bare manifests."""
    known = [one.identity.name for one in view.of_kind(kind) if one.namespace == namespace]
    where = f" in namespace {namespace}" if namespace else ""
    return Diagnostic(
        code=code,
        severity=Severity.ERROR if view.cluster else Severity.WARNING,
        summary=f'{sentence} "{name}", and there is no such {kind}{where}',
        source=source,
        detail=did_you_mean(name, known),
    )
