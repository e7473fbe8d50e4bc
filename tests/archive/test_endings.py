"""Each kind says in its own words that it has ended: rows of status, as its operator's types spell them."""

from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from trainshed.model.backend import CARRIERS, Backend
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.model.endings import SIGNS, WHY_LIMIT, backend_of, one_line, read_ending, resource
from trainshed.model.families import LASTING
from trainshed.model.manifest import Origins
from trainshed.model.seal import Ending, Seal
from trainshed.model.source import Source

THEN = "2026-11-20T08:00:00Z"
LATER = "2026-11-20T09:30:00Z"
KUBEFLOW = (Backend.PYTORCHJOB, Backend.TFJOB, Backend.XGBOOSTJOB, Backend.PADDLEJOB, Backend.JAXJOB)
MPI = (Backend.MPIJOB, Backend.MPIJOB_V1)


def condition(
    word: str, status: str = "True", reason: str = "Because", time: str | None = THEN
) -> dict[str, Any]:
    return {
        "type": word,
        "status": status,
        "reason": reason,
        "message": "it is so",
        "lastTransitionTime": time,
    }


def conditions(*written: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"conditions": list(written), **more}


def read(kind: Backend, status: Any) -> Ending | Diagnostic | None:
    return read_ending(SIGNS[kind], status, Origins(Source(PurePosixPath("<stdin>"))))


def ended(state: Any, why: str = "Because: it is so", time: str = THEN) -> Ending:
    return Ending(state, time, why)


DONE = {
    Backend.JOB: "Complete",
    **dict.fromkeys(KUBEFLOW, "Succeeded"),
    Backend.TRAINJOB: "Complete",
    Backend.JOBSET: "Completed",
}


def test_every_kind_whose_runs_end_has_a_sign() -> None:
    assert set(SIGNS) == set(Backend) - LASTING


def test_the_page_of_lives_says_how_each_kind_ends() -> None:
    page = (Path(__file__).parents[2] / "docs" / "life.md").read_text("utf-8")
    rows = [line.split("|")[1:4] for line in page.splitlines() if line.startswith("|")]
    said = {name: (good, bad) for kinds, good, bad in rows for name in kinds.strip().split(", ")}
    for kind, sign in SIGNS.items():
        name = "Volcano Job" if kind is Backend.VOLCANOJOB else CARRIERS[kind].kind
        good, bad = said[name]
        assert sign.succeeded in good
        assert [word for word in sign.failed if f"`{word}`" not in bad] == []


@pytest.mark.parametrize(("kind", "word"), DONE.items())
def test_a_condition_that_is_true_says_how_it_ended(kind: Backend, word: str) -> None:
    assert read(kind, conditions(condition("Running", "False"), condition(word))) == ended("succeeded")
    assert read(kind, conditions(condition("Failed"))) == ended("failed")


@pytest.mark.parametrize("kind", DONE)
@pytest.mark.parametrize(
    "status",
    [
        None,
        {},
        {"conditions": None},
        conditions(),
        conditions(condition("Running")),
        conditions(condition("Restarting"), condition("Created")),
        conditions(condition("Suspended")),
        conditions(condition("Failed", "False")),
        conditions(condition("Failed", "Unknown")),
        conditions(condition("Failed", time=None)),
        conditions(condition("FailureTarget"), condition("SuccessCriteriaMet")),
    ],
)
def test_what_waits_runs_or_is_about_to_end_has_not_ended(kind: Backend, status: Any) -> None:
    assert read(kind, status) is None


@pytest.mark.parametrize("kind", DONE)
def test_no_kind_takes_the_words_of_another(kind: Backend) -> None:
    others = {"Complete", "Completed", "Succeeded", "Finished"} - {DONE[kind]}
    assert read(kind, conditions(*(condition(word) for word in sorted(others)))) is None


@pytest.mark.parametrize("kind", DONE)
def test_of_success_and_failure_the_failure_counts(kind: Backend) -> None:
    both = conditions(condition(DONE[kind], time=LATER), condition("Failed"))
    assert read(kind, both) == ended("failed")


@pytest.mark.parametrize("kind", MPI)
def test_an_mpi_job_is_over_once_it_has_a_completion_time(kind: Backend) -> None:
    evicted = condition("Failed", reason="MPIJobEvicted")
    assert read(kind, conditions(evicted)) is None
    assert read(kind, conditions(evicted, completionTime=LATER)) == ended(
        "failed", "MPIJobEvicted: it is so", LATER
    )
    assert read(kind, conditions(condition("Succeeded"), completionTime=LATER)) == ended(
        "succeeded", time=LATER
    )


def test_a_train_job_that_waits_for_its_runtime_has_not_ended() -> None:
    assert (
        read(Backend.TRAINJOB, conditions(condition("Failed", reason="TrainingRuntimeNotSupported"))) is None
    )
    late = conditions(condition("Failed", reason="DeadlineExceeded"))
    assert read(Backend.TRAINJOB, late) == ended("failed", "DeadlineExceeded: it is so")


@pytest.mark.parametrize(
    ("deployment", "job", "expected"),
    [
        ("Complete", "SUCCEEDED", "succeeded"),
        ("Complete", "STOPPED", "failed"),
        ("Complete", "", "failed"),
        ("Failed", "FAILED", "failed"),
        ("Failed", "SUCCEEDED", "failed"),
        ("Running", "SUCCEEDED", None),
        ("Retrying", "FAILED", None),
        ("Suspended", "", None),
        ("Waiting", "", None),
        ("", "", None),
    ],
)
def test_a_ray_job_ends_with_its_deployment_and_succeeds_with_its_job(
    deployment: str, job: str, expected: str | None
) -> None:
    status = {"jobDeploymentStatus": deployment, "jobStatus": job, "endTime": LATER, "message": "so"}
    assert read(Backend.RAYJOB, status) == (expected and ended(expected, "so", LATER))
    assert read(Backend.RAYJOB, status | {"endTime": None}) is None


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        ("Completed", "succeeded"),
        ("Failed", "failed"),
        ("Terminated", "failed"),
        *((phase, None) for phase in ("Pending", "Running", "Restarting", "Completing", "Terminating")),
        *((phase, None) for phase in ("Aborting", "Aborted")),
    ],
)
def test_a_volcano_job_ends_with_its_phase_and_may_be_resumed_when_aborted(
    phase: str, expected: str | None
) -> None:
    status = {"state": {"phase": phase, "lastTransitionTime": LATER}}
    assert read(Backend.VOLCANOJOB, status) == (expected and ended(expected, phase, LATER))


@pytest.mark.parametrize(
    ("kind", "status", "field"),
    [
        (Backend.JOB, "Complete", ""),
        (Backend.JOB, ["Complete"], ""),
        (Backend.JOB, {"conditions": {"Complete": "True"}}, "conditions"),
        (Backend.JOB, {"conditions": "Complete"}, "conditions"),
        (Backend.JOB, {"conditions": ["Complete"]}, "conditions"),
        (Backend.JOB, conditions(condition("Complete") | {"type": ["Complete"]}), "type"),
        (Backend.JOB, conditions(condition("Complete") | {"status": True}), "status"),
        (Backend.JOB, conditions(condition("Complete") | {"message": {}}), "message"),
        (Backend.JOB, conditions(condition("Complete") | {"lastTransitionTime": 5}), "lastTransitionTime"),
        (Backend.JOB, conditions(condition("Complete", time="yesterday")), "conditions.lastTransitionTime"),
        (
            Backend.JOB,
            conditions(condition("Complete", time="2026-13-41T08:00:00Z")),
            "conditions.lastTransitionTime",
        ),
        (Backend.JOB, conditions(condition("Complete", time="2026-11-20")), "conditions.lastTransitionTime"),
        (Backend.MPIJOB, conditions(condition("Failed"), completionTime="soon"), "completionTime"),
        (Backend.RAYJOB, {"jobDeploymentStatus": 1}, "jobDeploymentStatus"),
        (Backend.RAYJOB, {"jobDeploymentStatus": "Failed", "endTime": "soon"}, "endTime"),
        (Backend.VOLCANOJOB, {"state": "Completed"}, "state"),
        (Backend.VOLCANOJOB, {"state": [{"phase": "Completed"}]}, "state"),
    ],
)
def test_a_status_of_another_shape_is_a_finding_that_quotes_nothing_of_it(
    kind: Backend, status: Any, field: str
) -> None:
    finding = read(kind, status)
    assert isinstance(finding, Diagnostic)
    assert finding.code is Code.WRONG_TYPE
    assert finding.summary.split(" is not ")[0] == f"status.{field}".rstrip(".")


def test_words_of_a_controller_become_one_bounded_line_that_can_be_seen() -> None:
    assert one_line("Pod failed:\n\texit \x1b[31m1\u202e  ") == "Pod failed: exit [31m1"
    long = one_line("ab " * WHY_LIMIT)
    assert len(long) == WHY_LIMIT
    assert long.endswith("…")


@pytest.mark.parametrize(
    ("kind", "releases", "carrier"),
    [
        ("Job", {"kueue": "v0.19.2"}, Backend.JOB),
        ("Job", {"volcano": "v1.15.1"}, Backend.VOLCANOJOB),
        ("MPIJob", {"mpi-operator": "v0.8.2"}, Backend.MPIJOB),
        ("MPIJob", {"training-operator": "v1.9.4"}, Backend.MPIJOB_V1),
        ("Deployment", {}, None),
    ],
)
def test_two_kinds_of_one_name_are_told_apart_by_their_operator(
    kind: str, releases: dict[str, str], carrier: Backend | None
) -> None:
    seal = Seal("t", "j", "c", "j-1", kind, 1, "d", 1, "l", "x", {}, releases=releases)
    assert backend_of(seal) == carrier


def test_kubectl_is_asked_for_resources_with_their_group() -> None:
    assert [resource(kind) for kind in (Backend.JOB, Backend.VOLCANOJOB, Backend.TRAINJOB)] == [
        "jobs.batch",
        "jobs.batch.volcano.sh",
        "trainjobs.trainer.kubeflow.org",
    ]
