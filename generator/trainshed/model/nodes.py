"""What a job itself says about its nodes, as Kubernetes spells it, beside what pools say."""

from collections.abc import Mapping

from msgspec import Struct

from trainshed.model.manifest import JsonObject


class NodeWishes(Struct, frozen=True):
    """Raw wishes about nodes. Of the `terms` one must hold; `avoided` are host names."""

    labels: Mapping[str, str]
    terms: tuple[JsonObject, ...]
    preferred: tuple[JsonObject, ...]
    pod_affinity: JsonObject
    pod_anti_affinity: JsonObject
    tolerations: tuple[JsonObject, ...]
    avoided: tuple[str, ...]
    scheduler: str
