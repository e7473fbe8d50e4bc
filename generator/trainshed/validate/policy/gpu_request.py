"""A GPU is asked for whole, by request and limit alike, and by the container that trains with it."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.model.gpus import is_gpu
from trainshed.model.manifest import JsonObject, escape_pointer
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.policy.reading.pods import containers
from trainshed.validate.policy.reading.values import amount, map_at
from trainshed.validate.view import ClusterView, MadePod


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each request that the scheduler refuses, or counts for nothing."""
    for pod in view.pods:
        for pointer, fault in _faults(pod):
            yield from breach(
                view,
                pod.owner,
                Code.GPU_REQUEST,
                pod.at(pointer),
                f"{pod.owner.identity} {fault}",
                "write the same whole number as limit and as request, at the container that uses it",
            )


def _faults(pod: MadePod) -> Iterator[tuple[str, str]]:
    users = {pointer: _gpus(container) for pointer, container in containers(pod)}
    at_work = {name for pointer, gpus in users.items() if "/containers/" in pointer for name in gpus}
    for pointer, gpus in users.items():
        for name, (request, limit) in gpus.items():
            field = "requests" if limit is None else "limits"
            place = f"{pointer}/resources/{field}/{escape_pointer(name)}"
            if limit is None:
                yield place, f"requests {request} {name} without a limit"
            elif request is not None and amount(request) != amount(limit):
                yield place, f"requests {request} {name} with a limit of {limit}"
            elif amount(limit).denominator != 1:
                yield place, f"asks for {limit} {name}: a GPU cannot be divided like that"
            elif name not in at_work:
                yield place, f"asks for {name} in an init container only"


def _gpus(container: JsonObject) -> dict[str, tuple[object, object]]:
    """Request and limit of each kind of GPU; None where there is none."""
    resources = map_at(container, "resources")
    requests, limits = map_at(resources, "requests"), map_at(resources, "limits")
    names = sorted(name for name in requests | limits if is_gpu(name))
    return {name: (requests.get(name), limits.get(name)) for name in names}
