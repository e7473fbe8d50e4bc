"""B10 and B11: one pre-training on 64 H100s, over four networks, and carried by three kinds."""

import pytest
from scenarios.rendered import Rendered, pod_specs, read_env

PRETRAIN = "job-nlp-llm-pretrain"


@pytest.mark.parametrize(
    ("cluster", "namespace", "fabric", "net"),
    [
        ("aws-prod", "team-nlp", {"vpc.amazonaws.com/efa": "32"}, "AWS Libfabric"),
        ("gke-research", "team-nlp-fabric", {}, "FasTrak"),
        ("aks-west", "team-nlp-fabric", {"rdma/ib": "8"}, "IB"),
        ("onprem-hpc", "team-nlp-fabric", {"rdma/ib": "8"}, "IB"),
    ],
)
def test_each_cluster_gives_its_own_network_to_eight_whole_machines(
    rendered: Rendered, cluster: str, namespace: str, fabric: dict[str, str], net: str
) -> None:
    job = rendered.find(cluster, PRETRAIN, "PyTorchJob")
    assert job["metadata"]["namespace"] == namespace, "only EFA asks for nothing that restricted refuses"
    assert sum(part["replicas"] for part in job["spec"]["pytorchReplicaSpecs"].values()) == 8
    for pod in pod_specs(job):
        limits = pod["containers"][0]["resources"]["limits"]
        wanted = {name: amount for name, amount in limits.items() if "/" in name}
        assert wanted == {"nvidia.com/gpu": "8", **fabric}
        assert read_env(pod)["NCCL_NET"] == net


def test_tcpxo_comes_with_its_daemon_and_the_networks_of_the_node(rendered: Rendered) -> None:
    job = rendered.find("gke-research", PRETRAIN, "PyTorchJob")
    for part in job["spec"]["pytorchReplicaSpecs"].values():
        annotations = part["template"]["metadata"]["annotations"]
        assert annotations["networking.gke.io/default-interface"] == "eth0"
        assert annotations["networking.gke.io/interfaces"].count('"network":"vpc') == 8
        (daemon,) = (item for item in part["template"]["spec"]["initContainers"] if "daemon" in item["name"])
        assert daemon["restartPolicy"] == "Always", "a sidecar: it ends with the run and does not hold it up"


@pytest.mark.parametrize("cluster", ["aws-prod", "gke-research", "aks-west", "onprem-hpc"])
def test_quota_covers_every_resource_that_the_run_asks_for(rendered: Rendered, cluster: str) -> None:
    queue = rendered.find(cluster, "queues", "ClusterQueue", "nlp")
    covered = set(queue["spec"]["resourceGroups"][0]["coveredResources"])
    for pod in pod_specs(rendered.find(cluster, PRETRAIN, "PyTorchJob")):
        assert set(pod["containers"][0]["resources"]["requests"]) <= covered


def test_machines_near_one_another_are_preferred(rendered: Rendered) -> None:
    """D6, preferred; required is in test_launchers."""
    job = rendered.find("aws-prod", PRETRAIN, "PyTorchJob")
    for part in job["spec"]["pytorchReplicaSpecs"].values():
        annotations = part["template"]["metadata"]["annotations"]
        assert (
            annotations["kueue.x-k8s.io/podset-preferred-topology"] == "topology.k8s.aws/network-node-layer-1"
        )
    levels = rendered.find("aws-prod", "queues", "Topology")["spec"]["levels"]
    assert [level["nodeLabel"] for level in levels][-1] == "kubernetes.io/hostname"


def test_no_rank_trains_before_the_corpus_is_complete(rendered: Rendered) -> None:
    """E8."""
    for pod in pod_specs(rendered.find("aws-prod", PRETRAIN, "PyTorchJob")):
        (check,) = (item for item in pod["initContainers"] if item["name"] == "require-corpus")
        assert [*check["command"], *check["args"]] == ["test", "-e", "/corpus/_COMPLETE"]
    for cluster in ("aws-prod", "gke-research", "aks-west", "onprem-hpc"):
        filler = rendered.find(cluster, "job-nlp-corpus-download", "Job")
        reader = rendered.find(cluster, PRETRAIN, "PyTorchJob")
        assert filler["metadata"]["namespace"] == reader["metadata"]["namespace"], "it is the same claim"
        (pod,) = pod_specs(filler)
        (mount,) = (item for item in pod["containers"][0]["volumeMounts"] if item["name"] == "corpus")
        assert "readOnly" not in mount


def test_trainer_gets_a_runtime_of_the_runs_own(rendered: Rendered) -> None:
    job = rendered.find("aws-prod", "job-nlp-llm-trainer", "TrainJob")
    runtime = rendered.find("aws-prod", "job-nlp-llm-trainer", "TrainingRuntime")
    assert job["apiVersion"] == "trainer.kubeflow.org/v1alpha1"
    assert job["spec"]["runtimeRef"] == {
        "name": runtime["metadata"]["name"],
        "apiGroup": "trainer.kubeflow.org",
        "kind": "TrainingRuntime",
    }
    trainer = job["spec"]["trainer"]
    assert (trainer["numNodes"], trainer["numProcPerNode"]) == (8, 8)
    assert runtime["spec"]["mlPolicy"] == {"numNodes": 8, "torch": {}}


def test_job_set_starts_anew_when_the_last_old_pod_is_gone(rendered: Rendered) -> None:
    spec = rendered.find("aws-prod", "job-nlp-llm-jobset", "JobSet")["spec"]
    policy = spec["failurePolicy"]
    assert (policy["maxRestarts"], policy["restartStrategy"]) == (10, "BlockingRecreate")
    assert [rule["action"] for rule in policy["rules"]] == [
        "FailJobSet",
        "RestartJobSetAndIgnoreMaxRestarts",
    ], "a wrong configuration ends the run, a lost node does not count"
    (nodes,) = spec["replicatedJobs"]
    job = nodes["template"]["spec"]
    assert (job["completions"], job["parallelism"], job["backoffLimit"]) == (8, 8, 0)
    assert job["podFailurePolicy"]["rules"][0]["onExitCodes"]["values"] == [64]
