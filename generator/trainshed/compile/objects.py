"""Constructs: every Kubernetes object is a cdk8s ApiObject whose body crosses to Node once, as JSON text.

jsii bends values on the way (None keys vanish, 2**60 loses digits, 1.0 becomes 1) and takes five times as long for
a map as for a text. So the construct tree holds names and order, and each body as the canonical text it was given:
as an annotation, which crosses with its object and not in a call of its own.
"""

from cdk8s import ApiObject, ApiObjectMetadata
from constructs import Construct

from trainshed.model.manifest import JsonObject, Origins, canonical_json, identify

BODY = "body"

MOST_BYTES = 250_000
"""Longer objects are applied on the server's side: a client keeps what it applied in an annotation, and all annotations
of an object have 262,144 bytes (kubernetes v1.36 `TotalAnnotationSizeLimitB`)."""

SYNC_OPTIONS = "argocd.argoproj.io/sync-options"


class PlainObject(ApiObject):
    """An object whose fields are plain data. `origins` travels beside it and is never written into it."""

    def __init__(self, scope: Construct, construct_id: str, body: JsonObject, origins: Origins) -> None:
        identity = identify(body)
        text = canonical_json(body)
        if len(text.encode()) > MOST_BYTES:
            text = canonical_json(_server_side(body))
        super().__init__(
            scope,
            construct_id,
            api_version=identity.api_version,
            kind=identity.kind,
            metadata=ApiObjectMetadata(
                name=identity.name,
                namespace=identity.namespace or None,
                annotations={BODY: text},
            ),
        )
        self.identity = identity
        self.origins = origins


def _server_side(body: JsonObject) -> JsonObject:
    """The object with the sync option that has Argo CD apply it on the server's side."""
    metadata = body["metadata"]
    annotations = metadata.get("annotations", {})
    options = [*filter(None, [annotations.get(SYNC_OPTIONS)]), "ServerSideApply=true"]
    return {
        **body,
        "metadata": {**metadata, "annotations": {**annotations, SYNC_OPTIONS: ",".join(options)}},
    }
