"""The GPUs that pods ask for, whatever their make."""

import re
from collections.abc import Iterator
from typing import Any

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.tree import maps_in

_GPU = re.compile(r"^[a-z0-9.-]+/(.*gpu.*|mig-.*|gaudi|neuron.*|tpu)$")
"""Names under which device plugins offer accelerators: nvidia.com/gpu, amd.com/gpu, habana.ai/gaudi, google.com/tpu."""


def count_gpus(body: JsonObject) -> int:
    """The most that one container asks for."""
    return max((count for _, _, count in _asked(body)), default=0)


def cut_gpus(body: JsonObject, most: int) -> Iterator[str]:
    """Leave a container as many GPUs as a node has processes, and say so once for each amount."""
    said = dict[str, None]()
    for amounts, name, count in list(_asked(body)):
        if count > most:
            amounts[name] = str(most)
            said[f"{count} {name} of a container become {most}"] = None
    yield from said


def _asked(body: JsonObject) -> Iterator[tuple[JsonObject, str, int]]:
    for each in maps_in(body):
        for field in ("limits", "requests"):
            amounts = each.get(field)
            if isinstance(amounts, dict):
                yield from (
                    (amounts, name, int(amounts[name])) for name in amounts if _is_gpus(name, amounts[name])
                )


def _is_gpus(name: Any, amount: Any) -> bool:
    return isinstance(name, str) and _GPU.match(name) is not None and str(amount).isdecimal()
