"""How Argo CD syncs: in which order, and by which options.

The options are those of argo-cd v3.5 `docs/user-guide/sync-options.md`; `docs/argocd.md` says which app has which.
"""

from collections.abc import Mapping
from enum import StrEnum

from trainshed.compile.plain import without_empty
from trainshed.model.manifest import JsonObject

WAVES: Mapping[str, int] = {
    "project": -30,
    "operator": -20,
    "gpus": -15,
    "queues": -10,
    "storage": -10,
    "team": 0,
    "monitoring": 10,
}
"""The order in the platform's root: an operator's webhooks must answer before queues and namespaces come."""


class Option(StrEnum):
    """A sync option, and why an app has it.

    What no app has is left out for a reason too. `ServerSideApply` on runs and queues: pods' nodeSelector and
    tolerations are owned as a whole then, so that what Kueue adds on admission is drift, and the mending of it hits a
    running job. `PruneLast`: the new run would have to end before the old one gives its GPUs back.
    `PrunePropagationPolicy`: foreground, the default, is right; a run is gone when its pods are.
    """

    CREATE_NAMESPACE = "CreateNamespace=true"
    """An operator's namespace is nobody else's; a team's is made by its own app."""

    ONLY_OUT_OF_SYNC = "ApplyOutOfSyncOnly=true"
    """A sync for the sake of one object leaves the others alone, above all a run that runs: whoever applies a custom
    resource replaces its lists whole, with all that operators wrote into them."""

    ONE_OWNER = "FailOnSharedResource=true"
    """Two Applications that both want an object would undo each other's work for ever."""

    RESPECT_IGNORED = "RespectIgnoreDifferences=true"
    """What a comparison ignores a sync does not write either: else it would put back what Kueue changed."""

    SERVER_SIDE = "ServerSideApply=true"
    """CRDs are larger than the annotation in which a client keeps what it applied."""

    WITHOUT_DRY_RUN = "SkipDryRunOnMissingResource=true"
    """An app that holds objects of several operators is not held up whole while a CRD of one of them is away."""


def sync_policy(*options: Option) -> JsonObject:
    """Sync by itself, prune, heal, and never give up; a retry takes the newest commit, which may be the mend."""
    return without_empty(
        {
            "automated": {"prune": True, "selfHeal": True},
            "syncOptions": [option.value for option in sorted(options)],
            "retry": {
                "limit": -1,
                "refresh": True,
                "backoff": {"duration": "10s", "factor": 2, "maxDuration": "5m"},
            },
        }
    )
