"""A workload made smaller: what is left of it, and each cut in a sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.scale import shrink
from trainshed.rehearse.shapes import SHAPES

FOREIGN = Path(__file__).parents[1] / "scene" / "foreign"


def workload(name: str) -> JsonObject:
    documents: list[JsonObject] = list(
        YAML(typ="safe").load_all((FOREIGN / f"{name}.yaml").read_text("utf-8"))
    )
    kinds = {kind for _, kind in SHAPES}
    (found,) = (document for document in documents if document["kind"] in kinds)
    return found


def at(body: Any, pointer: str) -> Any:
    """What stands at a JSON pointer."""
    for step in pointer.split("/")[1:]:
        body = body[int(step)] if isinstance(body, list) else body[step.replace("~1", "/")]
    return body


CUTS: list[tuple[str, int | None, int | None, dict[str, Any], list[str]]] = [
    (
        "pytorchjob-gloo",
        2,
        None,
        {"/spec/pytorchReplicaSpecs/Master/replicas": 1, "/spec/pytorchReplicaSpecs/Worker/replicas": 1},
        ["4 nodes become 2"],
    ),
    (
        "pytorchjob-elastic",
        3,
        1,
        {
            "/spec/pytorchReplicaSpecs/Worker/replicas": 3,
            "/spec/elasticPolicy/minReplicas": 2,
            "/spec/elasticPolicy/maxReplicas": 3,
            "/spec/nprocPerNode": "1",
            "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/resources/limits/nvidia.com~1gpu": "1",
        },
        ["4 nodes of 4 processes become 3 of 1", "4 nvidia.com/gpu of a container become 1"],
    ),
    (
        "tfjob-parameter-server",
        1,
        None,
        {"/spec/tfReplicaSpecs/PS/replicas": 1, "/spec/tfReplicaSpecs/Worker/replicas": 1},
        ["PS: 2 pods become 1", "4 nodes become 1"],
    ),
    (
        "mpijob-ring",
        1,
        2,
        {
            "/spec/mpiReplicaSpecs/Worker/replicas": 1,
            "/spec/slotsPerWorker": 2,
            "/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0/args/2": "2",
        },
        ["2 nodes of 4 processes become 1 of 2", "-n 8 becomes 2"],
    ),
    (
        "rayjob-code",
        2,
        1,
        {
            "/spec/rayClusterSpec/workerGroupSpecs/0/replicas": 2,
            "/spec/rayClusterSpec/workerGroupSpecs/0/maxReplicas": 2,
            "/spec/rayClusterSpec/workerGroupSpecs/0/minReplicas": 1,
            "/spec/entrypoint": "python /home/ray/samples/counter.py --num-workers 2",
        },
        ["4 nodes become 2", "--num-workers 4 becomes 2"],
    ),
    (
        "job-indexed",
        2,
        1,
        {
            "/spec/completions": 2,
            "/spec/parallelism": 2,
            "/spec/template/spec/containers/0/args/0": "torchrun --nnodes=2 --nproc_per_node 1 "
            "--node_rank $JOB_COMPLETION_INDEX --master_addr trainer-0.trainers train.py",
            "/spec/template/spec/containers/0/env/0/value": "32",
        },
        [
            "4 nodes become 2",
            "--nnodes=4 becomes 2",
            "--nproc_per_node 8 becomes 1",
            "WORLD_SIZE=32 stays as it is written",
        ],
    ),
    (
        "job-sweep",
        2,
        None,
        {"/spec/completions": 10, "/spec/parallelism": 2, "/spec/maxFailedIndexes": 5},
        ["5 pods at once become 2; all indexes have their turn"],
    ),
    (
        "jobset-two-jobs",
        2,
        2,
        {
            "/spec/replicatedJobs/0/template/spec/parallelism": 1,
            "/spec/replicatedJobs/1/replicas": 2,
            "/spec/replicatedJobs/1/template/spec/parallelism": 1,
            "/spec/replicatedJobs/1/template/spec/completions": 1,
        },
        ["9 nodes become 3", "4 google.com/tpu of a container become 2"],
    ),
    (
        "trainjob-torch",
        2,
        2,
        {
            "/spec/trainer/numNodes": 2,
            "/spec/trainer/numProcPerNode": 2,
            "/spec/trainer/resourcesPerNode/limits/nvidia.com~1gpu": "2",
        },
        ["3 nodes of 4 processes become 2 of 2", "4 nvidia.com/gpu of a container become 2"],
    ),
    (
        "volcano-job",
        2,
        None,
        {"/spec/tasks/0/replicas": 1, "/spec/tasks/1/replicas": 2, "/spec/minAvailable": 3},
        ["5 nodes become 3"],
    ),
    ("cronjob-nightly", 2, 1, {}, []),
    ("jaxjob-spmd", 1, 1, {"/spec/jaxReplicaSpecs/Worker/replicas": 1}, ["2 nodes become 1"]),
]


@pytest.mark.parametrize(("name", "nodes", "procs", "left", "said"), CUTS, ids=[cut[0] for cut in CUTS])
def test_each_cut_is_made_and_said(
    name: str, nodes: int | None, procs: int | None, left: dict[str, Any], said: list[str]
) -> None:
    whole = workload(name)
    before = json.dumps(whole)
    small, notes = shrink(whole, nodes, procs)
    assert {pointer: at(small, pointer) for pointer in left} == left
    assert list(notes) == said
    assert json.dumps(whole) == before


@pytest.mark.parametrize("name", [cut[0] for cut in CUTS])
def test_what_fits_is_left_as_it_is(name: str) -> None:
    whole = workload(name)
    assert shrink(whole, None, None) == (whole, ())
    small, notes = shrink(whole, 1000, None)
    assert (small, notes) == (whole, ())


@pytest.mark.parametrize("name", [cut[0] for cut in CUTS])
def test_what_was_shrunk_is_not_shrunk_again(name: str) -> None:
    small, _ = shrink(workload(name), 2, 1)
    again, notes = shrink(small, 2, 1)
    assert again == small
    assert [note for note in notes if "stays" not in note and "become" in note] == []


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.text("ab-=4", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "replicas",
                    "template",
                    "spec",
                    "parallelism",
                    "completions",
                    "successPolicy",
                    "rules",
                    "name",
                ]
                + [
                    "succeededIndexes",
                    "tasks",
                    "command",
                    "args",
                    "env",
                    "limits",
                    "nvidia.com/gpu",
                    "trainer",
                ]
                + [
                    "numNodes",
                    "pytorchReplicaSpecs",
                    "Worker",
                    "Master",
                    "elasticPolicy",
                    "minReplicas",
                    "entrypoint",
                ]
                + [
                    "rayClusterSpec",
                    "workerGroupSpecs",
                    "replicatedJobs",
                    "nprocPerNode",
                    "subdomain",
                    "value",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(kind=st.sampled_from(sorted(SHAPES)), spec=ANY)
def test_nothing_that_anybody_writes_is_too_odd_to_be_shrunk(kind: tuple[str, str], spec: Any) -> None:
    group, name = kind
    odd: JsonObject = {"apiVersion": f"{group}/v1", "kind": name, "metadata": {"name": "a"}, "spec": spec}
    shrink(odd, 2, 1)
