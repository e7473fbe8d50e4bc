"""One object belongs to one app: two apps of a cluster that own it would undo each other for ever."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.files import Rendered, RenderedObject
from trainshed.model.inputs import Inputs
from trainshed.model.manifest import ObjectId


def check(rendered: Rendered, _: Inputs) -> Iterator[Diagnostic]:
    """A finding at the second owner."""
    owners: dict[tuple[str, ObjectId], RenderedObject] = {}
    for one in rendered.objects:
        first = owners.setdefault((one.app.cluster, one.manifest.identity), one)
        if first is not one:
            yield error(
                Code.OBJECT_TWICE,
                one.manifest.origins.whole,
                f"{one.manifest.identity} of {one.app.cluster} belongs to {first.app.app} and to {one.app.app}",
                "give one of them another name",
                [Related(first.manifest.origins.whole, "the first owner")],
            )
