"""Manifests as people write them who have never heard of trainshed: what each pod is told of its place."""

from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from trainshed.model.outcome import Outcome
from trainshed.model.rehearsal import PodToRun
from trainshed.rehearse.scene import Scene

Set = Callable[..., Outcome[Scene]]

FOREIGN = Path(__file__).parent / "foreign"

FOUR = ["0", "1", "2", "3"]


@dataclass(frozen=True)
class Case:
    """A file, its pods, and what the first container of each is told: by the operators' own words (facts B.2, C, E, F)."""

    pods: list[str]
    told: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


CASES = {
    "pytorchjob-gloo": Case(
        ["master-0", "worker-0", "worker-1", "worker-2"],
        {
            "RANK": FOUR,
            "PET_NODE_RANK": FOUR,
            "WORLD_SIZE": ["4"] * 4,
            "MASTER_ADDR": ["digits-master-0"] * 4,
            "MASTER_PORT": ["23456"] * 4,
        },
    ),
    "pytorchjob-elastic": Case(
        [f"worker-{index}" for index in range(6)],
        {
            "PET_NNODES": ["2:6"] * 6,
            "PET_NPROC_PER_NODE": ["4"] * 6,
            "PET_RDZV_BACKEND": ["c10d"] * 6,
            "PET_RDZV_ENDPOINT": ["echo-worker-0:23456"] * 6,
            "PET_MAX_RESTARTS": ["100"] * 6,
        },
    ),
    "tfjob-parameter-server": Case(["ps-0", "ps-1", "worker-0", "worker-1", "worker-2", "worker-3"]),
    "mpijob-ring": Case(["launcher-0", "worker-0", "worker-1"]),
    "rayjob-code": Case(
        ["head-0", "small-group-0", "small-group-1", "small-group-2", "small-group-3", "submitter-0"]
    ),
    "job-indexed": Case([f"pod-{index}" for index in range(4)], {"WORLD_SIZE": ["32"] * 4}),
    "job-sweep": Case([f"pod-{index}" for index in range(10)]),
    "jobset-two-jobs": Case(["driver-0", *(f"workers-{index}" for index in range(8))]),
    "trainjob-torch": Case(
        ["node-0", "node-1", "node-2"],
        {
            "PET_NNODES": ["3"] * 3,
            "PET_NPROC_PER_NODE": ["4"] * 3,
            "PET_MASTER_ADDR": ["bert-node-0-0.bert"] * 3,
            "PET_MASTER_PORT": ["29500"] * 3,
        },
    ),
    "volcano-job": Case(
        ["chief-0", "worker-0", "worker-1", "worker-2", "worker-3"], {"VC_TASK_INDEX": ["0", *FOUR]}
    ),
    "cronjob-nightly": Case(["pod-0"]),
    "jaxjob-spmd": Case(
        ["worker-0", "worker-1"],
        {
            "PROCESS_ID": ["0", "1"],
            "NUM_PROCESSES": ["2", "2"],
            "COORDINATOR_ADDRESS": ["spmd-worker-0"] * 2,
        },
    ),
}


MPI_POLICY = "mpi: {mpiImplementation: OpenMPI, numProcPerNode: 4, sshAuthMountPath: /root/.ssh}"
MPI_LAUNCHER = """\
      replicatedJobs:
        - name: launcher
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - {name: node, image: "registry.example.com/mpi:1"}
"""


def stage(scene_of: Set, name: str, **settings: Any) -> Scene:
    scene = scene_of(FOREIGN / f"{name}.yaml", **settings)
    assert scene.findings == ()
    assert scene.value is not None
    return scene.value


def told(pod: PodToRun, variable: str) -> str | None:
    """The value that a process of the first container gets: the last one holds."""
    entries = pod.body["spec"]["containers"][0].get("env", [])
    values = [entry.get("value") for entry in entries if entry["name"] == variable]
    return values[-1] if values else None


def test_every_foreign_file_has_its_case() -> None:
    assert {file.stem for file in FOREIGN.glob("*.yaml")} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_every_pod_is_made_and_told_its_place(scene_of: Set, name: str) -> None:
    scene = stage(scene_of, name)
    assert [pod.name for pod in scene.pods] == CASES[name].pods
    for variable, values in CASES[name].told.items():
        assert [told(pod, variable) for pod in scene.pods] == values, variable


@pytest.mark.parametrize("name", CASES)
def test_shrunk_it_stays_what_its_operator_takes(scene_of: Set, name: str) -> None:
    scene = stage(scene_of, name, nodes=2, procs=2)
    assert len(scene.pods) <= max(len(CASES[name].pods), 2)


def test_torchrun_finds_its_rank_where_the_index_of_its_job_is_written(scene_of: Set) -> None:
    scene = stage(scene_of, "trainjob-torch")
    ranks = [
        entry["valueFrom"]["fieldRef"]["fieldPath"]
        for pod in scene.pods
        for entry in pod.body["spec"]["containers"][0]["env"]
        if entry["name"] == "PET_NODE_RANK"
    ]
    assert ranks == ["metadata.annotations['batch.kubernetes.io/job-completion-index']"] * 3
    indexes = [
        pod.body["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"] for pod in scene.pods
    ]
    assert indexes == ["0", "1", "2"]
    assert [one.body["kind"] for one in scene.made if one.owner == -1][-1] == "JobSet"


@pytest.mark.parametrize(
    ("framework", "values", "index"),
    [
        (
            "jax",
            {"JAX_NUM_PROCESSES": "3", "JAX_COORDINATOR_ADDRESS": "bert-node-0-0.bert:29500"},
            "JAX_PROCESS_ID",
        ),
        ("xgboost", {"DMLC_NUM_WORKER": "12", "DMLC_TRACKER_URI": "bert-node-0-0.bert"}, "DMLC_TASK_ID"),
    ],
)
def test_a_train_job_tells_each_framework_in_its_own_words(
    scene_of_text: Set, framework: str, values: dict[str, str], index: str
) -> None:
    text = (FOREIGN / "trainjob-torch.yaml").read_text("utf-8").replace("torch: {}", f"{framework}: {{}}")
    scene = scene_of_text(text).value
    assert scene is not None
    for pod in scene.pods:
        env = {entry["name"]: entry for entry in pod.body["spec"]["containers"][0]["env"]}
        assert {name: env[name]["value"] for name in values} == values
        assert "job-completion-index" in env[index]["valueFrom"]["fieldRef"]["fieldPath"]


def test_an_mpi_train_job_has_hosts_and_a_key_that_is_always_the_same(scene_of_text: Set) -> None:
    text = (FOREIGN / "trainjob-torch.yaml").read_text("utf-8")
    text = text.replace("torch: {}", MPI_POLICY)
    text = text.replace("trainer.kubeflow.org/trainjob-ancestor-step: trainer", "part: worker")
    text = text.replace("      replicatedJobs:\n", MPI_LAUNCHER)
    first, second = scene_of_text(text), scene_of_text(text)
    assert first.findings == ()
    assert first.value is not None
    assert first.value == second.value
    assert [pod.name for pod in first.value.pods] == ["launcher-0", "node-0", "node-1", "node-2"]
    (secret,) = first.value.secrets
    assert {b64decode(value) for value in secret["data"].values()} == {b"placeholder"}
    (hosts,) = (
        config["data"]["hostfile"] for config in first.value.config_maps if "hostfile" in config["data"]
    )
    assert hosts.splitlines() == [f"bert-node-0-{index}.bert slots=4" for index in range(3)]


def test_a_cluster_of_tensorflow_lists_everybody(scene_of: Set) -> None:
    for pod in stage(scene_of, "tfjob-parameter-server").pods:
        config = told(pod, "TF_CONFIG") or ""
        assert f'"task":{{"type":"{pod.role.lower()}","index":{pod.index}}}' in config
        assert "ranker-worker-3.kubeflow.svc:2222" in config
        assert "ranker-ps-1.kubeflow.svc:2222" in config


def test_an_mpi_launcher_finds_all_hosts_and_a_key(scene_of: Set) -> None:
    scene = stage(scene_of, "mpijob-ring")
    (config,) = scene.config_maps
    assert config["data"]["hostfile"] == (
        "ring-worker-0.ring.default.svc slots=4\nring-worker-1.ring.default.svc slots=4\n"
    )
    assert config["data"]["discover_hosts.sh"].count("echo") == 2
    (secret,) = scene.secrets
    assert {key: b64decode(value) for key, value in secret["data"].items()} == {
        "ssh-privatekey": b"placeholder",
        "ssh-publickey": b"placeholder",
    }
    workers = [pod.body["spec"] for pod in scene.pods if pod.role == "Worker"]
    assert [spec["hostname"] for spec in workers] == ["ring-worker-0", "ring-worker-1"]
    assert {spec["subdomain"] for spec in workers} == {"ring"}


def test_a_ray_submitter_finds_the_head(scene_of: Set) -> None:
    scene = stage(scene_of, "rayjob-code")
    submitter = scene.pods[-1]
    assert told(submitter, "RAY_DASHBOARD_ADDRESS") == "counter-00000-head-svc.default.svc.cluster.local:8265"
    assert "counter-00000-head-svc" in {service["metadata"]["name"] for service in scene.services}
    assert [config["metadata"]["name"] for config in scene.config_maps] == ["counter-code"]
    head = scene.pods[0].body["spec"]["containers"][0]
    assert "ray start --head" in head["args"][0]


def test_pods_of_a_jobset_are_named_in_its_subdomain(scene_of: Set) -> None:
    specs = [pod.body["spec"] for pod in stage(scene_of, "jobset-two-jobs").pods]
    assert [spec["hostname"] for spec in specs] == [
        "pair-driver-0-0",
        *(f"pair-workers-{job}-{index}" for job in range(2) for index in range(4)),
    ]
    assert {spec["subdomain"] for spec in specs} == {"net"}


def test_the_nodes_of_a_runtime_are_shrunk_too(scene_of_text: Set) -> None:
    text = (FOREIGN / "trainjob-torch.yaml").read_text("utf-8")
    text = text.replace("numNodes: 1", "numNodes: 5").replace("    numNodes: 3\n", "")
    whole, small = scene_of_text(text).value, scene_of_text(text, nodes=2).value
    assert whole is not None
    assert small is not None
    assert (len(whole.pods), len(small.pods)) == (5, 2)
    assert small.notes == ("5 nodes become 2",)


def test_what_is_written_as_text_in_a_secret_is_data(scene_of: Set) -> None:
    (secret,) = stage(scene_of, "cronjob-nightly").secrets
    assert secret["data"] == {"KEY": "YWJj"}
    assert "stringData" not in secret


def test_a_job_without_a_name_gets_one(scene_of: Set) -> None:
    scene = stage(scene_of, "job-sweep")
    assert scene.workload["metadata"]["name"] == "sweep-bbbbb"
    assert scene.pods[9].body["spec"]["hostname"] == "sweep-bbbbb-9"


def test_hosts_of_volcano_are_in_a_config_map(scene_of: Set) -> None:
    scene = stage(scene_of, "volcano-job")
    (config,) = scene.config_maps
    assert config["data"]["VC_WORKER_NUM"] == "4"
    assert config["data"]["chief.host"] == "lm-chief-0.lm"
    assert [service["metadata"]["name"] for service in scene.services] == ["lm"]
    assert {pod.body["spec"]["subdomain"] for pod in scene.pods} == {"lm"}
