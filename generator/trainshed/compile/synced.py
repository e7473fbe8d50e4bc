"""The runs that Argo CD syncs, as far as its own objects tell of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from trainshed.model.plan import Target
from trainshed.model.source import Source


@dataclass(frozen=True, slots=True)
class SyncedRun:
    """What an Application says of a job: nothing else of it comes into Argo CD's own objects."""

    app: str
    team: str
    namespace: str
    source: Source
    notify: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, target: Target) -> "SyncedRun":
        """Of a target that has anything in Git to sync."""
        notify = dict(target.observability.notify)
        return cls(target.app, target.team.name, target.namespace, target.sources.whole, notify)
