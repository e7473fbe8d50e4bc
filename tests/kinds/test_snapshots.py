"""E4: snapshots by schedule, of exactly one claim, kept when their objects go; refused where storage takes none."""

import pytest
from kinds.data_specs import made, repository, said
from stages.street import bodies, compile_files

NIGHTLY = ', snapshots: {cron: "0 3 * * *", keep: 7}'


def test_a_schedule_finds_its_one_claim_and_keeps_seven() -> None:
    files = repository(checkpoints=NIGHTLY)
    schedule = made(files, "team-vision", "SnapshotSchedule", "checkpoints", "team-vision")
    assert schedule["spec"] == {
        "claimSelector": {"matchLabels": {"trainshed.dev/snapshots": "checkpoints"}},
        "retention": {"maxCount": 7},
        "schedule": "0 3 * * *",
        "snapshotTemplate": {
            "labels": {"app.kubernetes.io/managed-by": "trainshed"},
            "snapshotClassName": "trainshed-shared",
        },
    }
    labelled = [
        body["metadata"]["name"]
        for body in bodies(compile_files(files), ["team-vision"])
        if body["kind"] == "PersistentVolumeClaim"
        and body["metadata"]["namespace"] == "team-vision"
        and body["metadata"]["labels"].get("trainshed.dev/snapshots") == "checkpoints"
    ]
    assert labelled == ["checkpoints"]


def test_the_class_keeps_snapshots_whose_objects_go() -> None:
    made_class = made(repository(checkpoints=NIGHTLY), "storage", "VolumeSnapshotClass")
    assert made_class["metadata"]["name"] == "trainshed-shared"
    assert made_class["driver"] == "nfs.csi.k8s.io"
    assert made_class["deletionPolicy"] == "Retain"


def test_a_class_of_the_site_is_taken_and_none_is_made() -> None:
    files = dict(repository(checkpoints=NIGHTLY))
    cluster = str(files["specs/clusters/lab.yaml"])
    files["specs/clusters/lab.yaml"] = cluster.replace(
        "driver: nfs.csi.k8s.io", "driver: nfs.csi.k8s.io, snapshotClass: nfs-kept"
    )
    schedule = made(files, "team-vision", "SnapshotSchedule", "checkpoints", "team-vision")
    assert schedule["spec"]["snapshotTemplate"]["snapshotClassName"] == "nfs-kept"
    assert bodies(compile_files(files), ["storage"]) == []


@pytest.mark.parametrize(
    ("volume", "code", "words"),
    [
        (f"storage: home, size: 1Ti{NIGHTLY}", "storage-snapshots", 'Amazon EFS ("home") takes no snapshots'),
        (
            'storage: shared, size: 1Ti, snapshots: "0 3 * * MON"',
            "bad-cron",
            "is not a schedule that snapscheduler",
        ),
        ('storage: shared, size: 1Ti, snapshots: "61 3 * * *"', "bad-cron", "is not a schedule"),
        ('storage: shared, size: 1Ti, snapshots: "0 3 30 2 *"', "cron-never", "never fires"),
        ("storage: shared, size: 1Ti, snapshots: {keep: 7}", "missing-field", "does not say when"),
        (
            f'storage: objects, bucket: "s3://acme"{NIGHTLY}',
            "storage-snapshots",
            "Mountpoint for Amazon S3",
        ),
    ],
)
def test_snapshots_that_cannot_be_are_refused_at_their_line(volume: str, code: str, words: str) -> None:
    (finding,) = said(repository(volumes=f"  more: {{{volume}}}"))
    assert finding.startswith("specs/teams/vision.yaml:9:")
    assert f" {code}: " in finding
    assert words in finding


def test_snapshots_need_their_operator() -> None:
    files = dict(repository(checkpoints=NIGHTLY))
    cluster = str(files["specs/clusters/lab.yaml"])
    files["specs/clusters/lab.yaml"] = cluster.replace(", snapscheduler: v3.5.0", "")
    (finding,) = said(files)
    assert finding.startswith("specs/teams/vision.yaml:7:")
    assert 'missing-operator: cluster "lab" has no snapscheduler' in finding


def test_snapshots_of_ceph_need_a_class_of_the_site() -> None:
    files = dict(repository(checkpoints=NIGHTLY))
    cluster = str(files["specs/clusters/lab.yaml"])
    files["specs/clusters/lab.yaml"] = cluster.replace("nfs.csi.k8s.io", "rook-ceph.cephfs.csi.ceph.com")
    (finding,) = said(files)
    assert finding.startswith("specs/clusters/lab.yaml:11:")
    assert 'missing-field: storage "shared" does not say its snapshotClass' in finding
