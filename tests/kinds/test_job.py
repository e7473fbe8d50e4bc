"""A Job: one node, or workers that do not talk to each other. Facts F.3, D.1; scenarios C8, D8."""

from pathlib import Path

import pytest
from kinds.batch import APP, HEAD, NO_QUEUE, files, kinds, render, said, variables
from repositories import JOB, write_project
from stages import street

WORKERS = JOB + "nodes: 4\n"
BOOSTERS = WORKERS + "framework: lightgbm\n"
OPTUNA = HEAD + "run: {command: [optuna, study]}\nnodes: 4\n"
CLAIM = JOB + "data: {in: {mountPath: /in, create: {storage: shared, size: 1Ti}}}\n"


@pytest.mark.parametrize("job", [WORKERS, BOOSTERS, OPTUNA])
def test_workers_that_do_not_talk_are_told_apart_by_their_index(job: str) -> None:
    spec = render(job, "Job")["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 4, 4)
    assert "JOB_COMPLETION_INDEX" in variables(spec["template"])


def test_workers_need_neither_a_queue_nor_a_network_between_them() -> None:
    assert kinds(WORKERS, NO_QUEUE) == ["Job"]


def test_each_worker_has_the_restarts_for_itself_and_the_first_without_any_ends_the_job() -> None:
    spec = render(WORKERS + "restarts: 2\n", "Job")["spec"]
    assert (spec["backoffLimitPerIndex"], spec["maxFailedIndexes"]) == (2, 0)
    assert "backoffLimit" not in spec


def test_each_worker_saves_in_a_directory_of_its_own() -> None:
    template = render(WORKERS + "checkpoint: {volume: checkpoints}\n", "Job")["spec"]["template"]
    assert variables(template)["TRAINSHED_CHECKPOINT_DIR"].endswith("/$(JOB_COMPLETION_INDEX)")


def test_one_node_has_no_index_and_counts_its_failed_pods() -> None:
    spec = render(JOB + "restarts: 2\ncheckpoint: {volume: checkpoints}\n", "Job")["spec"]
    assert spec["backoffLimit"] == 2
    assert not {"completionMode", "completions", "parallelism", "backoffLimitPerIndex"} & spec.keys()
    assert "JOB_COMPLETION_INDEX" not in str(spec)


def test_a_queue_without_room_may_start_fewer_workers_and_every_index_still_runs() -> None:
    job = render(JOB + "nodes: {min: 2, max: 4}\n", "Job")
    assert job["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"] == "2"
    assert (job["spec"]["completions"], job["spec"]["parallelism"]) == (4, 4)


def test_without_a_queue_a_job_does_not_start_with_fewer_workers() -> None:
    (found,) = said(JOB + "nodes: {min: 2, max: 4}\n", NO_QUEUE)
    assert "backend-cannot: a Job cannot go on with fewer nodes than it starts with" in found


def test_codes_that_are_worth_another_try_make_all_others_fatal_but_not_a_disruption() -> None:
    rules = render(JOB + "restarts: 3\nretryOn: [75, 14]\n", "Job")["spec"]["podFailurePolicy"]["rules"]
    assert [rule["action"] for rule in rules] == ["Ignore", "FailJob"]
    assert rules[0]["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]
    assert rules[1]["onExitCodes"] == {"containerName": "train", "operator": "NotIn", "values": [14, 75]}


def test_codes_to_retry_beside_codes_that_are_fatal_are_refused() -> None:
    (found,) = said(JOB + "failOn: [3]\nretryOn: [75]\n")
    assert found.startswith("specs/jobs/vision/resnet.yaml:8:")
    assert "conflicting-choice: retryOn makes every other code fatal" in found


@pytest.mark.parametrize(
    ("wish", "finding"),
    [
        ("successWhen: any\n", "this job has one pod"),
        ("successWhen: {role: chief}\n", "the pods of a Job have no roles"),
        ("startupTimeout: 10m\n", "a Job cannot honour startupTimeout"),
        ("keepFailedFor: 1h\n", "a Job cannot honour keepFailedFor"),
        ("autoscaler: {upscaling: aggressive}\n", "a Job cannot honour autoscaler"),
    ],
)
def test_a_job_refuses_what_it_has_no_way_to_do(wish: str, finding: str) -> None:
    (found,) = said(JOB + wish)
    assert found.startswith("specs/jobs/vision/resnet.yaml:7:")
    assert f"backend-cannot: {finding}" in found


def test_one_of_several_workers_may_be_enough_and_then_none_of_them_ends_the_job_by_failing() -> None:
    spec = render(WORKERS + "successWhen: any\n", "Job")["spec"]
    assert spec["successPolicy"] == {"rules": [{"succeededCount": 1}]}
    assert "maxFailedIndexes" not in spec


def test_a_stopped_job_leaves_nothing_behind_not_even_its_application() -> None:
    stopped = street.compile_files(files(JOB + "state: stopped\n"))
    assert APP not in [app.identity.app for app in stopped.apps]
    names = [body["metadata"]["name"] for body in street.bodies(stopped)]
    assert not [name for name in names if "job-vision-resnet" in name]


def test_a_stopped_job_keeps_its_own_claims() -> None:
    assert kinds(CLAIM) == ["Job", "PersistentVolumeClaim"]
    assert kinds(CLAIM + "state: stopped\n") == ["PersistentVolumeClaim"]


def test_a_job_that_is_stopped_and_started_again_is_the_same_run() -> None:
    runs = {
        street.plan(files(job)).targets[0].run
        for job in (JOB, JOB + "state: stopped\n", JOB + "state: running\n")
    }
    assert len(runs) == 1


def test_a_job_can_be_stopped_on_one_cluster() -> None:
    job = JOB + "clusters: {lab: {state: stopped}}\n"
    assert street.plan(files(job)).targets[0].stopped


def test_the_real_command_renders_and_checks_a_stopped_job(tmp_path: Path) -> None:
    project = write_project(tmp_path, files(JOB))
    assert project.run("render").code == 0
    assert any("/job-vision-resnet/" in path for path in project.read_tree("rendered"))
    project.write(files(JOB + "state: stopped\n"))
    assert project.run("render").code == 0
    left = [path for path in project.read_tree("rendered", "overlays") if "job-vision-resnet" in path]
    assert [path.rpartition("/")[0] for path in left] == ["overlays/job-vision-resnet/lab/seals"]
    checked = project.run("check")
    assert checked.code == 0, checked.out + checked.err
    assert project.run("show", "resnet").code == 0
