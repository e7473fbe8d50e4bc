"""Kueue admits a run only if its queue has a quota for every single resource that the run's pods ask for."""

from collections.abc import Iterator, Set

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity
from trainshed.model.manifest import JsonObject, ObjectId, escape_pointer
from trainshed.validate.policy.reading.pods import containers
from trainshed.validate.policy.reading.queues import Ledger, queue_of, read_ledger
from trainshed.validate.policy.reading.values import amount, items_at, map_at, maps_at
from trainshed.validate.view import ClusterView, MadePod, Member


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding for each resource of a workload that its queue does not cover, at the first request for it."""
    ledger = read_ledger(view)
    said: set[tuple[ObjectId, str]] = set()
    covered: dict[ObjectId, frozenset[str]] = {}
    for pod in view.pods:
        queue = queue_of(view, pod.owner)
        if queue is None:
            continue
        if queue.identity not in covered:
            covered[queue.identity] = frozenset(_covers(queue))
        for pointer, resource in _asked(pod, ledger, covered[queue.identity]):
            if (pod.owner.identity, resource) not in said:
                said.add((pod.owner.identity, resource))
                yield Diagnostic(
                    code=Code.RESOURCE_UNCOVERED,
                    severity=Severity.ERROR,
                    summary=f"{pod.owner.identity} asks for {resource}, which its queue does not cover",
                    source=pod.at(pointer),
                    detail=f"give {queue.identity} a quota of {resource}, or the run waits for ever",
                    related=(Related(queue.at("/spec/resourceGroups"), "the queue's quotas"),),
                )


def _covers(queue: Member) -> Iterator[str]:
    for _, group in maps_at(queue.body, "spec", "resourceGroups"):
        yield from (name for name in items_at(group, "coveredResources") if isinstance(name, str))


def _asked(pod: MadePod, ledger: Ledger, covered: Set[str]) -> Iterator[tuple[str, str]]:
    """The resources that a pod asks for and that are not covered, with the pointers of the requests."""
    for pointer, container in containers(pod):
        resources = map_at(container, "resources")
        for field, wanted in (("requests", map_at(resources, "requests")), ("limits", _unasked(resources))):
            for resource, quantity in wanted.items():
                if resource not in covered and amount(quantity) and ledger.counts(resource):
                    yield f"{pointer}/resources/{field}/{escape_pointer(resource)}", resource


def _unasked(resources: JsonObject) -> JsonObject:
    """Limits without a request of their own: the API server makes one of them."""
    requests = map_at(resources, "requests")
    return {name: limit for name, limit in map_at(resources, "limits").items() if name not in requests}
