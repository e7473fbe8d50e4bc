"""Claims against the pods that mount them and the storage that makes them."""

import pytest
from repositories import CLUSTER, TEAM
from validate.views import lab, say, see, with_nodes

from trainshed.validate.policy import (
    claim_access,
    claim_read_only,
    storage_access,
    storage_size,
    unknown_storage,
)

CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: team-vision}
spec:
  accessModes: [MODE]
  storageClassName: nfs
  resources: {requests: {storage: 1Ti}}
---
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: NAME, namespace: team-vision}
spec:
  parallelism: 2
  template:
    spec:
      containers: [{name: train, volumeMounts: [{name: in, mountPath: /in}]}]
      volumes: [{name: in, persistentVolumeClaim: {claimName: data}}]
---
"""
AT = "Job train/spec/template/spec/volumes/0/persistentVolumeClaim/claimName"


def objects(mode: str, **changes: str) -> str:
    text = CLAIM.replace("MODE", mode) + JOB.replace("NAME", "train")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


def test_many_pods_mount_what_many_nodes_can_mount() -> None:
    assert say(claim_access.check(see(objects("ReadWriteMany"), lab()))) == []
    assert say(claim_access.check(see(objects("ReadOnlyMany"), lab()))) == []


def test_pods_on_several_nodes_that_mount_a_claim_of_one_node_are_said() -> None:
    said = "2 pods of Job team-vision/train mount PersistentVolumeClaim team-vision/data, which serves"
    assert say(claim_access.check(see(objects("ReadWriteOnce"), lab()))) == [
        f"error at {AT}: claim-access: {said} one node only"
    ]
    assert say(claim_access.check(see(objects("ReadWriteOnce")))) == [
        f"warning at {AT}: claim-access: {said} one node only"
    ]


def test_one_pod_mounts_what_one_node_can_mount() -> None:
    one = objects("ReadWriteOnce").replace("parallelism: 2", "parallelism: 1")
    assert say(claim_access.check(see(one, lab()))) == []


def test_on_a_cluster_of_one_node_all_pods_are_on_it() -> None:
    plan = with_nodes(lab(), 1)
    assert say(claim_access.check(see(objects("ReadWriteOnce"), plan))) == []
    (said,) = say(claim_access.check(see(objects("ReadWriteOncePod"), plan)))
    assert said.endswith("which serves one pod only")


@pytest.mark.parametrize(
    "place",
    [
        "nodeName: gpu-7",
        "nodeSelector: {kubernetes.io/hostname: gpu-7}",
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname}]}}",
    ],
)
def test_pods_that_are_bound_to_one_node_share_its_claim(place: str) -> None:
    bound = objects("ReadWriteOnce").replace("      volumes:", f"      {place}\n      volumes:")
    assert say(claim_access.check(see(bound, lab()))) == []


def test_two_workloads_may_take_turns() -> None:
    one = objects("ReadWriteOnce").replace("parallelism: 2", "parallelism: 1")
    other = JOB.replace("NAME", "other").replace("parallelism: 2", "parallelism: 1")
    assert say(claim_access.check(see(one + other, lab()))) == []


def test_roles_of_one_workload_count_together() -> None:
    job = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: team-vision}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: SPEC}}
    Worker: {replicas: 1, template: {spec: SPEC}}
"""
    spec = "{containers: [{name: a}], volumes: [{name: in, persistentVolumeClaim: {claimName: data}}]}"
    view = see(CLAIM.replace("MODE", "ReadWriteOnce") + job.replace("SPEC", spec), lab())
    (said,) = say(claim_access.check(view))
    assert said.startswith("error at PyTorchJob train/spec/pytorchReplicaSpecs/Master/template/")


def test_a_claim_that_can_only_be_read_is_not_mounted_for_writing() -> None:
    assert say(claim_read_only.check(see(objects("ReadWriteMany")))) == []
    assert say(claim_read_only.check(see(objects("ReadOnlyMany")))) == [
        "warning at Job train/spec/template/spec/containers/0/volumeMounts/0: claim-read-only: "
        "pods of Job team-vision/train mount PersistentVolumeClaim team-vision/data for writing"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mountPath: /in}", "mountPath: /in, readOnly: true}"),
        ("claimName: data}", "claimName: data, readOnly: true}"),
    ],
)
def test_a_claim_that_can_only_be_read_may_be_read(old: str, new: str) -> None:
    assert say(claim_read_only.check(see(objects("ReadOnlyMany").replace(old, new)))) == []


def test_a_class_that_the_cluster_does_not_have_is_said() -> None:
    other = CLAIM.replace("MODE", "ReadWriteMany").replace("nfs", "fast")
    assert say(unknown_storage.check(see(CLAIM, lab()))) == []
    assert say(unknown_storage.check(see(other))) == []
    (said,) = say(unknown_storage.check(see(other, lab())))
    assert said.startswith("error at PersistentVolumeClaim data/spec/storageClassName: unknown-storage: ")
    beside = "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}}"
    assert say(unknown_storage.check(see(other + beside, lab()))) == []


def test_a_claim_that_its_storage_cannot_make_is_said() -> None:
    cluster = CLUSTER.replace(
        "shared: {class: nfs, driver: nfs.csi.k8s.io}", "shared: {class: nfs, driver: fsx.csi.aws.com}"
    )
    plan = lab({"specs/clusters/lab.yaml": cluster, "specs/teams/vision.yaml": TEAM.replace("1Ti", "4800Gi")})
    (said,) = say(storage_size.check(see(CLAIM.replace("MODE", "ReadWriteMany"), plan)))
    assert said.startswith(
        "error at PersistentVolumeClaim data/spec/resources/requests/storage: storage-size: 1Ti is less"
    )
    large = CLAIM.replace("MODE", "ReadWriteMany").replace("1Ti", "4800Gi")
    assert say(storage_size.check(see(large, plan))) == []


def test_a_way_to_mount_that_the_storage_does_not_have_is_said() -> None:
    cluster = CLUSTER.replace("driver: nfs.csi.k8s.io", "driver: ebs.csi.aws.com")
    team = TEAM.replace("size: 1Ti}", "size: 1Ti, access: rwo}")
    plan = lab({"specs/clusters/lab.yaml": cluster, "specs/teams/vision.yaml": team})
    (said,) = say(storage_access.check(see(CLAIM.replace("MODE", "ReadWriteMany"), plan)))
    assert said.startswith("error at PersistentVolumeClaim data/spec/accessModes/0: storage-access: ")
    for mode in ("ReadWriteOnce", "ReadWriteOncePod"):
        assert say(storage_access.check(see(CLAIM.replace("MODE", mode), plan))) == []
    static = CLAIM.replace("MODE", "ReadWriteMany").replace("nfs", "nfs, volumeName: mine")
    assert (
        say(
            storage_access.check(
                see(
                    static.replace(
                        "  storageClassName: nfs, volumeName: mine",
                        "  storageClassName: nfs\n  volumeName: mine",
                    ),
                    plan,
                )
            )
        )
        == []
    )
