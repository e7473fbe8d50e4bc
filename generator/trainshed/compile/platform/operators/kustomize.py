"""An operator that comes as a Kustomize folder: its image, and patches of its Deployment and its CRDs."""

import json
from collections.abc import Iterator

from trainshed.catalog.images import flag_images
from trainshed.compile.plain import without_empty
from trainshed.compile.platform.claims import KEPT
from trainshed.compile.platform.operators.gang import gang_arguments
from trainshed.compile.platform.operators.training_operator import (
    CONTAINER,
    NO_MPIJOB,
    training_operator_arguments,
    training_operator_edits,
)
from trainshed.model.catalog import OperatorRelease
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject, escape_pointer


def kustomize(cluster: Cluster, release: OperatorRelease) -> JsonObject:
    """Where the image comes from, and the patches."""
    settings = release.settings
    image = f"{cluster.mirror.image(settings['image'])}:{settings['tag']}"
    patches = list(_patches(cluster, release))
    return without_empty({"images": [f"{settings['image-value']}={image}"], "patches": patches})


def _patches(cluster: Cluster, release: OperatorRelease) -> Iterator[JsonObject]:
    edits = [*_arguments(cluster, release)]
    if release.operator == "training-operator":
        edits += training_operator_edits(cluster)
    if edits:
        deployment = {"kind": "Deployment", "name": release.settings["deployment"]}
        yield {"target": deployment, "patch": json.dumps(edits, indent=1)}
    if release.operator == "training-operator":
        yield {"target": {"kind": "CustomResourceDefinition"}, "patch": json.dumps(_keep(), indent=1)}
        if "mpi-operator" in cluster.operators:
            target = {"kind": NO_MPIJOB["kind"], "name": NO_MPIJOB["metadata"]["name"]}
            yield {"target": target, "patch": json.dumps(NO_MPIJOB, indent=1)}


def _arguments(cluster: Cluster, release: OperatorRelease) -> Iterator[JsonObject]:
    """Arguments of the operator: the kinds that it serves, mirrored images of its own in pods, the gang scheduler."""
    flags = [
        f"{flag}={cluster.mirror.image(image)}"
        for flag, image in flag_images(release)
        if cluster.mirror.image(image) != image
    ]
    flags += gang_arguments(cluster, release)
    if release.operator == "training-operator":
        every = [*training_operator_arguments(cluster), *flags]
        yield {"op": "add", "path": f"{CONTAINER}/args", "value": every}
    else:
        yield from ({"op": "add", "path": f"{CONTAINER}/args/-", "value": flag} for flag in flags)


def _keep() -> list[JsonObject]:
    """Edits that protect an object from pruning and deletion: with a CRD go all objects of its kinds."""
    return [
        {"op": "add", "path": f"/metadata/annotations/{escape_pointer(key)}", "value": value}
        for key, value in KEPT.items()
    ]
