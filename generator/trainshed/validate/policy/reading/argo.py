"""Which Application syncs which objects, and in what order: phase, wave, and the waves of the Applications above."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from trainshed.validate.policy.reading.values import map_at, maps_at, text_at
from trainshed.validate.view import ClusterView, Member

ANNOTATION = "argocd.argoproj.io/"
WAVE, HOOK = f"{ANNOTATION}sync-wave", f"{ANNOTATION}hook"
PHASES: Mapping[str, int] = {"PreSync": -1, "Sync": 0, "PostSync": 1, "SyncFail": 2, "Skip": 2}
Way: TypeAlias = tuple[tuple[str, tuple[int, int]], ...]
DEEPEST = 8
"""Applications in Applications; a ring of them ends here."""


def sources_of(application: Member) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Where an Application reads from, with JSON pointers."""
    source = map_at(application.body, "spec", "source")
    if source:
        yield "/spec/source", source
    for index, further in maps_at(application.body, "spec", "sources"):
        yield f"/spec/sources/{index}", further


def app_of(view: ClusterView, application: Member) -> str:
    """The app whose folder an Application syncs; empty where it syncs something else."""
    folder = f"rendered/{view.name}/"
    paths = (text_at(source, "path") for _, source in sources_of(application))
    return next((path.removeprefix(folder).rstrip("/") for path in paths if path.startswith(folder)), "")


def order_of(member: Member) -> tuple[int, int]:
    """Phase and wave of an object within its app."""
    annotations = map_at(member.body, "metadata", "annotations")
    if WAVE not in annotations and HOOK not in annotations:
        return 0, 0
    wave = str(annotations.get(WAVE, "0"))
    hook = str(annotations.get(HOOK, "Sync")).partition(",")[0].strip()
    is_number = wave.lstrip("-").isdecimal()
    return PHASES.get(hook, 0), int(wave) if is_number else 0


@dataclass(frozen=True, slots=True)
class Timetable:
    """When Argo CD applies the objects of a cluster."""

    applications: Mapping[str, Member] = field(default_factory=dict[str, Member])
    _ways: dict[str, Way] = field(default_factory=dict[str, Way])
    _apart: dict[tuple[str, str], bool] = field(default_factory=dict[tuple[str, str], bool])
    """Whether all of one app are later than all of another, where that does not depend on the object."""

    @classmethod
    def of(cls, view: ClusterView) -> "Timetable":
        """From the Applications among the objects."""
        syncing = ((app_of(view, one), one) for one in view.of_kind("Application"))
        return cls({app: one for app, one in syncing if app})

    def is_later(self, one: Member, other: Member) -> bool:
        """Whether the first comes only after the other is there and healthy; apps side by side wait for nobody."""
        if one.app == other.app:
            return order_of(one) > order_of(other)
        apps = one.app, other.app
        if apps not in self._apart:
            way, other_way = map(self._way, apps)
            for (app, order), (other_app, other_order) in zip(way, other_way, strict=False):
                if app != other_app or order != other_order:
                    self._apart[apps] = app == other_app and order > other_order
                    break
            else:
                return self._is_later_below(one, other)
        return self._apart[apps]

    def _is_later_below(self, one: Member, other: Member) -> bool:
        """As `is_later`, where one of the apps is among those that the other is in."""
        way, other_way = ((*self._way(each.app), (each.app, order_of(each))) for each in (one, other))
        for (app, order), (other_app, other_order) in zip(way, other_way, strict=False):
            if app != other_app:
                return False
            if order != other_order:
                return order > other_order
        return False

    def _way(self, app: str) -> Way:
        """The apps from the root down to one, each with the order of the next within it."""
        known = self._ways.get(app)
        if known is None:
            way: list[tuple[str, tuple[int, int]]] = []
            above = self.applications.get(app)
            while len(way) + 1 < DEEPEST and above is not None:
                way.insert(0, (above.app, order_of(above)))
                above = self.applications.get(above.app)
            known = self._ways[app] = tuple(way)
        return known
