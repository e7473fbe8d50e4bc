"""E2: buckets of three clouds and of MinIO as volumes, in the form that each driver wants."""

import pytest
from kinds.data_specs import bucket, made, pod, repository, said

READS = "data: {shards: {volume: shards, mountPath: /data, readOnly: true}}"
OPTIONS = {
    "eks": [
        "allow-delete",
        "allow-overwrite",
        "uid=65532",
        "gid=65532",
        "allow-other",
        "prefix imagenet/v2/",
        "region eu-central-1",
    ],
    "gke": ["implicit-dirs", "uid=65532", "gid=65532", "only-dir=imagenet/v2"],
    "aks": ["-o allow_other", "-o uid=65532", "-o gid=65532", "--subdirectory=imagenet/v2"],
    "onprem": [
        "allow-delete",
        "allow-overwrite",
        "uid=65532",
        "gid=65532",
        "allow-other",
        "prefix imagenet/v2/",
        "endpoint-url https://minio.example.com",
        "force-path-style",
    ],
    "openshift": ["allow-delete", "allow-overwrite", "prefix imagenet/v2/", "region us-east-1"],
}
CSI = {
    "eks": {
        "driver": "s3.csi.aws.com",
        "volumeHandle": "team-vision.shards",
        "volumeAttributes": {"bucketName": "acme-shards", "authenticationSource": "pod"},
    },
    "gke": {
        "driver": "gcsfuse.csi.storage.gke.io",
        "volumeHandle": "acme-shards:team-vision.shards",
    },
    "aks": {
        "driver": "blob.csi.azure.com",
        "volumeHandle": "team-vision.shards",
        "volumeAttributes": {
            "storageAccount": "acmestore",
            "containerName": "shards",
            "protocol": "fuse2",
            "clientID": "00000000-0000-0000-0000-000000000001",
        },
    },
    "onprem": {
        "driver": "s3.csi.aws.com",
        "volumeHandle": "team-vision.shards",
        "volumeAttributes": {"bucketName": "acme-shards"},
    },
    "openshift": {
        "driver": "s3.csi.aws.com",
        "volumeHandle": "team-vision.shards",
        "volumeAttributes": {"bucketName": "acme-shards"},
    },
}


@pytest.mark.parametrize("provider", CSI)
def test_a_bucket_is_a_static_volume_in_the_words_of_its_driver(provider: str) -> None:
    files = repository(READS, provider=provider, volumes=bucket(provider))
    volume = made(files, "team-vision", "PersistentVolume", "team-vision.shards")
    assert volume["spec"]["csi"] == CSI[provider]
    assert volume["spec"]["mountOptions"] == OPTIONS[provider]
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"


def test_claim_and_volume_name_each_other_and_no_class() -> None:
    files = repository(READS, provider="eks", volumes=bucket("eks"))
    volume = made(files, "team-vision", "PersistentVolume", "team-vision.shards")
    claims = [
        made(files, "team-vision", "PersistentVolumeClaim", "shards", namespace)
        for namespace in ("team-vision", "vision-free")
    ]
    assert claims[0]["spec"] == {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "1Ti"}},
        "storageClassName": "",
        "volumeName": "team-vision.shards",
    }
    assert claims[1]["spec"]["volumeName"] == "vision-free.shards"
    reference = volume["spec"]["claimRef"]
    assert (reference["namespace"], reference["name"]) == ("team-vision", "shards")
    for item in (volume, *claims):
        assert (
            item["metadata"]["annotations"]["argocd.argoproj.io/sync-options"] == "Prune=false,Delete=false"
        )


def test_pods_that_mount_a_bucket_of_google_call_for_its_sidecar() -> None:
    files = repository(READS, provider="gke", volumes=bucket("gke", "cache: 50Gi"))
    assert pod(files)["metadata"]["annotations"] == {
        "gke-gcsfuse/volumes": "true",
        "gke-gcsfuse/ephemeral-storage-limit": "0",
    }
    without = repository("", provider="gke", volumes=bucket("gke"))
    assert "annotations" not in pod(without)["metadata"]


@pytest.mark.parametrize(
    ("provider", "attributes", "option"),
    [
        ("eks", {"cache": "emptyDir", "cacheEmptyDirSizeLimit": "50Gi"}, None),
        ("gke", {"fileCacheCapacity": "50Gi"}, None),
        ("aks", {}, "--cache-size-mb=51200"),
    ],
)
def test_a_cache_is_kept_on_each_node(provider: str, attributes: dict[str, str], option: str | None) -> None:
    files = repository(READS, provider=provider, volumes=bucket(provider, "cache: 50Gi"))
    spec = made(files, "team-vision", "PersistentVolume", "team-vision.shards")["spec"]
    assert attributes.items() <= spec["csi"].get("volumeAttributes", {}).items()
    assert option is None or option in spec["mountOptions"]


def test_a_bucket_that_is_only_read_is_mounted_so_everywhere() -> None:
    job = "data: {shards: {volume: shards, mountPath: /data}}"
    files = repository(job, provider="eks", volumes=bucket("eks", "access: rox"))
    spec = made(files, "team-vision", "PersistentVolume", "team-vision.shards")["spec"]
    assert spec["accessModes"] == ["ReadOnlyMany"]
    assert spec["csi"]["readOnly"] is True
    assert not {"allow-delete", "allow-overwrite"} & set(spec["mountOptions"])
    template = pod(files)["spec"]
    assert template["volumes"] == [
        {"name": "shards", "persistentVolumeClaim": {"claimName": "shards", "readOnly": True}}
    ]
    assert template["containers"][0]["volumeMounts"] == [
        {"name": "shards", "mountPath": "/data", "readOnly": True}
    ]


def test_nobody_saves_to_a_bucket_that_is_only_read() -> None:
    files = repository("checkpoint: {volume: shards}", provider="eks", volumes=bucket("eks", "access: rox"))
    assert said(files) == [
        'specs/jobs/vision/resnet.yaml:7:22 volume-access: volume "shards" can only be read'
    ]


def test_a_writer_that_is_not_the_owner_of_the_mount_is_warned() -> None:
    job = "data: {shards: {volume: shards, mountPath: /data}}\nsecurity: {runAs: {user: 1234}}"
    files = repository(job, provider="gke", volumes=bucket("gke"))
    assert said(files) == [
        "specs/jobs/vision/resnet.yaml:7:25 volume-access: "
        'the files of bucket volume "shards" belong to user 65532, this job is user 1234'
    ]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ('{bucket: "s3://acme"}', "missing-field", "does not say which storage"),
        ('{bucket: "s3://acme", storage: shared}', "storage-access", "NFS does not mount s3:// buckets"),
        ('{bucket: "gs://acme", storage: objects}', "storage-access", "does not mount gs:// buckets"),
        ('{bucket: "s3://acme", storage: objects, size: 1Ti}', "conflicting-choice", "a bucket has no size"),
        ('{bucket: "s3://acme", storage: objects, access: rwo}', "storage-access", "not one node's own"),
        ('{bucket: "s3://acme", storage: object}', "unknown-storage", 'has no storage "object"'),
        ("{storage: shared, size: 1Ti, cache: 1Gi}", "conflicting-choice", "only a bucket has a cache"),
        ("{storage: shared, size: 1Ti, access: rox}", "storage-access", "stay as empty as it is made"),
        ("{storage: objects, size: 1Ti}", "storage-access", "cannot make volumes for claims"),
    ],
)
def test_what_a_bucket_cannot_be_is_said_at_its_line(line: str, code: str, words: str) -> None:
    (finding,) = said(repository(provider="onprem", volumes=f"  shards: {line}"))
    assert finding.startswith("specs/teams/vision.yaml:9:")
    assert f" {code}: " in finding
    assert words in finding
