"""Which object is rehearsed, and what is said where that is not clear, or where nobody would run it."""

from collections.abc import Callable

import pytest

from trainshed.model.codes import Code
from trainshed.model.outcome import Outcome
from trainshed.model.selection import SelectionError
from trainshed.rehearse.scene import Scene

Set = Callable[..., Outcome[Scene]]

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: NAME, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: train, image: "train:1"}]
"""
STORE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: etcd, namespace: ml}
spec:
  replicas: 2
  selector: {matchLabels: {app: etcd}}
  template:
    metadata: {labels: {app: etcd}}
    spec: {containers: [{name: etcd, image: "etcd:3"}]}
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: {containers: [{name: train, image: 'train:1'}]}\n"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: PLACE}\ndata: {a: b}\n"


def job(name: str) -> str:
    return JOB.replace("NAME", name)


def test_the_one_that_ends_is_rehearsed_and_what_serves_is_said(scene_of_text: Set) -> None:
    scene = scene_of_text(f"{STORE}---\n{job('train')}").value
    assert scene is not None
    assert scene.kind == "batch/Job"
    assert scene.notes == ("Deployment ml/etcd is not run: only Job ml/train is rehearsed",)


def test_what_serves_is_rehearsed_where_nothing_ends(scene_of_text: Set) -> None:
    scene = scene_of_text(STORE).value
    assert scene is not None
    assert [pod.name for pod in scene.pods] == ["pod-0", "pod-1"]


def test_a_pod_is_its_own(scene_of_text: Set) -> None:
    scene = scene_of_text(POD).value
    assert scene is not None
    assert [(pod.name, pod.owner, pod.body["spec"]["restartPolicy"]) for pod in scene.pods] == [
        ("pod-0", -1, "Always")
    ]
    assert scene.namespace == "default"


def test_of_several_one_is_named(scene_of_text: Set) -> None:
    both = f"{job('one')}---\n{job('two')}"
    with pytest.raises(SelectionError, match="2 workloads: Job/one, Job/two; choose one of them with --name"):
        scene_of_text(both)
    for name in ("Job/two", "job/two", "two"):
        scene = scene_of_text(both, name=name).value
        assert scene is not None
        assert scene.workload["metadata"]["name"] == "two"


def test_a_wrong_name_suggests_the_nearest(scene_of_text: Set) -> None:
    with pytest.raises(SelectionError, match='no workload "Job/tarin"; did you mean "Job/train"'):
        scene_of_text(job("train"), name="Job/tarin")


def test_without_a_workload_the_kinds_are_said(scene_of_text: Set) -> None:
    with pytest.raises(
        SelectionError, match=r"no workload; one of CronJob, Deployment, .*RayJob.* can be rehearsed"
    ):
        scene_of_text(CONFIG.replace("NAME", "a"))


def test_only_what_is_in_the_namespace_is_found_there(scene_of_text: Set) -> None:
    near = CONFIG.replace("NAME", "near").replace("PLACE", "ml")
    far = CONFIG.replace("NAME", "far").replace("PLACE", "other")
    scene = scene_of_text(f"{near}---\n{far}---\n{job('train')}").value
    assert scene is not None
    assert [config["metadata"]["name"] for config in scene.config_maps] == ["near"]


def test_a_refusal_stands_at_the_line_of_the_manifest(scene_of_text: Set) -> None:
    scene = scene_of_text(job("train").replace("Never", "Sometimes"))
    assert scene.value is None
    (finding, *_) = scene.findings
    assert finding.code is Code.REFUSED_KUBERNETES
    assert (finding.source.path.name, finding.source.line) == ("given.yaml", 7)


def test_more_pods_than_can_run_are_said(scene_of_text: Set) -> None:
    many = job("train").replace("spec:\n  template", "spec:\n  parallelism: 1000\n  template")
    scene = scene_of_text(many)
    (finding,) = scene.findings
    assert finding.code is Code.UNJUDGED
    assert "1000 pods would be made of it, and at most 256 can be made one by one" in finding.detail
    assert scene_of_text(many, nodes=3).findings == ()


def test_a_file_that_cannot_be_read_is_a_finding(scene_of_text: Set) -> None:
    scene = scene_of_text("kind: [")
    assert scene.value is None
    assert scene.findings


@pytest.mark.parametrize(
    "spec",
    [
        "spec: 3",
        "spec: [1]",
        "spec: {template: [x], parallelism: many}",
        "spec: {completionMode: Indexed, completions: -1}",
    ],
)
def test_a_spec_of_another_shape_is_a_finding(scene_of_text: Set, spec: str) -> None:
    text = f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a, labels: [b]}}\n{spec}\n"
    scene = scene_of_text(text, nodes=2, procs=1)
    assert scene.value is None
    assert scene.findings
