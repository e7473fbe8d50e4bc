"""A quota is given of flavors that exist: a ClusterQueue with an unknown one stays inactive as a whole."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.values import maps_at, text_at
from trainshed.validate.view import ClusterView

KIND = "ResourceFlavor"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each flavor of a ClusterQueue or Cohort that is not there."""
    for queue in view.of_kind("ClusterQueue", "Cohort"):
        for group, covered in maps_at(queue.body, "spec", "resourceGroups"):
            for index, flavor in maps_at(covered, "flavors"):
                name = text_at(flavor, "name")
                if name and lacks(view, KIND, "", name):
                    source = queue.at(f"/spec/resourceGroups/{group}/flavors/{index}/name")
                    sentence = f"{queue.identity} gives a quota of flavor"
                    yield missing(view, Code.NO_SUCH_FLAVOR, source, sentence, KIND, "", name)
