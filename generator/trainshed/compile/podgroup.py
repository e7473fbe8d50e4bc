"""The PodGroup of a run, where no operator makes one."""

from collections.abc import Iterator
from fractions import Fraction

from trainshed.compile.amounts import format_amount
from trainshed.compile.gang import network_topology
from trainshed.compile.labels import job_labels
from trainshed.compile.plain import without_empty
from trainshed.model.backend import Backend
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.plan import Target
from trainshed.model.quantity import parse_quantity

API_VERSIONS = {"volcano": "scheduling.volcano.sh/v1beta1", "coscheduling": "scheduling.x-k8s.io/v1alpha1"}
OURS = frozenset({Backend.JOBSET})
"""Kinds whose pods start together and whose operator knows no PodGroup."""


def makes_pod_group(target: Target) -> bool:
    """Whether a PodGroup stands beside the run."""
    return target.scheduling.together is not None and target.backend in OURS


def pod_group(target: Target) -> Iterator[tuple[JsonObject, Origins]]:
    """The PodGroup beside the run, named like it."""
    together = target.scheduling.together
    if together is None or not makes_pod_group(target):
        return
    volcano = together.scheduler == "volcano"
    body = {
        "apiVersion": API_VERSIONS[together.scheduler],
        "kind": "PodGroup",
        "metadata": {"name": target.run, "namespace": target.namespace, "labels": job_labels(target)},
        "spec": without_empty(
            {
                "minMember": together.members,
                "minResources": _least_resources(target),
                "queue": together.queue,
                "networkTopology": network_topology(target) if volcano else {},
                "scheduleTimeoutSeconds": None if volcano else together.timeout_seconds,
            }
        ),
    }
    places = (
        ("/spec/queue", target.sources.find("queue")),
        ("/spec/networkTopology", target.sources.find("topology")),
    )
    yield body, Origins(target.sources.find("nodes"), places)


def _least_resources(target: Target) -> dict[str, str]:
    """What the fewest pods that start together ask for; nothing where they start one by one."""
    if target.scheduling.together is None or target.scheduling.together.members == 1:
        return {}
    sums: dict[str, Fraction] = {}
    for group in target.groups:
        for resource, quantity in group.requests.items():
            sums[resource] = sums.get(resource, Fraction(0)) + parse_quantity(quantity) * group.min_pods
    return {resource: format_amount(resource, amount) for resource, amount in sums.items()}
