"""D1: two teams share a pool of GPUs, each with its own part; old and new Kueue."""

from typing import Any

import pytest
from ruamel.yaml import YAML
from scenarios.rendered import Rendered

VERSIONS = {
    "aks-west": "kueue.x-k8s.io/v1beta2",
    "kind": "kueue.x-k8s.io/v1beta2",
    "aws-prod": "kueue.x-k8s.io/v1beta2",
    "gke-research": "kueue.x-k8s.io/v1beta2",
    "onprem-hpc": "kueue.x-k8s.io/v1beta1",
}


def flavor(queue: dict[str, Any], name: str) -> dict[str, Any]:
    (group,) = queue["spec"]["resourceGroups"]
    (found,) = (item for item in group["flavors"] if item["name"] == name)
    return {item["name"]: {k: v for k, v in item.items() if k != "name"} for item in found["resources"]}


def test_two_teams_share_the_a10gs_in_one_cohort(rendered: Rendered) -> None:
    fraud = rendered.find("aws-prod", "queues", "ClusterQueue", "fraud")
    vision = rendered.find("aws-prod", "queues", "ClusterQueue", "vision")
    assert rendered.find("aws-prod", "queues", "Cohort")["metadata"]["name"] == "gpu-pool"
    for queue in (fraud, vision):
        assert queue["spec"]["cohortName"] == "gpu-pool"
        assert queue["spec"]["preemption"] == {
            "reclaimWithinCohort": "Any",
            "withinClusterQueue": "LowerPriority",
        }
    assert flavor(fraud, "a10g")["nvidia.com/gpu"] == {
        "nominalQuota": "16",
        "borrowingLimit": "16",
        "lendingLimit": "8",
    }
    assert flavor(vision, "a10g")["nvidia.com/gpu"] == {
        "nominalQuota": "24",
        "borrowingLimit": "16",
        "lendingLimit": "16",
    }


def test_fair_sharing_is_switched_on_and_every_team_weighs_the_same(rendered: Rendered) -> None:
    """D2. What nobody shares has no weight: the guaranteed part is a queue outside of the cohort."""
    name = "aws-prod-operator-kueue"
    application = rendered.find("aws-prod", "argocd/platform", "Application", name)
    values = application["spec"]["sources"][0]["helm"]["valuesObject"]["managerConfig"]
    assert "fairSharing" in YAML(typ="safe").load(values["controllerManagerConfigYaml"])
    weights = {
        item["metadata"]["name"]: item["spec"].get("fairSharing")
        for item in rendered.objects("aws-prod", "queues")
        if item["kind"] == "ClusterQueue"
    }
    same = {"weight": "1"}
    assert weights == {"fraud": same, "fraud-guaranteed": None, "nlp": same, "vision": same}


def test_teams_together_are_promised_no_more_than_the_pool_has(rendered: Rendered) -> None:
    queues = [item for item in rendered.objects("aws-prod", "queues") if item["kind"] == "ClusterQueue"]
    promised = {
        pool: sum(
            int(flavor(queue, pool)["nvidia.com/gpu"]["nominalQuota"])
            for queue in queues
            if pool in [item["name"] for item in queue["spec"]["resourceGroups"][0]["flavors"]]
        )
        for pool in ("a10g", "h100", "a10g-spot")
    }
    assert promised == {"a10g": 40, "h100": 80, "a10g-spot": 32}
    assert promised["a10g"] <= 12 * 4
    assert promised["h100"] <= 12 * 8


def test_spot_and_on_demand_are_flavors_of_their_own(rendered: Rendered) -> None:
    bought = {
        name: rendered.find("aws-prod", "queues", "ResourceFlavor", name)["spec"]["nodeLabels"]
        for name in ("a10g", "a10g-spot")
    }
    assert {name: labels["eks.amazonaws.com/capacityType"] for name, labels in bought.items()} == {
        "a10g": "ON_DEMAND",
        "a10g-spot": "SPOT",
    }
    spot = rendered.find("gke-research", "queues", "ResourceFlavor", "a100-spot")["spec"]
    assert spot["nodeLabels"]["cloud.google.com/gke-spot"] == "true"
    assert spot["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}
    ]


@pytest.mark.parametrize("cluster", sorted(VERSIONS))
def test_every_flavor_of_a_queue_lists_every_covered_resource(rendered: Rendered, cluster: str) -> None:
    for queue in rendered.objects(cluster, "queues"):
        if queue["kind"] == "ClusterQueue":
            (group,) = queue["spec"]["resourceGroups"]
            for item in group["flavors"]:
                listed = [resource["name"] for resource in item["resources"]]
                assert listed == group["coveredResources"], (queue["metadata"]["name"], item["name"])


@pytest.mark.parametrize("cluster", sorted(VERSIONS))
def test_each_cluster_has_three_priorities(rendered: Rendered, cluster: str) -> None:
    values = {
        item["metadata"]["name"]: item["value"]
        for item in rendered.objects(cluster, "queues")
        if item["kind"] == "WorkloadPriorityClass"
    }
    assert {"low": 100, "normal": 1_000, "high": 10_000}.items() <= values.items()


@pytest.mark.parametrize(("cluster", "version"), VERSIONS.items())
def test_queues_speak_the_version_of_the_cluster(rendered: Rendered, cluster: str, version: str) -> None:
    assert {item["apiVersion"] for item in rendered.objects(cluster, "queues")} == {version}
    queue = rendered.find(cluster, "queues", "ClusterQueue", "fraud" if cluster != "kind" else "recsys")
    wrong = "cohortName" if version.endswith("v1beta1") else "cohort"
    assert wrong not in queue["spec"]


@pytest.mark.parametrize("cluster", sorted(VERSIONS))
def test_every_run_waits_in_a_queue_of_its_own_namespace(rendered: Rendered, cluster: str) -> None:
    queues = {
        (item["metadata"]["namespace"], item["metadata"]["name"])
        for app in rendered.apps(cluster, "team-")
        for item in rendered.objects(cluster, app)
        if item["kind"] == "LocalQueue"
    }
    for app in rendered.apps(cluster, "job-"):
        for item in rendered.objects(cluster, app):
            labels = item["spec"]["jobTemplate"] if item["kind"] == "CronJob" else item
            queue = labels["metadata"]["labels"].get("kueue.x-k8s.io/queue-name")
            if item["kind"] in ("Job", "CronJob", "PyTorchJob", "RayJob"):
                assert (item["metadata"]["namespace"], queue) in queues
