"""A budget of no pod to spare: drains of nodes wait until the run has ended.

It does not stop a spot node from being taken back, nor Kueue from preempting: both delete without asking.
"""

from collections.abc import Iterator

from trainshed.compile.labels import RUN_LABEL, job_labels
from trainshed.model.backend import Backend
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.plan import Target


def disruption_budget(target: Target) -> Iterator[tuple[JsonObject, Origins]]:
    """A budget that counts pods, of one pod as well: a drain looks at nothing else.

    Percentages and `maxUnavailable` need a controller that has replicas, and a Job or a PyTorchJob's master has none
    (kubernetes.io/docs/tasks/run-application/configure-pdb). An elastic run goes on with its least.
    """
    if target.do_not_disrupt:
        body = {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": target.run, "namespace": target.namespace, "labels": job_labels(target)},
            "spec": {"minAvailable": _least(target), "selector": {"matchLabels": {RUN_LABEL: target.run}}},
        }
        yield body, Origins(target.sources.find("doNotDisrupt"))


def _least(target: Target) -> int:
    """The pods that the run cannot go on without; a RayJob's submitter is one that no group has."""
    submitters = 1 if target.backend is Backend.RAYJOB else 0
    return sum(group.min_pods for group in target.groups) + submitters
