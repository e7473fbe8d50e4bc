"""What pods ask for besides CPU, memory and GPUs: limits, local space, further resources, an architecture. Facts I.4."""

from typing import Any

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages import street

PLACE = "specs/jobs/vision/resnet.yaml"
FPGA = CLUSTER.replace(
    "labels: {pool: cpu}}", "labels: {pool: cpu}, resources: {example.com/fpga: 2}}"
).replace("  shared:", "  local: {class: gp3, driver: ebs.csi.aws.com}\n  shared:")
ARM = """\
  arm: {machine: aws/c7g.8xlarge, nodes: 4, labels: {pool: arm}}
"""
AWS = (
    CLUSTER.replace("onprem\n", "eks\n")
    .replace("onprem/dgx-h100", "aws/p5.48xlarge")
    .replace("onprem/cpu-64", "aws/m7i.8xlarge")
    .replace("storage:", f"{ARM}storage:")
)
ON_ARM = TEAM.replace("cpu: 4", "cpu: 4, arm: 4")


def files(job: str, cluster: str = FPGA, team: str = TEAM) -> dict[str, str | bytes]:
    return {
        **SMALL,
        "specs/clusters/lab.yaml": cluster,
        "specs/teams/vision.yaml": team,
        PLACE: JOB + job,
    }


def pod(job: str, cluster: str = FPGA, team: str = TEAM) -> dict[str, Any]:
    manifests = street.compile_files(files(job, cluster, team))
    return street.body(manifests, "Job", "job-vision-resnet")["spec"]["template"]["spec"]


def resources(job: str) -> dict[str, dict[str, str]]:
    return pod(job)["containers"][0]["resources"]


def said(job: str, cluster: str = FPGA, team: str = TEAM) -> list[str]:
    return [line.removeprefix(f"{PLACE}:") for line in street.resolve(files(job, cluster, team)).said]


def test_further_resources_are_asked_for_where_nodes_have_them_and_counted_by_the_queue() -> None:
    job = "resources: {example.com/fpga: 1}\n"
    asked = resources(job)
    assert asked["requests"]["example.com/fpga"] == asked["limits"]["example.com/fpga"] == "1"
    manifests = street.compile_files(files(job))
    (queue,) = (b for b in street.bodies(manifests, ["queues"]) if b["kind"] == "ClusterQueue")
    (group,) = queue["spec"]["resourceGroups"]
    quotas = {flavor["name"]: flavor["resources"] for flavor in group["flavors"]}
    assert {"name": "example.com/fpga", "nominalQuota": "8"} in quotas["cpu"]
    assert {"name": "example.com/fpga", "nominalQuota": "0"} in quotas["h100"]


def test_a_limit_may_be_higher_than_the_request() -> None:
    asked = resources("cpu: 4\nmemory: 8Gi\nlimits: {cpu: 8, memory: 16Gi}\n")
    assert (asked["requests"]["cpu"], asked["limits"]["cpu"]) == ("4", "8")
    assert (asked["requests"]["memory"], asked["limits"]["memory"]) == ("8Gi", "16Gi")


def test_local_disk_is_set_aside_and_never_limited() -> None:
    asked = resources("ephemeralStorage: 20Gi\nscratch: 10Gi\n")
    assert asked["requests"]["ephemeral-storage"] == "20Gi"
    assert "ephemeral-storage" not in asked["limits"]


def test_scratch_space_can_be_a_volume_that_goes_with_the_pod() -> None:
    template = pod("scratch: {size: 10Gi, storage: local}\n")
    (volume,) = (volume for volume in template["volumes"] if volume["name"] == "scratch")
    spec = volume["ephemeral"]["volumeClaimTemplate"]["spec"]
    assert (spec["storageClassName"], spec["accessModes"]) == ("gp3", ["ReadWriteOnce"])
    assert "ephemeral-storage" not in template["containers"][0]["resources"]["requests"]


@pytest.mark.parametrize(
    ("job", "finding"),
    [
        ("resources: {example.com/fpga: 3}\n", "7:31 no-pool: no node of cpu has 3 example.com/fpga"),
        ("resources: {example.com/asic: 1}\n", "7:31 no-pool: no node of cpu has 1 example.com/asic"),
        (
            "resources: {nvidia.com/gpu: 1}\n",
            "7:29 conflicting-choice: nvidia.com/gpu is not a further resource",
        ),
        ("memory: 8Gi\nlimits: {memory: 4Gi}\n", "8:18 inverted-range: a limit of 4Gi is less than the 8Gi"),
        (
            "ephemeralStorage: 1Gi\nscratch: 2Gi\n",
            "7:19 conflicting-choice: 1Gi of local disk do not hold 2Gi",
        ),
        (
            "scratch: {size: 1Gi, storage: shared, medium: memory}\n",
            "7:47 conflicting-choice: scratch space with medium memory and storage shared",
        ),
        (
            "scratch: {size: 1Gi, storage: nvme}\n",
            '7:31 unknown-storage: cluster "lab" has no storage "nvme"',
        ),
        ("platform: arm64\n", "7:11 no-pool: the machines of cpu are not arm64"),
    ],
)
def test_what_no_node_can_give_is_a_finding(job: str, finding: str) -> None:
    (found,) = said(job)
    assert found.startswith(finding)


def test_an_image_for_amd64_goes_to_such_machines_and_one_for_arm64_to_others() -> None:
    amd, arm = pod("", AWS, ON_ARM), pod("platform: arm64\n", AWS, ON_ARM)
    assert amd["nodeSelector"]["pool"] == "cpu"
    assert "kubernetes.io/arch" not in amd["nodeSelector"]
    assert (arm["nodeSelector"]["pool"], arm["nodeSelector"]["kubernetes.io/arch"]) == ("arm", "arm64")


def test_an_image_that_only_arm64_machines_could_run_has_to_say_so() -> None:
    (found,) = said("pool: arm\n", AWS, ON_ARM)
    assert found.startswith("5:8 missing-choice: the pods run on arm64 only")


@pytest.mark.parametrize(("word", "processes"), [("cpu", "4"), ("auto", "8"), ("2", "2")])
def test_processes_follow_the_cpus_the_gpus_or_a_number(word: str, processes: str) -> None:
    job = f"framework: pytorch\ngpus: {{type: h100, perNode: 8}}\ncpu: 4\nprocsPerNode: {word}\n"
    text = (JOB + job).replace("command: [python, -m, train]", "module: train")
    manifests = street.compile_files({**files(""), PLACE: text})
    template = street.body(manifests, "Job", "job-vision-resnet")["spec"]["template"]["spec"]
    assert (
        f"--nproc-per-node={processes}"
        in template["containers"][0]["args"] + template["containers"][0]["command"]
    )


def test_each_role_has_limits_of_its_own() -> None:
    ray = (
        "framework: ray\nrayVersion: 2.40.0\nlimits: {memory: 9Gi}\n"
        "roles: {head: {memory: 2Gi, limits: {memory: 5Gi}}, small: {cpu: 200m, limits: {cpu: 1}}, large: {}}\n"
    )
    spec = street.body(street.compile_files(files(ray)), "RayJob", "job-vision-resnet")["spec"][
        "rayClusterSpec"
    ]
    limits = {
        group.get("groupName", "head"): group["template"]["spec"]["containers"][0]["resources"]["limits"]
        for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"])
    }
    assert limits == {
        "head": {"memory": "5Gi"},
        "small": {"cpu": "1", "memory": "2Gi"},
        "large": {"memory": "9Gi"},
    }


def test_a_limit_of_a_role_below_what_it_asks_for_is_found_where_it_is_written() -> None:
    (found,) = said("framework: ray\nrayVersion: 2.40.0\nroles: {head: {cpu: 2, limits: {cpu: 1}}}\n")
    assert found.startswith("9:38 inverted-range: a limit of 1 is less than the 2")


def test_a_head_without_gpus_does_not_see_those_of_its_node() -> None:
    ray = "framework: ray\nrayVersion: 2.40.0\ngpus: {type: h100, perNode: 1}\n"
    job = street.body(street.compile_files(files(ray)), "RayJob", "job-vision-resnet")["spec"][
        "rayClusterSpec"
    ]
    head = job["headGroupSpec"]["template"]["spec"]["containers"][0]
    (worker,) = (group["template"]["spec"]["containers"][0] for group in job["workerGroupSpecs"])
    assert {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"} in head["env"]
    assert "NVIDIA_VISIBLE_DEVICES" not in {entry["name"] for entry in worker["env"]}


def test_gpus_of_another_vendor_are_asked_for_by_their_own_name() -> None:
    cluster = FPGA.replace("labels: {pool: h100}", "labels: {pool: h100}, resource: amd.com/gpu")
    asked = pod("gpus: {resource: amd.com/gpu, perNode: 2}\n", cluster)["containers"][0]["resources"]
    assert asked["limits"]["amd.com/gpu"] == "2"
    assert "nvidia.com/gpu" not in asked["limits"]
