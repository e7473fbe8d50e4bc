"""What Argo CD has to be told about kinds, in argocd-cm.

One Argo CD may serve clusters of all kinds, and has one argocd-cm: the settings are the same whatever the cluster, so
that it does not matter whose were applied last. A key for each kind, and not one key with wildcards: keys that others
keep there stay theirs.
"""

import json
from collections.abc import Iterator

from trainshed.catalog import synced_kinds
from trainshed.model.catalog import SyncedKind
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject

TRACKING = {"application.resourceTrackingMethod": "annotation"}
"""By label, what an operator copies from ours, labels included, would look like a leftover and be pruned."""


def settings(cluster: Cluster) -> JsonObject:
    """The part of argocd-cm that is ours."""
    rules = (rule for kind in synced_kinds().values() for rule in _rules(kind))
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "argocd-cm",
            "namespace": cluster.argocd.namespace,
            "labels": {"app.kubernetes.io/name": "argocd-cm", "app.kubernetes.io/part-of": "argocd"},
        },
        "data": {**TRACKING, **dict(rules)},
    }


def _rules(kind: SyncedKind) -> Iterator[tuple[str, str]]:
    """The keys of a kind (argo-cd v3.5 `util/settings/settings.go`) and their values, which are texts of YAML."""
    name = f"{kind.group}_{kind.kind}" if kind.group else kind.kind
    if kind.health:
        yield f"resource.customizations.health.{name}", kind.health
    if kind.fields:
        lines = [f"- {{field: {path.replace('[]', '')}, type: {type_}}}" for path, type_ in kind.fields]
        yield f"resource.customizations.knownTypeFields.{name}", "\n".join(lines) + "\n"
    if kind.written:
        lines = [f"- {json.dumps(expression)}" for expression in kind.written]
        yield (
            f"resource.customizations.ignoreDifferences.{name}",
            "\n".join(["jqPathExpressions:", *lines, ""]),
        )
