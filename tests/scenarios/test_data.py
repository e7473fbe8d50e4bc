"""E2 to E7: buckets of three clouds and of one's own, hybrid data, snapshots, identity, secrets, checkpoints."""

from typing import Any

import pytest
from scenarios.rendered import Rendered, pod_specs, read_env

BUCKETS = {
    "aws-prod": "s3.csi.aws.com",
    "gke-research": "gcsfuse.csi.storage.gke.io",
    "aks-west": "blob.csi.azure.com",
    "onprem-hpc": "s3.csi.aws.com",
}


@pytest.mark.parametrize(("cluster", "driver"), BUCKETS.items())
def test_bucket_is_a_static_volume_of_the_clouds_driver(
    rendered: Rendered, cluster: str, driver: str
) -> None:
    volume = rendered.find(cluster, "team-nlp", "PersistentVolume", "team-nlp.shards")["spec"]
    assert volume["csi"]["driver"] == driver
    assert volume["claimRef"]["namespace"] == "team-nlp"
    assert volume["accessModes"] == ["ReadOnlyMany"]
    claims = [
        item["spec"]
        for item in rendered.objects(cluster, "team-nlp")
        if item["kind"] == "PersistentVolumeClaim" and item["spec"].get("volumeName") == "team-nlp.shards"
    ]
    assert [claim["storageClassName"] for claim in claims] == [""], "no class makes another volume for it"


@pytest.mark.parametrize("cluster", sorted(BUCKETS))
def test_no_two_volumes_of_a_cluster_have_one_handle(rendered: Rendered, cluster: str) -> None:
    handles = [
        item["spec"]["csi"]["volumeHandle"]
        for app in rendered.apps(cluster, "team-")
        for item in rendered.objects(cluster, app)
        if item["kind"] == "PersistentVolume"
    ]
    assert handles
    assert len(handles) == len(set(handles))


def test_minio_is_mounted_at_its_own_address(rendered: Rendered) -> None:
    volume = rendered.find("onprem-hpc", "team-nlp", "PersistentVolume", "team-nlp.shards")["spec"]
    options = volume["mountOptions"]
    assert "endpoint-url https://minio.machine-room.example.com" in options
    assert "force-path-style" in options


def test_tensorflow_is_told_the_address_and_comes_as_somebody(rendered: Rendered) -> None:
    for pod in pod_specs(rendered.find("gke-research", "job-vision-retina-tf", "TFJob")):
        assert read_env(pod)["TRAINSHED_DATA_RETINA"] == "gs://example-research-images/retina"
        assert pod["serviceAccountName"] == "train"
    account = rendered.find("gke-research", "team-vision", "ServiceAccount")["metadata"]
    assert account["annotations"]["iam.gke.io/gcp-service-account"].startswith("vision-train@")


def test_shards_hot_state_and_checkpoints_are_three_mounts(rendered: Rendered) -> None:
    for pod in pod_specs(rendered.find("aws-prod", "job-nlp-llm-hybrid", "PyTorchJob")):
        mounts = {mount["mountPath"]: mount["name"] for mount in pod["containers"][0]["volumeMounts"]}
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        assert volumes[mounts["/shards"]]["persistentVolumeClaim"] == {
            "claimName": "shards",
            "readOnly": True,
        }
        assert volumes[mounts["/hot"]]["emptyDir"] == {"sizeLimit": "2Ti"}, "of the node, not of its memory"
        assert volumes[mounts["/checkpoints"]]["persistentVolumeClaim"]["claimName"] == "checkpoints"
        assert read_env(pod)["TRAINSHED_DATA_SHARDS_SHARD"] == "rank"


def test_a_snapshot_is_taken_every_night_and_seven_are_kept(rendered: Rendered) -> None:
    schedule = rendered.find("onprem-hpc", "team-fraud", "SnapshotSchedule")["spec"]
    assert schedule["schedule"] == "0 3 * * *"
    assert schedule["retention"] == {"maxCount": 7}
    claim = rendered.find("onprem-hpc", "team-fraud", "PersistentVolumeClaim", "checkpoints")
    assert schedule["claimSelector"]["matchLabels"].items() <= claim["metadata"]["labels"].items()


def test_pods_on_azure_ask_for_their_identity(rendered: Rendered) -> None:
    account = rendered.find("aks-west", "team-fraud", "ServiceAccount")["metadata"]
    assert account["annotations"] == {
        "azure.workload.identity/client-id": "5f2c1f0e-8a7b-4c3d-9e6f-0a1b2c3d4e5f"
    }
    job = rendered.find("aks-west", "job-fraud-fraud-transformer-spot", "PyTorchJob")
    for part in job["spec"]["pytorchReplicaSpecs"].values():
        assert part["template"]["metadata"]["labels"]["azure.workload.identity/use"] == "true"


def test_pod_identity_of_eks_needs_nothing_on_the_account(rendered: Rendered) -> None:
    account = rendered.find("aws-prod", "team-nlp", "ServiceAccount")
    assert "annotations" not in account["metadata"]


def test_token_of_the_hub_comes_from_the_vault_by_reference(rendered: Rendered) -> None:
    external = rendered.find("aws-prod", "team-nlp", "ExternalSecret")["spec"]
    assert external["dataFrom"][0]["extract"]["key"] == "teams/nlp/hugging-face"
    for pod in pod_specs(rendered.find("aws-prod", "job-nlp-llm-pretrain", "PyTorchJob")):
        assert pod["imagePullSecrets"] == [{"name": "registry-pull"}]
        reference: Any = read_env(pod)["HF_TOKEN"]
        assert reference == {"secretKeyRef": {"name": external["target"]["name"], "key": "token"}}


def test_program_learns_where_and_how_often_to_save_and_has_time_for_one_more(rendered: Rendered) -> None:
    for pod in pod_specs(rendered.find("aws-prod", "job-fraud-fraud-transformer", "PyTorchJob")):
        env = read_env(pod)
        rules = {
            name.removeprefix("TRAINSHED_CHECKPOINT_"): env[name] for name in env if "CHECKPOINT" in name
        }
        assert rules.pop("DIR").startswith("/checkpoints/fraud/fraud-transformer/aws-prod/")
        assert rules == {
            "RESUME": "auto",
            "EVERY_SECONDS": "900",
            "KEEP_LAST": "3",
            "KEEP_BEST": "1",
            "SAVE_SECONDS": "20",
        }
        assert 20 < int(env["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"]) < pod["terminationGracePeriodSeconds"], (
            "torchrun would kill its processes while they save"
        )


def test_parameters_are_saved_every_so_many_steps(rendered: Rendered) -> None:
    for pod in pod_specs(rendered.find("aws-prod", "job-nlp-llm-pretrain", "PyTorchJob")):
        assert read_env(pod)["TRAINSHED_CHECKPOINT_EVERY_STEPS"] == "500"
