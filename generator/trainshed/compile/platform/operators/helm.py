"""An operator that comes as a Helm chart: the values that pin its images and configure it."""

from collections.abc import Iterator, Mapping

from trainshed.catalog.images import chart_images
from trainshed.compile.platform.gpus import gpu_values
from trainshed.compile.platform.operators.gang import batch_scheduler, volcano_values
from trainshed.compile.platform.operators.kueue import kueue_values
from trainshed.model.catalog import OperatorRelease
from trainshed.model.cluster import Cluster
from trainshed.model.gpus import GPU_OPERATOR
from trainshed.model.manifest import JsonObject
from trainshed.model.mirror import Mirror


def helm(cluster: Cluster, release: OperatorRelease) -> JsonObject:
    """The release's name, and the chart's values."""
    return {
        "releaseName": release.settings["release-name"],
        "valuesObject": _nest(dict(_values(cluster, release))),
    }


def _values(cluster: Cluster, release: OperatorRelease) -> Iterator[tuple[str, object]]:
    """Values by dotted path."""
    yield from _images(release, cluster.mirror)
    if "bundled-jobset-value" in release.settings:
        yield release.settings["bundled-jobset-value"], "jobset" not in cluster.operators
    if release.operator == "kueue":
        yield from kueue_values(cluster, release)
    if release.operator == "kuberay":
        yield from batch_scheduler(cluster, release)
    if release.operator == "volcano":
        yield from volcano_values(cluster, release)
    if release.operator == GPU_OPERATOR:
        yield from gpu_values(cluster, release)


def _images(release: OperatorRelease, mirror: Mirror) -> Iterator[tuple[str, str]]:
    """The operator's own image, pinned (some charts point at moving tags); with a mirror, every image of the chart.

    Some charts put a registry in front by themselves. Then the mirror's host becomes that registry.
    """
    settings = release.settings
    own, *_ = images = chart_images(release)
    if "tag-value" in settings:
        yield settings["tag-value"], settings["tag"]
    if mirror.image(own.reference) == own.reference:
        yield own.value, own.written
        return
    for image in images:
        host, _, path = mirror.image(image.reference).partition("/")
        if "registry-value" in settings:
            yield settings["registry-value"], host
            yield image.value, path
        else:
            yield image.value, f"{host}/{path}"


def _nest(values: Mapping[str, object]) -> JsonObject:
    nested: JsonObject = {}
    for dotted, value in values.items():
        *parents, last = dotted.split(".")
        below = nested
        for parent in parents:
            below = below.setdefault(parent, {})
        below[last] = value
    return nested
