"""B12: DeepSpeed, Accelerate and plain Python start as many processes as there are GPUs, each in its own words."""

import base64
import json

from scenarios.rendered import Rendered, pod_specs

NODES, GPUS = 2, 8


def commands(rendered: Rendered, cluster: str, app: str) -> list[list[str]]:
    job = rendered.find(cluster, app, "PyTorchJob")
    return [pod["containers"][0]["command"] for pod in pod_specs(job)]


def test_deepspeed_is_told_of_all_its_processes_and_needs_no_ssh(rendered: Rendered) -> None:
    for command in commands(rendered, "aws-prod", "job-nlp-chat-deepspeed"):
        assert command[:3] == ["python", "-m", "deepspeed.launcher.launch"]
        words = dict(word.split("=", 1) for word in command[3:])
        world = json.loads(base64.urlsafe_b64decode(words["--world_info"]))
        assert list(world.values()) == [list(range(GPUS))] * NODES
        assert words["--node_rank"] == "$(PET_NODE_RANK)", "the operator sets it, the kubelet puts it here"
        assert words["--master_addr"] == "$(PET_MASTER_ADDR)"


def test_accelerate_is_told_of_both_machines_and_all_processes(rendered: Rendered) -> None:
    for command in commands(rendered, "aws-prod", "job-nlp-chat-accelerate"):
        assert command[:3] == ["accelerate", "launch", "--multi_gpu"]
        words = dict(word.split("=", 1) for word in command[3:])
        assert words["--num_machines"] == str(NODES)
        assert words["--num_processes"] == str(NODES * GPUS), "of all machines together"
        assert words["--machine_rank"] == "$(PET_NODE_RANK)"


def test_plain_python_is_one_process_on_each_pod(rendered: Rendered) -> None:
    assert commands(rendered, "kind", "job-recsys-item-knn-ddp") == [["python"], ["python"]]
    job = rendered.find("kind", "job-recsys-item-knn-ddp", "PyTorchJob")
    assert job["spec"]["nprocPerNode"] == "1"


def test_both_machines_of_a_chat_model_stand_in_one_rack(rendered: Rendered) -> None:
    """D6, required; preferred is in test_llm."""
    job = rendered.find("aws-prod", "job-nlp-chat-deepspeed", "PyTorchJob")
    for replica in job["spec"]["pytorchReplicaSpecs"].values():
        annotations = replica["template"]["metadata"]["annotations"]
        assert (
            annotations["kueue.x-k8s.io/podset-required-topology"] == "topology.k8s.aws/network-node-layer-3"
        )
        assert annotations["kueue.x-k8s.io/podset-group-name"] == "chat-deepspeed", (
            "one rack, not one for each role"
        )
