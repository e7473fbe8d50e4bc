"""The images of an operator's release: those that run it, and those that it puts into the pods of others."""

from collections.abc import Iterator
from dataclasses import dataclass

from trainshed.model.catalog import InstallForm, OperatorRelease


@dataclass(frozen=True, slots=True)
class ChartImage:
    """An image as a chart names it: the value, what is written there, and what nodes then fetch.

    Tags that are values of their own are left out; some charts want a path, behind which they put the image's name.
    """

    value: str
    written: str
    reference: str


def chart_images(release: OperatorRelease) -> tuple[ChartImage, ...]:
    """The images of a Helm chart, the operator's own first."""
    settings = release.settings
    whole = "" if "tag-value" in settings else f":{settings['tag']}"
    named = [(settings["image-value"], settings["image"] + whole), *_pairs(settings.get("other-images", ""))]
    front = f"{settings['registry']}/" if "registry" in settings else ""
    return tuple(ChartImage(value, written, front + written) for value, written in named)


def flag_images(release: OperatorRelease) -> tuple[tuple[str, str], ...]:
    """The images that an operator puts into pods, by the flags that change them."""
    return tuple(_pairs(release.settings.get("image-flags", "")))


def all_images(release: OperatorRelease) -> Iterator[str]:
    """Every image that comes with the release."""
    if release.install.form is InstallForm.HELM:
        yield from (image.reference for image in chart_images(release))
    else:
        yield f"{release.settings['image']}:{release.settings['tag']}"
    yield from (image for _, image in flag_images(release))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """`a=b c=d`, as settings write several in one text."""
    for pair in text.split():
        name, _, value = pair.partition("=")
        yield name, value
