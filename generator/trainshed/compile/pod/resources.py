"""What a container asks for."""

from collections.abc import Mapping

from trainshed.model.manifest import JsonObject

UNLIMITED = frozenset({"cpu", "ephemeral-storage"})


def resources(requests: Mapping[str, str], above: Mapping[str, str] | None = None) -> JsonObject:
    """Limits equal requests, but for two, and for those `above` them that the job names.

    The CPU may take what its neighbours leave idle, and a limit of the disk would count logs and image files as well.
    """
    limits = {name: quantity for name, quantity in requests.items() if name not in UNLIMITED}
    return {"requests": dict(requests), "limits": limits | dict(above or {})}
