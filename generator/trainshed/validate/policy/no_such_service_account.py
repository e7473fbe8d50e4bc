"""A pod runs as a service account that its namespace has; no pod is created for another one."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.pods import is_written
from trainshed.validate.policy.reading.values import text_at
from trainshed.validate.view import ClusterView

KIND = "ServiceAccount"
POINTER = "/spec/serviceAccountName"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each account that nobody makes and no team declares; every namespace has a "default"."""
    for pod in view.pods:
        name, namespace = text_at(pod.body, "spec", "serviceAccountName"), pod.owner.namespace
        made = name.startswith(pod.owner.identity.name) and not is_written(pod, POINTER)
        declared = {name for team in view.owners(namespace) for name in team.service_accounts}
        if name in ("", "default") or made or name in declared or not lacks(view, KIND, namespace, name):
            continue
        sentence = f"pods of {pod.owner.identity} run as service account"
        source = pod.at(POINTER)
        yield missing(view, Code.NO_SUCH_SERVICE_ACCOUNT, source, sentence, KIND, namespace, name)
