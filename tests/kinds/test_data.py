"""E1, E2, E3 and E8: data by its address, fetched first, required to be there, sharded by rank; and raw volumes."""

import pytest
from kinds.data_specs import bucket, env_of, made, pod, repository, said

SHARDS = 'uri: "s3://acme-shards/imagenet/v2"'
FETCHED = f"data: {{shards: {{{SHARDS}, mode: prefetch, size: 100Gi, mountPath: /data, readOnly: true}}}}"


def test_the_code_is_told_the_address_of_its_data() -> None:
    template = pod(repository(f"data: {{train-shards: {{{SHARDS}, shard: rank}}}}", provider="eks"))
    env = env_of(template)
    assert env["TRAINSHED_DATA_TRAIN_SHARDS"] == "s3://acme-shards/imagenet/v2"
    assert env["TRAINSHED_DATA_TRAIN_SHARDS_SHARD"] == "rank"
    assert "volumes" not in template["spec"]


def test_credentials_are_taken_by_reference_where_there_is_no_identity() -> None:
    template = pod(repository(f"data: {{shards: {{{SHARDS}, credentials: hub}}}}"))
    (container,) = template["spec"]["containers"]
    assert container["envFrom"] == [{"secretRef": {"name": "hub"}}]


def test_data_is_fetched_to_local_disk_before_the_run() -> None:
    template = pod(repository(FETCHED, provider="eks"))["spec"]
    (init,) = template["initContainers"]
    assert init["name"] == "fetch-shards"
    assert init["image"].startswith("rclone/rclone:")
    assert [*init["command"], *init["args"]] == [
        "rclone",
        "copy",
        "--checksum",
        ":s3:acme-shards/imagenet/v2",
        "/data",
    ]
    assert {item["name"]: item["value"] for item in init["env"]} == {
        "HOME": "/tmp",
        "RCLONE_S3_PROVIDER": "AWS",
        "RCLONE_S3_ENV_AUTH": "true",
        "RCLONE_S3_REGION": "eu-central-1",
    }
    assert init["volumeMounts"] == [{"name": "shards", "mountPath": "/data"}]
    assert template["volumes"] == [{"name": "shards", "emptyDir": {"sizeLimit": "100Gi"}}]
    (container,) = template["containers"]
    assert container["volumeMounts"] == [{"name": "shards", "mountPath": "/data", "readOnly": True}]
    assert container["resources"]["requests"]["ephemeral-storage"] == "100Gi"


@pytest.mark.parametrize(
    ("provider", "uri", "words"),
    [
        ("gke", "gs://acme/v2", ["rclone", "copy", "--checksum", ":gcs:acme/v2", "/data"]),
        ("aks", "az://store/shards", ["rclone", "copy", "--checksum", ":azureblob:shards", "/data"]),
        (
            "onprem",
            "oci://registry.example.com/data/imagenet:v2",
            ["oras", "pull", "--output=/data", "registry.example.com/data/imagenet:v2"],
        ),
    ],
)
def test_each_scheme_has_its_tool(provider: str, uri: str, words: list[str]) -> None:
    job = f'data: {{in: {{uri: "{uri}", mode: prefetch, size: 1Gi, mountPath: /data}}}}'
    (init,) = pod(repository(job, provider=provider))["spec"]["initContainers"]
    assert [*init["command"], *init["args"]] == words


def test_a_store_of_ones_own_is_fetched_from_at_its_address() -> None:
    (init,) = pod(repository(FETCHED, provider="onprem"))["spec"]["initContainers"]
    env = {item["name"]: item["value"] for item in init["env"]}
    assert env["RCLONE_S3_PROVIDER"] == "Other"
    assert env["RCLONE_S3_ENDPOINT"] == "https://minio.example.com"


def test_the_hub_is_fetched_from_with_an_image_that_the_cluster_names() -> None:
    job = 'data: {bert: {uri: "hf://google/bert@v1", mode: prefetch, size: 1Gi, mountPath: /model}}'
    files = repository(job)
    assert said(files) == [
        "specs/jobs/vision/resnet.yaml:7:49 missing-choice: cluster lab names no image that fetches hf:// addresses"
    ]
    cluster = str(files["specs/clusters/lab.yaml"]) + 'images: {fetch: {hf: "registry.example.com/hf:1.0"}}\n'
    (init,) = pod({**files, "specs/clusters/lab.yaml": cluster})["spec"]["initContainers"]
    assert init["image"] == "registry.example.com/hf:1.0"
    assert [*init["command"], *init["args"]] == [
        "hf",
        "download",
        "google/bert",
        "--repo-type=model",
        "--revision=v1",
        "--local-dir=/model",
    ]


def test_an_empty_volume_ends_the_pod_before_it_trains() -> None:
    job = "data: {corpus: {volume: corpus, mountPath: /data, readOnly: true, requires: v2/_SUCCESS}}"
    others = {"fill": "data: {corpus: {volume: corpus, mountPath: /data}}"}
    template = pod(repository(job, others=others))["spec"]
    (init,) = template["initContainers"]
    assert init["image"] == "registry.example.com/vision/train:1.0"
    assert [*init["command"], *init["args"]] == ["test", "-e", "/data/v2/_SUCCESS"]
    assert init["volumeMounts"] == [{"name": "corpus", "mountPath": "/data", "readOnly": True}]


def test_what_is_fetched_is_looked_at_after_it_was_fetched() -> None:
    job = FETCHED.replace("readOnly: true", "requires: _SUCCESS")
    names = [init["name"] for init in pod(repository(job))["spec"]["initContainers"]]
    assert names == ["fetch-shards", "require-shards"]


def test_shards_checkpoints_and_local_state_come_together() -> None:
    job = """\
data: {shards: {volume: shards, mountPath: /data, readOnly: true, shard: rank}}
checkpoint: {volume: checkpoints, every: 15m, local: {size: 50Gi, every: 30s}}
scratch: 100Gi"""
    template = pod(repository(job, provider="eks", volumes=bucket("eks", "access: rox")))
    (container,) = template["spec"]["containers"]
    assert {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]} == {
        "shards": "/data",
        "checkpoints": "/checkpoints",
        "local-checkpoints": "/local-checkpoints",
        "scratch": "/scratch",
    }
    assert container["resources"]["requests"]["ephemeral-storage"] == "150Gi"
    env = env_of(template)
    assert env["TRAINSHED_DATA_SHARDS"] == "/data"
    assert env["TRAINSHED_DATA_SHARDS_SHARD"] == "rank"
    assert env["TRAINSHED_CHECKPOINT_LOCAL_DIR"] == "/local-checkpoints"
    assert env["TRAINSHED_CHECKPOINT_LOCAL_EVERY_SECONDS"] == "30"


def test_a_raw_volume_is_mounted_as_it_is_written() -> None:
    source = "{nfs: {server: nfs.example.com, path: /export}}"
    job = f"data: {{old: {{source: {source}, mountPath: /old}}}}"
    assert pod(repository(job))["spec"]["volumes"] == [
        {"name": "old", "nfs": {"server": "nfs.example.com", "path": "/export"}}
    ]


def test_a_raw_path_of_the_node_needs_the_same_approval() -> None:
    job = "data: {old: {source: {hostPath: {path: /mnt}}, mountPath: /old}}"
    assert said(repository(job)) == [
        "specs/jobs/vision/resnet.yaml:7:14 host-path-unapproved: "
        "/mnt of the node is mounted by a job that is not privileged"
    ]
    approved = f"{job}\nsecurity: {{level: privileged, why: old driver}}"
    assert pod(repository(approved))["spec"]["volumes"] == [{"name": "old", "hostPath": {"path": "/mnt"}}]


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (f"{{{SHARDS}, mode: mount}}", "conflicting-choice", "an address is not mounted by a job"),
        (f"{{{SHARDS}, mode: prefetch, mountPath: /in}}", "missing-field", "how much is fetched"),
        (f"{{{SHARDS}, mode: prefetch, size: 1Gi}}", "missing-field", "where it is mounted"),
        (f"{{{SHARDS}, mountPath: /in}}", "conflicting-choice", "mountPath is for data that is mounted"),
        (f"{{{SHARDS}, volume: corpus}}", "conflicting-choice", "volume and uri"),
        (f"{{{SHARDS}, credentials: hubb}}", "unknown-secret", 'declares no Secret "hubb"'),
        (
            "{volume: corpus, mountPath: /in, size: 1Gi}",
            "conflicting-choice",
            "size is for data that is fetched",
        ),
        ("{volume: corpus, mountPath: /in, requires: ../x}", "bad-path", "leads out of the volume"),
        ("{source: {nsf: {}}, mountPath: /in}", "unknown-value", '"nsf" is not a volume of Kubernetes'),
        ("{source: {}, mountPath: /in}", "missing-choice", "is not one volume"),
    ],
)
def test_what_data_cannot_be_is_said_at_its_line(data: str, code: str, words: str) -> None:
    (finding,) = said(repository(f"data: {{in: {data}}}"))
    assert finding.startswith("specs/jobs/vision/resnet.yaml:7:")
    assert f" {code}: " in finding
    assert words in finding


def test_a_volume_that_every_job_only_reads_is_asked_who_fills_it() -> None:
    reads = "data: {corpus: {volume: corpus, mountPath: /data, readOnly: true}}"
    empty = 'claim-empty: every job only reads volume "corpus", and nothing says what fills it'
    assert said(repository(reads)) == [f"specs/jobs/vision/resnet.yaml:7:8 {empty}"]
    fills = {"fill-corpus": "data: {corpus: {volume: corpus, mountPath: /data}}"}
    assert said(repository(reads, others=fills)) == []


@pytest.mark.parametrize(("filler", "fine"), [("hand", True), ("fill-corpus", True), ("resnet", False)])
def test_who_fills_a_volume_is_believed_of_a_hand_and_checked_of_a_job(filler: str, *, fine: bool) -> None:
    files = repository(
        "data: {more: {volume: more, mountPath: /data, readOnly: true}}",
        volumes=f"  more: {{storage: shared, size: 1Ti, filledBy: {filler}}}",
        others={"fill-corpus": "data: {more: {volume: more, mountPath: /data}}"} if filler != "hand" else {},
    )
    codes = [finding.split()[1].rstrip(":") for finding in said(files)]
    assert codes == ([] if fine else ["claim-empty"])


def test_a_job_fills_a_volume_with_what_it_checks() -> None:
    """E8: no trust in the download: the checksum is an argument, and the volume is written to by this job alone."""
    fill = """\
framework: generic
data: {corpus: {volume: corpus, mountPath: /data}}
env: {SHA256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08}"""
    files = repository(
        "data: {corpus: {volume: corpus, mountPath: /data, readOnly: true, requires: _SUCCESS}}",
        others={"fill-corpus": fill},
    )
    assert said(files) == []
    (container,) = pod(files, "fill-corpus")["spec"]["containers"]
    assert container["volumeMounts"] == [{"name": "corpus", "mountPath": "/data"}]


@pytest.mark.parametrize(("storage", "storage_class"), [("shared", "nfs"), ("home", "efs")])
def test_a_claim_names_the_class_of_its_storage(storage: str, storage_class: str) -> None:
    files = repository(f"data: {{homes: {{create: {{storage: {storage}, size: 1Ti}}, mountPath: /homes}}}}")
    claim = made(files, "job-vision-resnet", "PersistentVolumeClaim")
    assert claim["spec"]["storageClassName"] == storage_class


def test_disk_that_is_set_aside_holds_all_that_is_kept_on_it() -> None:
    job = f"""\
{FETCHED}
checkpoint: {{volume: checkpoints, local: 20Gi}}
ephemeralStorage: 110Gi"""
    (finding,) = said(repository(job))
    assert finding.endswith(
        "conflicting-choice: 110Gi of local disk do not hold 120Gi of local checkpoints and fetched data"
    )


def test_checkpoints_in_memory_leave_some_of_it_to_the_program() -> None:
    job = "memory: 4Gi\ncheckpoint: {volume: checkpoints, local: {size: 4Gi, medium: memory}}"
    (finding,) = said(repository(job))
    assert "shm-too-large: 4Gi of local checkpoints do not fit into 4Gi of memory" in finding
