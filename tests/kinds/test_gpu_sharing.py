"""GPUs cut into slices and shared by several pods. Facts I.4; scenario D7."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from repositories import write_project
from stages import street

HEAD = """\
apiVersion: trainshed/v1
kind: Cluster
name: lab
kubernetes: "1.36"
provider: onprem
operators: {kueue: v0.19.2, gpu-operator: v1.11.1}
argocd: {repoURL: "https://git.example.com/ml/training.git"}
pools:
"""
MIG = "  cut: {machine: onprem/hgx-a100, nodes: 2, mig: 3g.40gb, labels: {pool: cut}}\n"
SLICED = "  shared: {machine: onprem/l40s, nodes: 1, sharing: {timeSlicing: 4}, labels: {pool: shared}}\n"
WHOLE = "  whole: {machine: onprem/hgx-a100, nodes: 2, labels: {pool: whole}}\n"
TEAM = """\
apiVersion: trainshed/v1
kind: Team
name: vision
clusters: {lab: {quota: QUOTA}}
"""
JOB = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: tune
team: vision
owner: vision
deadline: 8h
image: registry.example.com/vision/train:1.0
run: {command: [python, -m, tune]}
clusters: [lab]
"""
ALL = HEAD + MIG + SLICED + WHOLE
QUOTA = "{cut: {gpus: 8}, shared: 1, whole: 1}"
SLICE = "gpus: {type: a100-80gb, mig: 3g.40gb, perNode: 1}\n"
SHARED = "gpus: {type: l40s, shared: true}\n"
PLACE = "specs/jobs/vision/tune.yaml"


def files(job: str, cluster: str = ALL, quota: str = QUOTA) -> Mapping[str, str]:
    return {
        "specs/clusters/lab.yaml": cluster,
        "specs/teams/vision.yaml": TEAM.replace("QUOTA", quota),
        PLACE: JOB + job,
    }


def said(job: str, cluster: str = ALL, quota: str = QUOTA) -> list[str]:
    return street.resolve(files(job, cluster, quota)).said


def pod(job: str) -> dict[str, Any]:
    return street.body(street.compile_files(files(job)), "Job", "job-vision-tune")["spec"]["template"]["spec"]


def requests(job: str) -> dict[str, str]:
    (container,) = pod(job)["containers"]
    asked = container["resources"]
    assert [
        name for name, count in asked["requests"].items() if "/" in name and asked["limits"][name] != count
    ] == []
    return asked["requests"]


def test_a_slice_is_asked_for_by_its_profile_where_nodes_are_cut_so() -> None:
    assert requests(SLICE)["nvidia.com/mig-3g.40gb"] == "1"
    assert "nvidia.com/gpu" not in requests(SLICE)
    assert pod(SLICE)["nodeSelector"]["pool"] == "cut"


def test_a_shared_gpu_is_asked_for_by_the_name_of_shared_ones() -> None:
    assert requests(SHARED)["nvidia.com/gpu.shared"] == "1"
    assert pod(SHARED)["nodeSelector"]["pool"] == "shared"


def test_a_whole_gpu_is_never_a_slice_or_shared() -> None:
    assert requests("gpus: 1\n")["nvidia.com/gpu"] == "1"
    assert pod("gpus: 1\n")["nodeSelector"]["pool"] == "whole"


def test_a_pod_gets_the_part_of_the_node_that_belongs_to_its_slice() -> None:
    whole, part = requests("gpus: {type: a100-80gb, perNode: 4}\n"), requests(SLICE)
    assert int(part["cpu"]) == int(whole["cpu"]) // 8, "four GPUs of two slices each"


def test_quota_counts_in_the_unit_that_pods_ask_for() -> None:
    (queue,) = (
        body
        for body in street.bodies(street.compile_files(files(SLICE)), ["queues"])
        if body["kind"] == "ClusterQueue"
    )
    (group,) = queue["spec"]["resourceGroups"]
    quotas = {
        flavor["name"]: {item["name"]: item["nominalQuota"] for item in flavor["resources"]}
        for flavor in group["flavors"]
    }
    assert quotas["cut"]["nvidia.com/mig-3g.40gb"] == "8"
    assert quotas["shared"]["nvidia.com/gpu.shared"] == "16"
    assert (quotas["whole"]["nvidia.com/gpu"], quotas["cut"]["nvidia.com/gpu"]) == ("4", "0")


def test_the_operator_is_told_by_configmaps_and_nodes_by_their_labels() -> None:
    manifests = street.compile_files(files(SLICE))
    maps = {body["metadata"]["name"]: body for body in street.bodies(manifests, ["gpus"])}
    assert {body["metadata"]["namespace"] for body in maps.values()} == {"gpu-operator"}
    (operator,) = (
        body for body in street.bodies(manifests) if body["metadata"]["name"] == "lab-operator-gpu-operator"
    )
    values = operator["spec"]["sources"][0]["helm"]["valuesObject"]
    layouts = json.loads(maps[values["migManager"]["config"]["name"]]["data"]["config.yaml"])
    assert layouts["mig-configs"]["all-3g.40gb"] == [
        {"devices": "all", "mig-enabled": True, "mig-devices": {"3g.40gb": 2}}
    ]
    assert layouts["mig-configs"]["all-disabled"] == [{"devices": "all", "mig-enabled": False}]
    assert values["mig"]["strategy"] == "mixed"
    plugin = values["devicePlugin"]["config"]
    ways = {key: json.loads(text) for key, text in maps[plugin["name"]]["data"].items()}
    assert "sharing" not in ways[plugin["default"]]
    assert ways["time-slicing-4"]["sharing"]["timeSlicing"] == {
        "renameByDefault": True,
        "failRequestsGreaterThanOne": True,
        "resources": [{"name": "nvidia.com/gpu", "replicas": 4}],
    }
    flavors = {b["metadata"]["name"]: b for b in street.bodies(manifests) if b["kind"] == "ResourceFlavor"}
    assert flavors["cut"]["spec"]["nodeLabels"]["nvidia.com/mig.config"] == "all-3g.40gb"
    assert flavors["shared"]["spec"]["nodeLabels"]["nvidia.com/device-plugin.config"] == "time-slicing-4"


def test_several_processes_share_a_gpu_by_mps_where_the_device_plugin_knows_it() -> None:
    newer = (HEAD + SLICED).replace("gpu-operator: v1.11.1", "gpu-operator: v26.7.0")
    by_mps = newer.replace("timeSlicing: 4", "mps: 4")

    manifests = street.compile_files(files(SHARED, by_mps, "{shared: 1}"))

    (config,) = street.bodies(manifests, ["gpus"])
    assert json.loads(config["data"]["mps-4"])["sharing"] == {
        "mps": {
            "renameByDefault": True,
            "failRequestsGreaterThanOne": True,
            "resources": [{"name": "nvidia.com/gpu", "replicas": 4}],
        }
    }
    (operator,) = (
        body for body in street.bodies(manifests) if body["metadata"]["name"] == "lab-operator-gpu-operator"
    )
    source = operator["spec"]["sources"][0]
    assert (source["targetRevision"], source["path"]) == ("v26.7.0", "deployments/gpu-operator")
    assert source["helm"]["valuesObject"]["devicePlugin"]["config"]["name"] == config["metadata"]["name"]
    flavors = {b["metadata"]["name"]: b for b in street.bodies(manifests) if b["kind"] == "ResourceFlavor"}
    assert flavors["shared"]["spec"]["nodeLabels"]["nvidia.com/device-plugin.config"] == "mps-4"


def test_what_the_newer_operator_is_told_passes_every_judge(tmp_path: Path) -> None:
    newer = (HEAD + SLICED).replace("gpu-operator: v1.11.1", "gpu-operator: v26.7.0")
    by_mps = newer.replace("timeSlicing: 4", "mps: 4")
    made = write_project(tmp_path, files(SHARED, by_mps, "{shared: 1}"))
    assert made.run("render").code == 0
    done = made.run("check")
    assert done.code == 0, done.out


def test_slices_can_take_turns() -> None:
    both = HEAD + MIG.replace("mig: 3g.40gb", "mig: 3g.40gb, sharing: {timeSlicing: 2}")
    resolved = street.resolve(files(SLICE.replace("perNode: 1", "shared: true"), both, "{cut: 1}"))
    assert resolved.said == []
    (group,) = resolved.target("tune").groups
    assert group.requests["nvidia.com/mig-3g.40gb.shared"] == "1"
    assert group.pools[0].gpus_per_node == 4 * 2 * 2


@pytest.mark.parametrize(
    ("job", "finding"),
    [
        ("gpus: {shared: true, perNode: 2}\n", "10:31 conflicting-choice: 2 shared GPUs in one pod"),
        (
            SHARED + "framework: pytorch\nnodes: 2\nbackend: pytorchjob\n",
            "10:28 conflicting-choice: 2 pods that train together may meet on one shared GPU",
        ),
        ("gpus: {mig: 1g.10gb, perNode: 1}\n", '10:13 no-pool: cluster "lab" has no GPU slices of 1g.10gb'),
        ("gpus: {type: a100-80gb, mig: 3g.40gb}\n", "10:14 missing-choice: how many a100-80gb is not said"),
        (
            SLICE.replace("perNode: 1", "perNode: 9"),
            "10:48 too-many-gpus: 9 a100-80gb slices of 3g.40gb on one node",
        ),
        ("pool: cut\ngpus: 1\n", '10:7 no-pool: a node of pool "cut" has 8 a100-80gb slices of 3g.40gb'),
        ("gpus: {resource: amd.com/gpu, perNode: 1}\n", '10:18 no-pool: cluster "lab" has no amd.com/gpu'),
    ],
)
def test_a_job_cannot_have_what_the_cluster_does_not_share_like_that(job: str, finding: str) -> None:
    found = said(job)
    assert [line for line in found if line.startswith(f"{PLACE}:{finding}")], found


@pytest.mark.parametrize(
    ("pool", "finding"),
    [
        (
            "{machine: onprem/hgx-a100, nodes: 1, mig: 3g.80gb}",
            "9:50 unknown-value: a a100-80gb cannot be cut",
        ),
        ("{machine: onprem/l40s, nodes: 1, mig: 3g.40gb}", "9:46 unknown-value: a l40s cannot be cut"),
        (
            "{machine: onprem/cpu-64, nodes: 1, mig: 3g.40gb}",
            "9:43 conflicting-choice: onprem/cpu-64 has no GPUs",
        ),
        (
            "{machine: onprem/l40s, nodes: 1, sharing: {mps: 4}}",
            "9:51 release-lacks: gpu-operator v1.11.1 cannot",
        ),
        (
            "{machine: onprem/l40s, nodes: 1, sharing: {mps: 4, timeSlicing: 4}}",
            "9:41 conflicting-choice: GPUs are shared by timeSlicing or by mps, not by both",
        ),
        ("{machine: onprem/l40s, nodes: 1, sharing: {}}", "9:41 missing-choice: GPUs are shared by"),
        (
            "{machine: onprem/hgx-a100, nodes: 1, mig: 3g.40gb, sharing: {mps: 2}}",
            "9:69 conflicting-choice: MPS shares whole GPUs",
        ),
        (
            "{machine: onprem/l40s, nodes: 1, resource: amd.com/gpu, sharing: {timeSlicing: 2}}",
            "9:41 conflicting-choice: the GPU Operator names the resource",
        ),
    ],
)
def test_a_pool_is_cut_and_shared_in_ways_that_there_are(pool: str, finding: str) -> None:
    found = said("", f"{HEAD}  odd: {pool}\n", "{odd: 1}")
    assert [line for line in found if line.startswith(f"specs/clusters/lab.yaml:{finding}")], found


def test_one_label_means_one_layout() -> None:
    small = "  small: {machine: aws/p4d.24xlarge, nodes: 1, mig: 1g.10gb, labels: {pool: small}}\n"
    large = "  large: {machine: onprem/hgx-a100, nodes: 1, mig: 1g.10gb, labels: {pool: large}}\n"
    (found,) = said("", HEAD + small + large, "{small: 1, large: 1}")
    assert found.startswith(
        "specs/clusters/lab.yaml:10:3 conflicting-choice: nvidia.com/mig.config=all-1g.10gb"
    )
    named = large.replace("pool: large", "pool: large, nvidia.com/mig.config: large")
    assert said("", HEAD + small + named, "{small: 1, large: 1}") == []


def test_nothing_is_shared_without_the_operator() -> None:
    bare = (HEAD + SLICED).replace(", gpu-operator: v1.11.1", "")
    found = said(SHARED, bare, "{shared: 1}")
    assert [line for line in found if "9:54 missing-operator" in line], found


def test_it_passes_every_judge(tmp_path: Path) -> None:
    made = write_project(tmp_path, files(SLICE))
    assert made.run("render").code == 0
    done = made.run("check")
    assert done.code == 0, done.out
