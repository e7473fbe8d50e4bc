"""A CronJob: a Job that runs by itself. Facts F.4, D.1; scenario B8."""

import pytest
from kinds.batch import render, said, variables
from repositories import JOB

WEEKLY = JOB + "schedule: {cron: '0 2 * * 0', timeZone: Etc/UTC, overlap: forbid, keep: 3}\n"
SAVING = WEEKLY + "checkpoint: {volume: checkpoints}\n"
RESUMING = SAVING.replace("keep: 3", "keep: 3, resumePrevious: true")


def test_the_weekly_retraining_of_the_fraud_model() -> None:
    cron = render(WEEKLY + "deadline: 12h\nrestarts: 1\n", "CronJob")
    assert cron["metadata"]["name"] == "resnet"
    spec = cron["spec"]
    assert (spec["schedule"], spec["timeZone"], spec["concurrencyPolicy"]) == (
        "0 2 * * 0",
        "Etc/UTC",
        "Forbid",
    )
    assert (spec["successfulJobsHistoryLimit"], spec["failedJobsHistoryLimit"]) == (3, 3)
    job = spec["jobTemplate"]["spec"]
    assert (job["activeDeadlineSeconds"], job["backoffLimit"]) == (43200, 1)


def test_what_kueue_reads_is_on_the_jobs_and_not_on_the_schedule() -> None:
    cron = render(WEEKLY + "nodes: {min: 2, max: 4}\n", "CronJob")
    metadata = cron["spec"]["jobTemplate"]["metadata"]
    assert metadata["labels"]["kueue.x-k8s.io/queue-name"] == "vision"
    assert metadata["annotations"] == {"kueue.x-k8s.io/job-min-parallelism": "2"}
    assert "kueue.x-k8s.io" not in str(cron["metadata"])


def test_each_firing_saves_in_a_directory_of_its_own() -> None:
    env = variables(render(SAVING, "CronJob")["spec"]["jobTemplate"]["spec"]["template"])
    assert env["TRAINSHED_FIRING"] == "metadata.labels['batch.kubernetes.io/job-name']"
    assert env["TRAINSHED_CHECKPOINT_DIR"].endswith("/$(TRAINSHED_FIRING)")


def test_firings_that_resume_share_one_directory() -> None:
    env = variables(render(RESUMING, "CronJob")["spec"]["jobTemplate"]["spec"]["template"])
    assert "$(" not in env["TRAINSHED_CHECKPOINT_DIR"]
    assert env["TRAINSHED_FIRING"], "the code still has to know which firing it is"


@pytest.mark.parametrize(
    ("job", "finding"),
    [
        (RESUMING.replace("checkpoint: {volume: checkpoints}\n", ""), "missing-field: firings go on"),
        (
            RESUMING.replace("checkpoints}", "checkpoints, resume: never}"),
            "conflicting-choice: firings go on",
        ),
        (RESUMING.replace("forbid", "allow"), "conflicting-choice: firings that run at once"),
    ],
)
def test_firings_cannot_resume_from_what_is_not_there_or_is_written_by_two(job: str, finding: str) -> None:
    (found,) = said(job)
    assert found.startswith("specs/jobs/vision/resnet.yaml:7:")
    assert finding in found


def test_several_nodes_that_talk_to_each_other_are_refused_with_a_way_out() -> None:
    (found,) = said(WEEKLY + "framework: pytorch\nnodes: 2\n")
    assert "backend-cannot: a CronJob runs framework pytorch on one node" in found


def test_a_stopped_schedule_is_not_there() -> None:
    with pytest.raises(ValueError, match="not enough values"):
        render(WEEKLY + "state: stopped\n", "CronJob")


def test_names_leave_room_for_the_firing_and_the_highest_index() -> None:
    (found,) = said(WEEKLY.replace("name: resnet", f"name: {'r' * 51}") + "nodes: 4\n")
    assert "name-too-long" in found
    assert "takes 50" in found, "52 less -3"
