"""RayJobs with a real Ray: head, worker and submitter are the pods that KubeRay makes."""

import json
from pathlib import Path

from repositories import write_project

ROOT = Path(__file__).parents[3]


def test_our_rayjob_succeeds_at_its_first_submission(tmp_path: Path) -> None:
    manifests = sorted((ROOT / "rendered/kind/job-recsys-item-knn-ray").glob("*.yaml"))
    files = {path.name: path.read_text("utf-8") for path in manifests}
    project = write_project(tmp_path, files)
    words = [word for name in files for word in ("--manifest", name)]
    done = project.run("rehearse", *words, "--json", "record.json", env={"OMP_NUM_THREADS": "1"})
    assert done.code == 0, done.out + done.err
    events = json.loads((project.path / "record.json").read_text())["events"]

    def moments(happening: str, pod: str) -> list[float]:
        return [event["at"] for event in events if (event["happening"], event["pod"]) == (happening, pod)]

    (submitted,) = moments("created", "submitter-0")
    for pod in ("head-0", "worker-0"):
        (ready,) = moments("ready", pod)
        assert max(moments("created", pod)) < ready <= submitted
