"""Health as Argo CD tells it: its own rules, and the scripts in argocd-cm, run as it runs them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from trainshed.engine.batches import ask_in_rounds, batches
from trainshed.engine.client import Caller, lent
from trainshed.engine.messages import JsonObject

OBJECTS_PER_CALL = 64


class Health(NamedTuple):
    """One of Argo CD's words, such as `Healthy`, and why; no word where it has no opinion."""

    status: str
    message: str


def tell_health(
    objects: Iterable[JsonObject], settings: Mapping[str, str], *, engine: Caller | None = None
) -> list[Health]:
    """The health of each live object. `settings` are the data of argocd-cm."""
    bodies = ({"settings": dict(settings), "objects": batch} for batch in batches(objects, OBJECTS_PER_CALL))
    with lent(engine) as caller:
        replies = ask_in_rounds(caller, "health", bodies)
        return [Health(told["status"], told["message"]) for reply in replies for told in reply["health"]]
