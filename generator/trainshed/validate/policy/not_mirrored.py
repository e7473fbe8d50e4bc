"""Pods of an air-gapped cluster run images that its nodes can fetch, also those that an operator or we bring along."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.validate.policy.reading.images import images
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each image of a made pod that comes from outside."""
    cluster = view.cluster
    if cluster is None:
        return
    for pod, pointer, image in images(view):
        if not cluster.mirror.reaches_image(image):
            yield error(
                Code.NOT_MIRRORED,
                pod.at(pointer),
                f'{pod.owner.identity} runs "{image}", which cluster "{cluster.name}" cannot reach',
                f"add a row for its registry to the images: {{mirror: {{…}}}} of {cluster.source.path}",
            )
