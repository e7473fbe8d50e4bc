"""A workload with all that is made of it, as a tree: each object has its own pods, and objects below it."""

from collections.abc import Sequence
from dataclasses import dataclass

from trainshed.engine.messages import MadeObject
from trainshed.model.manifest import JsonObject
from trainshed.model.rehearsal import PodToRun


@dataclass(frozen=True, slots=True)
class Owned:
    """An object, its role and number in its owner's words, the pods that it makes itself, and what else it makes."""

    body: JsonObject
    pods: tuple[PodToRun, ...]
    children: tuple["Owned", ...]
    role: str = ""
    index: int = 0

    @property
    def kind(self) -> tuple[str, str]:
        """API group and kind."""
        return self.body["apiVersion"].rpartition("/")[0], self.body["kind"]

    @property
    def name(self) -> str:
        """The object's name."""
        return self.body["metadata"]["name"]

    @property
    def all_pods(self) -> tuple[PodToRun, ...]:
        """Its own, and those of all that stands between."""
        return (*self.pods, *(pod for child in self.children for pod in child.all_pods))

    def of_kind(self, kind: str) -> tuple["Owned", ...]:
        """Those of its children that are of a kind."""
        return tuple(child for child in self.children if child.body["kind"] == kind)


def build_tree(workload: JsonObject, made: Sequence[MadeObject], pods: Sequence[PodToRun]) -> Owned:
    """The tree below `workload`, by the `owner` of each made object and of each pod."""

    def grow(place: int, body: JsonObject, role: str, index: int) -> Owned:
        below = tuple(
            grow(at, each.body, each.role, each.index)
            for at, each in enumerate(made)
            if each.owner == place and each.body.get("kind") != "Pod"
        )
        return Owned(body, tuple(pod for pod in pods if pod.owner == place), below, role, index)

    return grow(-1, workload, "", 0)
