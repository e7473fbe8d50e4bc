"""Section B: PyTorch on GPUs, of one node and many, fixed and elastic, on spot, by schedule."""

from typing import Any

import pytest
from scenarios.rendered import Rendered, pod_specs, read_env

SET_BY_OTHERS = {"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"}
RESNET = "job-vision-resnet50"
CARRIED_TORCHRUN = ["python", "/opt/trainshed", "torchrun"]
"""The runtime that the run carries starts torchrun."""


def replicas_of(job: dict[str, Any]) -> dict[str, int]:
    return {role: part["replicas"] for role, part in job["spec"]["pytorchReplicaSpecs"].items()}


def gibibytes(quantity: str) -> float:
    return float(quantity[:-2]) * {"Mi": 1 / 1024, "Gi": 1, "Ti": 1024}[quantity[-2:]]


@pytest.mark.parametrize("cluster", ["aws-prod", "gke-research", "onprem-hpc"])
def test_resnet_is_a_master_and_two_workers_with_a_gpu_each(rendered: Rendered, cluster: str) -> None:
    job = rendered.find(cluster, RESNET, "PyTorchJob")
    assert replicas_of(job) == {"Master": 1, "Worker": 2}
    for pod in pod_specs(job):
        (container,) = pod["containers"]
        requests, limits = container["resources"]["requests"], container["resources"]["limits"]
        assert requests["nvidia.com/gpu"] == limits["nvidia.com/gpu"] == "1"
        assert container["command"] == CARRIED_TORCHRUN
        assert container["args"][0] == "/code/images.py"
        assert {"--depth=50", "--epochs=20"} <= set(container["args"])
        (shm,) = (volume["emptyDir"] for volume in pod["volumes"] if volume["name"] == "shm")
        assert shm["medium"] == "Memory"
        assert gibibytes(shm["sizeLimit"]) < gibibytes(requests["memory"])
        assert requests["memory"] == limits["memory"]


@pytest.mark.parametrize(
    ("cluster", "app"),
    [("gke-research", "job-vision-mnist"), ("aws-prod", RESNET), ("aws-prod", "job-fraud-fraud-transformer")],
)
def test_operator_and_launcher_alone_say_who_is_who(rendered: Rendered, cluster: str, app: str) -> None:
    for pod in pod_specs(rendered.find(cluster, app, "PyTorchJob")):
        names = set(read_env(pod))
        assert not names & SET_BY_OTHERS
        assert not any(name.startswith("PET_") for name in names)


def test_one_base_is_patched_for_each_cluster(rendered: Rendered) -> None:
    overlays = rendered.root.parent / "overlays" / RESNET
    shared = sorted(path.name for path in (overlays / "base").iterdir())
    job = rendered.find("aws-prod", RESNET, "PyTorchJob")
    name, (pod, *_) = job["metadata"]["name"], pod_specs(job)
    carried = [volume["configMap"]["name"] for volume in pod["volumes"] if "configMap" in volume]
    assert len(carried) == 2, "the script and the runtime"
    of_configs = [f"configmap-{config}.yaml" for config in sorted(carried)]
    assert shared == [
        *of_configs,
        "kustomization.yaml",
        f"networkpolicy-{name}.yaml",
        f"pytorchjob-{name}.yaml",
    ]
    places = {
        cluster: rendered.find(cluster, RESNET, "PyTorchJob")["spec"]["pytorchReplicaSpecs"]["Worker"][
            "template"
        ]["spec"]["nodeSelector"]
        for cluster in ("aws-prod", "gke-research", "onprem-hpc")
    }
    assert places["aws-prod"]["node.kubernetes.io/instance-type"] == "g5.12xlarge"
    assert places["gke-research"]["cloud.google.com/gke-accelerator"] == "nvidia-l4"
    assert places["onprem-hpc"] == {
        "example.com/machines": "a100",
        "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB",
    }


def test_elastic_resnet_has_no_master_and_finds_its_peers_by_c10d(rendered: Rendered) -> None:
    job = rendered.find("gke-research", "job-vision-resnet50-elastic", "PyTorchJob")
    assert replicas_of(job) == {"Worker": 4}
    assert job["spec"]["elasticPolicy"] == {
        "minReplicas": 2,
        "maxReplicas": 4,
        "rdzvBackend": "c10d",
        "rdzvId": job["metadata"]["name"],
        "maxRestarts": 100,
    }
    assert job["metadata"]["name"].startswith("resnet50-elastic-")
    (pod,) = pod_specs(job)
    assert pod["containers"][0]["command"] == CARRIED_TORCHRUN, "it reads PET_*, which the operator sets"


def test_rendezvous_of_the_machine_room_is_kept_by_its_etcd(rendered: Rendered) -> None:
    job = rendered.find("onprem-hpc", "job-vision-resnet50-etcd", "PyTorchJob")
    policy = job["spec"]["elasticPolicy"]
    assert (policy["minReplicas"], policy["maxReplicas"]) == (2, 4)
    assert policy["rdzvBackend"] == "etcd-v2"
    assert (policy["rdzvHost"], policy["rdzvPort"]) == ("etcd.machine-room.example.com", 2379)
    assert policy["rdzvId"] == job["metadata"]["name"], (
        "another attempt has another name: it meets no old state"
    )


def test_mnist_is_a_master_and_three_workers(rendered: Rendered) -> None:
    job = rendered.find("gke-research", "job-vision-mnist", "PyTorchJob")
    assert replicas_of(job) == {"Master": 1, "Worker": 3}
    for pod in pod_specs(job):
        assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "1"
        assert pod["containers"][0]["args"] == ["/code/images.py", "--epochs=5"]


def test_scorer_on_one_node_is_a_job_that_disruptions_do_not_count_against(rendered: Rendered) -> None:
    job = rendered.find("aws-prod", "job-fraud-fraud-scorer", "Job")
    assert job["spec"]["activeDeadlineSeconds"] == 8 * 3600
    assert job["spec"]["backoffLimit"] == 2
    rules = job["spec"]["podFailurePolicy"]["rules"]
    assert rules[0] == {
        "action": "Ignore",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }
    assert [(rule["action"], rule["onExitCodes"]["values"]) for rule in rules[1:]] == [("Ignore", [143])], (
        "with which the runtime leaves when it was told to stop"
    )
    (pod,) = pod_specs(job)
    assert pod["restartPolicy"] == "Never"
    (container,) = pod["containers"]
    assert container["resources"] == {
        "requests": {"cpu": "16", "memory": "128Gi", "nvidia.com/gpu": "4"},
        "limits": {"memory": "128Gi", "nvidia.com/gpu": "4"},
    }
    assert container["command"] == [*CARRIED_TORCHRUN, "--standalone", "--nproc-per-node=4"]
    assert {"name": "transactions", "mountPath": "/data", "readOnly": True} in container["volumeMounts"]
    assert {"name": "checkpoints", "mountPath": "/checkpoints"} in container["volumeMounts"]


@pytest.mark.parametrize("cluster", ["aws-prod", "onprem-hpc"])
def test_large_transformer_is_sixteen_processes_on_four_nodes(rendered: Rendered, cluster: str) -> None:
    job = rendered.find(cluster, "job-fraud-fraud-transformer", "PyTorchJob")
    assert replicas_of(job) == {"Master": 1, "Worker": 3}
    assert job["spec"]["nprocPerNode"] == "4"
    for pod in pod_specs(job):
        assert pod["containers"][0]["command"] == CARRIED_TORCHRUN
        assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "4"
    claim = rendered.find(cluster, "team-fraud", "PersistentVolumeClaim", "checkpoints")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]


@pytest.mark.parametrize(
    ("cluster", "selector", "every"),
    [
        ("aws-prod", {"eks.amazonaws.com/capacityType": "SPOT"}, "900"),
        ("gke-research", {"cloud.google.com/gke-nodepool": "a100-spot"}, "180"),
        ("aks-west", {"node.kubernetes.io/instance-type": "Standard_NC24ads_A100_v4"}, "900"),
    ],
)
def test_spot_transformer_is_elastic_and_saves_before_the_kill(
    rendered: Rendered, cluster: str, selector: dict[str, str], every: str
) -> None:
    job = rendered.find(cluster, "job-fraud-fraud-transformer-spot", "PyTorchJob")
    policy = job["spec"]["elasticPolicy"]
    assert (policy["minReplicas"], policy["maxReplicas"], policy["maxRestarts"]) == (2, 4, 20)
    assert replicas_of(job) == {"Worker": 4}
    (pod,) = pod_specs(job)
    assert selector.items() <= pod["nodeSelector"].items()
    env = read_env(pod)
    assert env["TRAINSHED_CHECKPOINT_EVERY_SECONDS"] == every
    assert pod["terminationGracePeriodSeconds"] > int(env["TRAINSHED_CHECKPOINT_SAVE_SECONDS"])


def test_weekly_retraining_knows_its_firing_and_never_overlaps(rendered: Rendered) -> None:
    cron = rendered.find("aws-prod", "job-fraud-fraud-weekly", "CronJob")
    assert cron["metadata"]["name"] == "fraud-weekly", "a stable name: the next edit changes this object"
    spec = cron["spec"]
    assert {key: value for key, value in spec.items() if key != "jobTemplate"} == {
        "schedule": "0 2 * * 0",
        "timeZone": "Etc/UTC",
        "concurrencyPolicy": "Forbid",
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 3,
    }
    job = spec["jobTemplate"]["spec"]
    assert (job["activeDeadlineSeconds"], job["backoffLimit"]) == (12 * 3600, 1)
    assert spec["jobTemplate"]["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "fraud"
    (pod,) = pod_specs(job)
    env = read_env(pod)
    assert env["TRAINSHED_FIRING"]["fieldRef"]["fieldPath"] == (
        "metadata.labels['batch.kubernetes.io/job-name']"
    )
    assert env["TRAINSHED_CHECKPOINT_DIR"].endswith("/$(TRAINSHED_FIRING)")
    names = [variable["name"] for variable in pod["containers"][0]["env"]]
    assert names.index("TRAINSHED_FIRING") < names.index("TRAINSHED_CHECKPOINT_DIR"), "or it would not expand"
    assert not any("$" in argument for argument in pod["containers"][0]["args"])


def test_pretraining_takes_the_network_that_each_cluster_has(rendered: Rendered) -> None:
    aws = rendered.find("aws-prod", "job-nlp-llm-pretrain", "PyTorchJob")
    onprem = rendered.find("onprem-hpc", "job-nlp-llm-pretrain", "PyTorchJob")
    assert replicas_of(aws) == replicas_of(onprem) == {"Master": 1, "Worker": 7}
    assert (aws["metadata"]["namespace"], onprem["metadata"]["namespace"]) == ("team-nlp", "team-nlp-fabric")
    for pod in pod_specs(aws):
        assert pod["containers"][0]["resources"]["limits"]["vpc.amazonaws.com/efa"] == "32"
        assert pod["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    for pod in pod_specs(onprem):
        assert pod["containers"][0]["resources"]["limits"]["rdma/ib"] == "8"
        assert pod["containers"][0]["securityContext"]["capabilities"]["add"] == ["IPC_LOCK"]


def test_privileged_run_finds_its_claims_in_its_own_namespace(rendered: Rendered) -> None:
    claims = {
        item["metadata"]["name"]
        for item in rendered.objects("onprem-hpc", "team-nlp")
        if item["kind"] == "PersistentVolumeClaim" and item["metadata"]["namespace"] == "team-nlp-fabric"
    }
    job = rendered.find("onprem-hpc", "job-nlp-llm-pretrain", "PyTorchJob")
    mounted = {
        volume["persistentVolumeClaim"]["claimName"]
        for pod in pod_specs(job)
        for volume in pod["volumes"]
        if "persistentVolumeClaim" in volume
    }
    assert mounted == {"corpus", "checkpoints", "models"}
    assert mounted <= claims
