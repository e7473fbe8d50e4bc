"""What only Ray has: how a cluster grows, and how long it stays."""

from collections.abc import Iterable

from trainshed.catalog.installed import release_on
from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.pods import PodGroup
from trainshed.model.ray import Autoscaler
from trainshed.resolve.draft import Draft

IDLE_SECONDS = 60
UPSCALING = {"default": "Default", "conservative": "Conservative", "aggressive": "Aggressive"}


def note_upgrade(draft: Draft, backend: Backend) -> None:
    """A note where the operator leaves the pods of a Ray cluster as they are when its spec is edited."""
    installed = draft.cluster.operators.get("kuberay")
    release = release_on(draft.cluster, "kuberay")
    if backend is Backend.RAYCLUSTER and installed and release and not release.can("raycluster-upgrade"):
        draft.refuse(
            Code.RELEASE_LACKS,
            draft.kind_field,
            f"kuberay {installed.release} on {draft.cluster.name} keeps the pods of a Ray cluster whose spec is edited",
            f"after an edit write state: stopped, then running again; or raise the release at {installed.source}",
            severity=Severity.NOTE,
        )


def resolve_autoscaler(draft: Draft, groups: Iterable[PodGroup]) -> Autoscaler | None:
    """How a cluster grows whose workers are a range; nothing where they are not."""
    written = draft.body.autoscaler
    if all(group.min_pods == group.max_pods for group in groups):
        if written is not None:
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                ("autoscaler",),
                "the autoscaler has nothing to do: this job says how many workers it has",
                "write nodes: {min: 1, max: 4}, or leave autoscaler out",
            )
        return None
    if written is None:
        return Autoscaler(IDLE_SECONDS, "", "")
    idle = IDLE_SECONDS if written.idle_timeout is None else written.idle_timeout
    return Autoscaler(idle, UPSCALING.get(written.upscaling or "", ""), written.version or "")
