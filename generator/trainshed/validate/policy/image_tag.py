"""Images have a tag that stays: without one, or with latest, a restart may run something else."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.images import image_breach, images, is_pinned, tag_of
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each image of a made pod that says no version."""
    for pod, pointer, image in images(view):
        if not is_pinned(image) and tag_of(image) in ("", "latest"):
            advice = "write a tag that stays, or a digest"
            yield from image_breach(
                view, pod, pointer, Code.IMAGE_TAG, "which may be another image tomorrow", advice
            )
