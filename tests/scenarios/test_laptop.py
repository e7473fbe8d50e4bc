"""A1 to A4: the recommender as a Job, on two pods, and on a Ray cluster, all through the team's queue."""

import re
import shutil
from pathlib import Path

import pytest
from repositories import Project
from scenarios.rendered import ROOT, Rendered, pod_specs, run_labels

ADMITTED = {"queue-name": "recsys", "priority-class": "normal"}
KINDS = {
    "job-recsys-item-knn": "Job",
    "job-recsys-item-knn-ddp": "PyTorchJob",
    "job-recsys-item-knn-ray": "RayJob",
}


def test_recommender_is_a_plain_job_that_carries_its_script(rendered: Rendered) -> None:
    assert rendered.kinds("kind", "job-recsys-item-knn") == ["ConfigMap", "Job"]
    job = rendered.find("kind", "job-recsys-item-knn", "Job")
    code = rendered.find("kind", "job-recsys-item-knn", "ConfigMap")
    assert job["apiVersion"] == "batch/v1"
    assert re.fullmatch(r"item-knn-code-[0-9a-f]{8}", code["metadata"]["name"])
    assert code["immutable"] is True
    assert code["data"] == {"item_knn.py": (ROOT / "specs/jobs/recsys/item_knn.py").read_text("utf-8")}
    (pod,) = pod_specs(job)
    assert pod["volumes"] == [
        {
            "name": "code",
            "configMap": {
                "name": code["metadata"]["name"],
                "items": [{"key": "item_knn.py", "path": "item_knn.py"}],
            },
        },
        {"name": "models", "persistentVolumeClaim": {"claimName": "models"}},
    ]
    assert pod["containers"][0]["command"] + pod["containers"][0]["args"] == ["python", "/code/item_knn.py"]


def test_model_goes_to_a_claim_of_one_node_that_nothing_prunes(rendered: Rendered) -> None:
    claim = rendered.find("kind", "team-recsys", "PersistentVolumeClaim")
    assert claim["metadata"]["name"] == "models"
    assert claim["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "standard",
    }
    assert claim["metadata"]["annotations"]["argocd.argoproj.io/sync-options"] == "Prune=false,Delete=false"


@pytest.mark.parametrize(("app", "kind"), KINDS.items())
def test_every_pod_is_restricted_and_no_root(rendered: Rendered, app: str, kind: str) -> None:
    pods = list(pod_specs(rendered.find("kind", app, kind)))
    assert pods
    for pod in pods:
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == (1000 if kind == "RayJob" else 65532)
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
            }


def test_two_pods_are_a_master_and_a_worker_that_python_starts(rendered: Rendered) -> None:
    job = rendered.find("kind", "job-recsys-item-knn-ddp", "PyTorchJob")
    replicas = job["spec"]["pytorchReplicaSpecs"]
    assert {role: replica["replicas"] for role, replica in replicas.items()} == {"Master": 1, "Worker": 1}
    assert job["spec"]["runPolicy"]["cleanPodPolicy"] == "All"
    assert job["spec"]["nprocPerNode"] == "1"
    for pod in pod_specs(job):
        assert pod["containers"][0]["name"] == "pytorch"
        assert pod["containers"][0]["command"] == ["python"]
    code = rendered.find("kind", "job-recsys-item-knn-ddp", "ConfigMap")
    assert sorted(code["data"]) == ["item_knn.py", "item_knn_ddp.py"]


def test_ray_cluster_lives_as_long_as_its_job(rendered: Rendered) -> None:
    spec = rendered.find("kind", "job-recsys-item-knn-ray", "RayJob")["spec"]
    assert spec["shutdownAfterJobFinishes"] is True
    assert spec["entrypoint"] == "python /code/item_knn_ray.py"
    assert sorted(spec) == [
        "entrypoint",
        "rayClusterSpec",
        "shutdownAfterJobFinishes",
        "submissionMode",
        "submitterPodTemplate",
    ], "no zero, no empty map: KubeRay would take them for wishes"
    cluster = spec["rayClusterSpec"]
    assert "enableInTreeAutoscaling" not in cluster
    assert cluster["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"
    (worker,) = cluster["workerGroupSpecs"]
    assert (worker["replicas"], worker["minReplicas"], worker["maxReplicas"]) == (1, 1, 1)
    assert worker["rayStartParams"] == {"num-cpus": "1"}


@pytest.mark.parametrize(("app", "kind"), KINDS.items())
def test_each_waits_in_the_queue_of_its_team_and_kueue_alone_suspends_it(
    rendered: Rendered, app: str, kind: str
) -> None:
    job = rendered.find("kind", app, kind)
    assert run_labels(job) == ADMITTED
    assert "suspend" not in job["spec"]
    assert "suspend" not in job["spec"].get("runPolicy", {})


def test_without_kueue_the_same_specs_render_without_queue(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    shutil.copytree(ROOT / "schemas", tmp_path / "schemas")
    kind = tmp_path / "specs/clusters/kind.yaml"
    text = kind.read_text("utf-8")
    assert "  kueue: v0.19.2\n" in text
    kind.write_text(text.replace("  kueue: v0.19.2\n", ""), "utf-8")
    project = Project(tmp_path)
    done = project.run("render")
    assert done.code == 0, done.out + done.err
    without = Rendered(tmp_path / "rendered")
    assert "queues" not in without.apps("kind")
    for app, kind_name in KINDS.items():
        assert run_labels(without.find("kind", app, kind_name)) == {}
    assert "LocalQueue" not in without.kinds("kind", "team-recsys")
