"""Numbers of nodes and processes in commands and variables: those that launchers read are cut, others are left."""

import pytest

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.scale import shrink


def pytorch_job(*command: str, workers: int = 3, **spec: object) -> JsonObject:
    container = {"name": "pytorch", "image": "train:1", "command": list(command)}
    template = {"spec": {"containers": [container]}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "net"},
        "spec": {
            **spec,
            "pytorchReplicaSpecs": {
                "Master": {"replicas": 1, "template": template},
                "Worker": {"replicas": workers, "template": {"spec": {"containers": [dict(container)]}}},
            },
        },
    }


def command_of(job: JsonObject) -> list[str]:
    return job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"][0]["command"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            ["torchrun", "--nnodes=4", "--nproc-per-node=8", "t.py"],
            ["torchrun", "--nnodes=2", "--nproc-per-node=1", "t.py"],
        ),
        (["torchrun", "--nnodes", "1:4", "t.py"], ["torchrun", "--nnodes", "1:2", "t.py"]),
        (["torchrun", "--nproc_per_node=gpu", "t.py"], ["torchrun", "--nproc_per_node=1", "t.py"]),
        (
            ["bash", "-c", "torchrun --nproc-per-node 8 --nnodes=4 t.py --batch=8"],
            ["bash", "-c", "torchrun --nproc-per-node 1 --nnodes=2 t.py --batch=8"],
        ),
        (
            ["accelerate", "launch", "--num_machines=4", "--num_processes=32", "t.py"],
            ["accelerate", "launch", "--num_machines=2", "--num_processes=2", "t.py"],
        ),
        (["deepspeed", "--num_gpus", "8", "t.py"], ["deepspeed", "--num_gpus", "1", "t.py"]),
        (["python", "t.py", "--num-workers=8", "-n", "4"], ["python", "t.py", "--num-workers=8", "-n", "4"]),
        (["torchrun", "--nnodes=$(NODES)", "t.py"], ["torchrun", "--nnodes=$(NODES)", "t.py"]),
        (["torchrun", "--nnodes-extra=4", "x--nnodes=4"], ["torchrun", "--nnodes-extra=4", "x--nnodes=4"]),
    ],
)
def test_only_what_a_launcher_reads_is_cut(before: list[str], after: list[str]) -> None:
    small, _ = shrink(pytorch_job(*before), 2, 1)
    assert command_of(small) == after


def test_torchrun_counts_no_cpus_of_this_machine() -> None:
    """Without `nprocPerNode` the operator sets PET_NPROC_PER_NODE=auto, which is all CPUs where there is no GPU."""
    small, notes = shrink(pytorch_job("torchrun", "t.py"), 2, 3)
    assert small["spec"]["nprocPerNode"] == "1"
    assert notes == ("4 nodes of 1 process become 2 of 1",)


def test_a_launcher_starts_a_process_for_each_gpu_that_is_left() -> None:
    job = pytorch_job("torchrun", "t.py", nprocPerNode="auto")
    for replica in job["spec"]["pytorchReplicaSpecs"].values():
        replica["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": 8}}
    small, notes = shrink(job, None, 2)
    assert small["spec"]["nprocPerNode"] == "2"
    assert notes == ("4 nodes of 8 processes become 4 of 2", "8 nvidia.com/gpu of a container become 2")


def test_a_master_is_never_cut_and_workers_without_room_are_left_out() -> None:
    small, notes = shrink(pytorch_job("python", "t.py"), 1, None)
    assert list(small["spec"]["pytorchReplicaSpecs"]) == ["Master"]
    assert notes == (
        "Worker: 3 pods left out, for the first node is all that there is room for",
        "4 nodes become 1",
    )


def test_policies_of_a_job_name_only_the_indexes_that_it_keeps() -> None:
    job: JsonObject = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "net"},
        "spec": {
            "completionMode": "Indexed",
            "completions": 8,
            "parallelism": 8,
            "maxFailedIndexes": 4,
            "successPolicy": {"rules": [{"succeededIndexes": "0,2-6", "succeededCount": 4}]},
            "template": {"spec": {"subdomain": "net", "containers": []}},
        },
    }
    small, _ = shrink(job, 4, None)
    assert (
        small["spec"]["completions"] == small["spec"]["parallelism"] == small["spec"]["maxFailedIndexes"] == 4
    )
    assert small["spec"]["successPolicy"]["rules"] == [{"succeededIndexes": "0,2-3", "succeededCount": 3}]
