"""E1: claims on every kind of shared storage, by the cluster's class; data sets read-only, checkpoints not."""

import pytest
from scenarios.rendered import Rendered, pod_specs

CLUSTERS = ["aks-west", "aws-prod", "campus", "gke-research", "kind", "onprem-hpc", "openshift-lab"]
CLAIMS = [
    ("aws-prod", "team-vision", "images", "fsx-lustre", "7200Gi"),
    ("aws-prod", "team-vision", "checkpoints", "efs-sc", "1Ti"),
    ("gke-research", "team-vision", "images", "enterprise-rwx", "6Ti"),
    ("onprem-hpc", "team-vision", "images", "cephfs", "6Ti"),
    ("aks-west", "team-fraud", "checkpoints", "azurefile-premium-nfs", "2Ti"),
    ("campus", "team-vision", "images", "nfs", "500Gi"),
    ("openshift-lab", "team-vision", "images", "ocs-storagecluster-cephfs", "6Ti"),
]


@pytest.mark.parametrize(("cluster", "app", "name", "storage_class", "size"), CLAIMS)
def test_claim_names_the_class_of_its_cluster(
    rendered: Rendered, cluster: str, app: str, name: str, storage_class: str, size: str
) -> None:
    claim = rendered.find(cluster, app, "PersistentVolumeClaim", name)
    assert claim["spec"] == {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": size}},
        "storageClassName": storage_class,
    }


def test_models_of_the_machine_room_go_to_gpfs(rendered: Rendered) -> None:
    classes = {
        item["metadata"]["namespace"]: item["spec"]["storageClassName"]
        for item in rendered.objects("onprem-hpc", "team-nlp")
        if item["kind"] == "PersistentVolumeClaim" and item["metadata"]["name"] == "models"
    }
    assert classes == {"team-nlp": "gpfs", "team-nlp-fabric": "gpfs"}


def test_nfs_claim_of_the_machine_room(rendered: Rendered) -> None:
    homes = [
        item["spec"]["storageClassName"]
        for item in rendered.objects("onprem-hpc", "team-nlp")
        if item["kind"] == "PersistentVolumeClaim" and item["metadata"]["name"] == "home"
    ]
    assert homes
    assert set(homes) == {"nfs"}


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_no_claim_is_pruned_or_left_to_a_default_class(rendered: Rendered, cluster: str) -> None:
    for app in rendered.apps(cluster):
        for item in rendered.objects(cluster, app):
            if item["kind"] == "PersistentVolumeClaim":
                assert item["spec"]["storageClassName"] or item["spec"]["volumeName"]
                assert item["metadata"]["annotations"] == {
                    "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
                    "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
                }


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_runs_mount_only_claims_of_their_own_namespace(rendered: Rendered, cluster: str) -> None:
    claims = {
        (item["metadata"]["namespace"], item["metadata"]["name"])
        for app in rendered.apps(cluster)
        for item in rendered.objects(cluster, app)
        if item["kind"] == "PersistentVolumeClaim"
    }
    for app in rendered.apps(cluster, "job-"):
        for item in rendered.objects(cluster, app):
            for pod in pod_specs(item):
                for volume in pod.get("volumes", []):
                    if "persistentVolumeClaim" in volume:
                        name = volume["persistentVolumeClaim"]["claimName"]
                        assert (item["metadata"]["namespace"], name) in claims


@pytest.mark.parametrize("cluster", ["aks-west", "aws-prod", "gke-research", "onprem-hpc"])
def test_data_sets_are_read_only_and_checkpoints_are_not(rendered: Rendered, cluster: str) -> None:
    readers = [app for app in rendered.apps(cluster, "job-") if app != "job-nlp-corpus-download"]
    for app in readers:
        for item in rendered.objects(cluster, app):
            for pod in pod_specs(item):
                mounts = {mount["name"]: mount for mount in pod["containers"][0].get("volumeMounts", [])}
                for name in mounts.keys() & {"images", "transactions", "corpus", "interactions"}:
                    assert mounts[name]["readOnly"] is True
                assert "readOnly" not in mounts.get("checkpoints", {})
