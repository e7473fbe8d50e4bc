"""Constructs: every Kubernetes object is a cdk8s ApiObject whose body crosses to Node once, as JSON text.

jsii bends values on the way (None keys vanish, 2**60 loses digits, 1.0 becomes 1) and takes five times as long for
a map as for a text. So the construct tree holds names and order, and each body as the canonical text it was given:
as an annotation, which crosses with its object and not in a call of its own.
"""

from cdk8s import ApiObject, ApiObjectMetadata
from constructs import Construct

from trainshed.model.manifest import JsonObject, Origins, canonical_json, identify

BODY = "body"


class PlainObject(ApiObject):
    """An object whose fields are plain data. `origins` travels beside it and is never written into it."""

    def __init__(self, scope: Construct, construct_id: str, body: JsonObject, origins: Origins) -> None:
        identity = identify(body)
        super().__init__(
            scope,
            construct_id,
            api_version=identity.api_version,
            kind=identity.kind,
            metadata=ApiObjectMetadata(
                name=identity.name,
                namespace=identity.namespace or None,
                annotations={BODY: canonical_json(body)},
            ),
        )
        self.identity = identity
        self.origins = origins
