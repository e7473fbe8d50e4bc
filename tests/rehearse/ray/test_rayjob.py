"""RayJobs with a real Ray: head, worker and submitter are the pods that KubeRay makes."""

import json
import re
from pathlib import Path
from typing import Any

import torch
from rehearsals import ROOT, rehearse
from repositories import Project, write_project


def item_knn(tmp_path: Path, entrypoint: str | None = None) -> tuple[Project, list[str]]:
    """Our RayJob's manifests in a project of their own, and the words that rehearse them."""
    manifests = sorted((ROOT / "rendered/kind/job-recsys-item-knn-ray").glob("*.yaml"))
    files = {path.name: path.read_text("utf-8") for path in manifests}
    if entrypoint is not None:
        files = {
            name: re.sub(r"(?m)^  entrypoint: .*$", f"  entrypoint: {entrypoint}", text)
            for name, text in files.items()
        }
    words = [word for name in files for word in ("--manifest", name)]
    return write_project(tmp_path, files), [*words, "--json", "record.json", "--env", "OMP_NUM_THREADS=1"]


def record_of(project: Project) -> dict[str, Any]:
    return json.loads((project.path / "record.json").read_text("utf-8"))


def test_our_rayjob_succeeds_at_its_first_submission(tmp_path: Path) -> None:
    project, words = item_knn(tmp_path)
    done = project.run("rehearse", *words)
    assert done.code == 0, done.out + done.err
    events = record_of(project)["events"]

    def moments(happening: str, pod: str) -> list[float]:
        return [event["at"] for event in events if (event["happening"], event["pod"]) == (happening, pod)]

    (submitted,) = moments("created", "submitter-0")
    for pod in ("head-0", "worker-0"):
        (ready,) = moments("ready", pod)
        assert max(moments("created", pod)) < ready <= submitted


def test_a_job_that_fails_does_not_succeed_because_its_submitter_leaves_with_0(tmp_path: Path) -> None:
    project, words = item_knn(tmp_path, "python -c \"raise SystemExit('no such feature')\"")
    done = project.run("rehearse", *words)
    assert done.code == 1, done.out + done.err
    record = record_of(project)
    left = [
        event["detail"]["exit_code"]
        for event in record["events"]
        if event["happening"] == "ended" and event["container"] == "ray-job-submitter"
    ]
    assert left == ["0"], "Ray has learned to say it with its exit code: what asks the head can go"
    assert record["verdict"]["reason"] == "AppFailed"
    assert "submitter-0, ray-job-submitter: exit code 0" in done.out
    assert "no such feature" in done.out


def test_ray_train_goes_on_from_its_checkpoint_once_kuberay_has_made_the_worker_anew(tmp_path: Path) -> None:
    draw = torch.Generator().manual_seed(1)
    users, items = (
        torch.randint(800, (50_000,), generator=draw),
        torch.randint(200, (50_000,), generator=draw),
    )
    (tmp_path / "interactions").mkdir()
    torch.save({"users": users, "items": items}, tmp_path / "interactions/day.pt")
    done = rehearse(
        tmp_path,
        *("two-tower", "--cluster", "gke-research", "--scale", "2x1", "--no-compare"),
        *("--claim", f"interactions={tmp_path}/interactions", "--kill", "worker-0@step=196"),
        env=("OMP_NUM_THREADS=1",),
    )
    assert done.code == 0, done.words
    assert done.pods == ["head-0", "worker-0", "submitter-0"]
    assert len(done.events("created", "worker-0")) == 2
    log = done.log("submitter-0", "ray-job-submitter")
    epochs: dict[str, list[int]] = {}
    for worker, epoch in re.findall(r"RayTrainWorker (pid=\d+, ip=[\d.]+).* epoch (\d)/5: loss", log):
        epochs.setdefault(worker, []).append(int(epoch))
    before, after = epochs.values()
    assert before[0] == 1
    assert 1 < min(after) <= max(before) + 1
    assert max(after) == 5
    assert torch.load(done.claim("models") / "two-tower/state.pt", weights_only=True)["epoch"] == 5
