"""The same change on many targets, shown once."""

from pathlib import PurePosixPath

from trainshed.model.manifest import AppId, ObjectId
from trainshed.model.review import FieldChange, ObjectChange, Verb
from trainshed.model.source import Source
from trainshed.report.review.phrases import places_of_objects, title_of_objects
from trainshed.review.groups import group_objects

LINE = Source(PurePosixPath("specs/presets/net.yaml"), 3)


def change(cluster: str, before: str, after: str, name: str = "default-deny") -> ObjectChange:
    identity = ObjectId("networking.k8s.io/v1", "NetworkPolicy", "team-vision", name)
    field = FieldChange("outgoing traffic", before, after, source=LINE)
    return ObjectChange(Verb.CHANGED, AppId(cluster, "team-vision"), identity, None, (field,), LINE)


def test_forty_targets_are_one_line() -> None:
    clusters = ["aws-prod", "gke-research", *(f"lab-{number:02}" for number in range(38))]
    (group,) = group_objects(change(cluster, "53", "5353") for cluster in clusters)
    assert title_of_objects(group) == "40 × NetworkPolicy default-deny"
    assert places_of_objects(group.changes) == "aws-prod, gke-research, lab-00 and 37 more, in team-vision"


def test_name_of_the_cluster_in_a_value_does_not_count() -> None:
    found = group_objects(change(cluster, f"to {cluster}", f"to {cluster}/x") for cluster in ("lab", "edge"))
    assert len(found) == 1


def test_other_value_is_another_change() -> None:
    assert len(group_objects([change("lab", "53", "5353"), change("edge", "53", "5354")])) == 2
