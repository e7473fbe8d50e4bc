"""The images that made pods run, and how firmly each is named."""

from collections.abc import Iterator

from msgspec.structs import replace

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity
from trainshed.validate.policy.reading.breach import breach, is_asked, layers_of
from trainshed.validate.policy.reading.pods import containers, is_written
from trainshed.validate.policy.reading.values import text_at, value_at
from trainshed.validate.view import ClusterView, MadePod


def images(view: ClusterView) -> Iterator[tuple[MadePod, str, str]]:
    """Each image of each workload once: a pod, the pointer into it, the image."""
    said: set[tuple[str, str, str, str]] = set()
    for pod in view.pods:
        owner = pod.owner.identity
        for pointer, container in containers(pod):
            image = text_at(container, "image")
            key = (owner.kind, owner.namespace, owner.name, image)
            if image and key not in said:
                said.add(key)
                yield pod, f"{pointer}/image", image


def is_pinned(image: str) -> bool:
    """Whether the image can never be another one."""
    return "@sha256:" in image


def tag_of(image: str) -> str:
    """The tag, or nothing."""
    return image.rsplit("/", 1)[-1].partition("@")[0].partition(":")[2]


def image_breach(
    view: ClusterView, pod: MadePod, pointer: str, rule: Code, problem: str, advice: str
) -> Iterator[Diagnostic]:
    """The finding about an image. One that an operator brings along is a warning where the rule is asked for.

    No job can mend that, and all jobs of a kind have it: so it is said once.
    """
    if not is_asked(view, pod.owner, rule):
        return
    image = value_at(pod.body, pointer)
    words = f'{pod.owner.identity} runs "{image}", {problem}'
    for finding in breach(view, pod.owner, rule, pod.at(pointer), words, advice):
        if is_written(pod, pointer):
            yield finding
            continue
        asked = [layer[rule].source for layer in layers_of(view, pod.owner) if rule in layer]
        yield replace(
            finding,
            severity=Severity.WARNING if finding.severity is Severity.ERROR else finding.severity,
            source=asked[0] if asked else finding.source,
            summary=f'the operator of {pod.owner.identity.kind}s runs "{image}" in their pods, {problem}',
            detail="no job can mend it: set the image where the operator is installed",
        )
