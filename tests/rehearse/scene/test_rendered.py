"""Every run that this repository renders can be put on the stage, whole and shrunk."""

from collections.abc import Callable
from pathlib import Path

import pytest

from trainshed.model.outcome import Outcome
from trainshed.rehearse.scene import Scene

Set = Callable[..., Outcome[Scene]]

RENDERED = Path(__file__).parents[3] / "rendered"
RUNS = sorted(RENDERED.glob("*/job-*"))


def name_of(run: Path) -> str:
    return run.relative_to(RENDERED).as_posix()


def test_there_are_runs_to_rehearse() -> None:
    assert len(RUNS) > 30


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_a_rendered_run_gives_its_pods(scene_of: Set, run: Path) -> None:
    whole = scene_of(run)
    assert whole.findings == ()
    assert whole.value is not None
    names = [pod.name for pod in whole.value.pods]
    assert names
    assert len(set(names)) == len(names)
    for pod in whole.value.pods:
        assert pod.body["kind"] == "Pod"
        assert pod.body["spec"]["terminationGracePeriodSeconds"] > 0
        assert pod.body["metadata"]["namespace"] == whole.value.namespace
        assert pod.owner < len(whole.value.made)
    hostnames = {
        (pod.body["spec"].get("hostname") or pod.body["metadata"]["name"]) for pod in whole.value.pods
    }
    assert len(hostnames) == len(names)


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_a_rendered_run_is_sound_when_it_is_shrunk(scene_of: Set, run: Path) -> None:
    small = scene_of(run, nodes=2, procs=1)
    assert small.findings == ()
    assert small.value is not None
    kinds = {"MPIJob": 3, "RayJob": 8, "TFJob": 8}
    is_sweep = small.value.workload["spec"].get("completionMode") == "Indexed"
    assert len(small.value.pods) <= (16 if is_sweep else kinds.get(small.value.workload["kind"], 2))


def test_a_run_is_judged_for_its_own_cluster(scene_of: Set) -> None:
    """The cluster's Pod Security, its runtimes and its operators are asked, and what is rendered for it stands beside."""
    scene = scene_of(
        next(RENDERED.glob("aws-prod/job-nlp-llm-trainer")), cluster="aws-prod", nodes=2, procs=2
    )
    assert scene.findings == ()
    assert scene.value is not None
    assert [pod.name for pod in scene.value.pods] == ["node-0", "node-1"]
    claims = {claim["metadata"]["name"] for claim in scene.value.claims}
    assert {"corpus", "checkpoints"} <= claims
    assert "it does not wait in the queue nlp: it is admitted at once" in scene.value.notes
