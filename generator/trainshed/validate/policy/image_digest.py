"""Images are pinned by digest: a tag may be another image tomorrow, also that of an operator's own container."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.images import image_breach, images, is_pinned
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each image of a made pod that is named by a tag."""
    for pod, pointer, image in images(view):
        if not is_pinned(image):
            advice = f"write {image.partition('@')[0]}@sha256:…"
            yield from image_breach(
                view, pod, pointer, Code.IMAGE_DIGEST, "which is not pinned by digest", advice
            )
