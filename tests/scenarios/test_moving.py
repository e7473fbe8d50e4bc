"""F6: a job moves to another cluster when one word of its spec changes."""

import shutil

import pytest
from repositories import Project
from ruamel.yaml import YAML
from scenarios.rendered import ROOT, Rendered, pod_specs, run_labels

JOB = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: moved
team: vision
clusters: CLUSTER
framework: pytorch
image: registry.example.com/vision/train:2.1@sha256:5944ae849448011ca08c3785f1de1a54c8a96d6c23f787f9d962b624edd4151d
run: {module: vision.train}
nodes: 2
gpus: 1
"""
GANGS: dict[str, tuple[str | None, str | None]] = {
    "aws-prod": ("vision", None),
    "campus": (None, "scheduler-plugins-scheduler"),
    "gke-research": ("vision", None),
    "onprem-hpc": ("vision", None),
    "openshift-lab": (None, "volcano"),
}
"""The team's clusters, all of which have GPUs, and what starts pods together there: a queue or a scheduler."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("moving")
    for name in ("specs", "schemas"):
        shutil.copytree(ROOT / name, folder / name)
    return Project(folder)


@pytest.mark.parametrize(("cluster", "gang"), GANGS.items())
def test_job_moves_by_one_word_and_every_judge_accepts_it_there(
    project: Project, cluster: str, gang: tuple[str | None, str | None]
) -> None:
    project.write({"specs/jobs/vision/moved.yaml": JOB.replace("CLUSTER", cluster)})
    done = project.run("render", "--only", "job=moved")
    assert (done.code, "error[" in done.out + done.err) == (0, False), done.out + done.err
    apps = project.path.glob("rendered/*/job-vision-moved")
    assert [app.parent.name for app in apps] == [cluster], "it has left the cluster where it was before"
    job = Rendered(project.path / "rendered").find(cluster, "job-vision-moved", "PyTorchJob")
    replicas = job["spec"]["pytorchReplicaSpecs"]
    assert {role: part["replicas"] for role, part in replicas.items()} == {"Master": 1, "Worker": 1}
    for pod in pod_specs(job):
        assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "1"
        assert (run_labels(job).get("queue-name"), pod.get("schedulerName")) == gang


def test_these_are_all_clusters_of_the_team() -> None:
    team = YAML(typ="safe").load((ROOT / "specs/teams/vision.yaml").read_text("utf-8"))
    assert sorted(team["clusters"]) == sorted(GANGS)
