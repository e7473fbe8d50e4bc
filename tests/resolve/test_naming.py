"""Names, and the room that controllers need behind them."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages.street import Files, resolve

from trainshed.model.backend import Backend
from trainshed.model.naming import name_budget, run_name

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
GROWN = CLUSTER.replace("nodes: 4", "nodes: 100000")
RICH = TEAM.replace("{quota: {h100: 4, cpu: 4}}", "{quota: {h100: 100000, cpu: 100000}}")

jobs = st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
digests = st.from_regex(r"[0-9a-f]{64}", fullmatch=True)


def named(name: str, more: str = "", *, grown: bool = False) -> Files:
    files = {**SMALL, "specs/jobs/vision/resnet.yaml": JOB.replace("resnet", name) + more}
    return {**files, "specs/clusters/lab.yaml": GROWN, "specs/teams/vision.yaml": RICH} if grown else files


def codes(files: Files) -> list[str]:
    return [finding.code for finding in resolve(files).findings if finding.severity == "error"]


@settings(deadline=None)
@given(jobs, digests, st.integers(1, 999))
def test_a_run_is_named_after_its_job_its_digest_and_its_attempt(job: str, digest: str, attempt: int) -> None:
    name = run_name(job, digest, attempt)
    assert name == f"{job}-{digest[:8]}" + (f"-{attempt}" if attempt > 1 else "")
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name)


@settings(deadline=None)
@given(st.integers(1, 100_000))
def test_every_pod_of_a_pytorchjob_within_budget_is_a_dns_label(workers: int) -> None:
    longest = "a" * name_budget(Backend.PYTORCHJOB, {"master": 1, "worker": workers})
    pods = [f"{longest}-master-0", f"{longest}-worker-0", f"{longest}-worker-{workers - 1}"]
    assert all(LABEL.fullmatch(pod) for pod in pods)
    assert LABEL.fullmatch(f"a{longest}-worker-{workers - 1}") is None


@pytest.mark.parametrize(
    ("more", "budget"),
    [
        ("", 63),
        ("attempt: 12\n", 63 - 3),
        ("framework: ray\n", 47),
        ("framework: pytorch\nnodes: 2\n", 63 - len("-worker-0")),
        ("framework: pytorch\nnodes: 11\n", 63 - len("-worker-9")),
        ("framework: pytorch\nnodes: 12\n", 63 - len("-worker-10")),
        ("framework: pytorch\nnodes: {min: 1, max: 11}\n", 63 - len("-worker-10")),
        ("framework: pytorch\nnodes: {min: 1, max: 1001}\n", 63 - len("-worker-1000")),
    ],
)
def test_a_name_is_refused_when_it_leaves_one_character_too_little(more: str, budget: int) -> None:
    longest = "a" * (budget - len("-01234567"))
    assert codes(named(longest, more, grown=True)) == []
    assert codes(named(f"{longest}a", more, grown=True)) == ["name-too-long"]


def test_a_schedule_has_no_digest_in_its_name() -> None:
    more = 'schedule: "0 2 * * 0"\n'
    assert resolve(named("nightly", more)).target("nightly").run == "nightly"
    assert codes(named("a" * 52, more)) == []
    assert codes(named("a" * 53, more)) == ["name-too-long"]


def test_the_finding_says_by_how_much() -> None:
    (finding,) = resolve(named("a" * 57)).findings
    assert finding.detail.endswith("by 3")
    assert str(finding.source) == "specs/jobs/vision/resnet.yaml:3:7"


@settings(max_examples=20, deadline=None)
@given(
    st.integers(30, 63),
    st.sampled_from(["", "framework: ray\n", 'schedule: "@daily"\n'.replace("@daily", "0 2 * * *")])
    | st.integers(2, 2000).map(lambda nodes: f"framework: pytorch\nnodes: {nodes}\n")
    | st.integers(2, 2000).map(lambda nodes: f"framework: pytorch\nnodes: {{min: 1, max: {nodes}}}\n"),
)
def test_what_is_accepted_gives_dns_labels_only(length: int, more: str) -> None:
    files = named("a" * length, more, grown=True)
    if codes(files):
        assert codes(files) == ["name-too-long"]
        return
    target = resolve(files).target("a" * length)
    appended = {
        "Job": "",
        "CronJob": "-12345678901"[:11],
        "RayJob": "-head-svc-abcde1"[:16],
        "PyTorchJob": f"-worker-{target.max_pods - 1 - (not target.is_elastic)}",
    }[target.backend.kind]
    assert LABEL.fullmatch(target.run + appended)


@pytest.mark.parametrize(("length", "expected"), [(58, []), (59, ["name-too-long"])])
def test_a_team_whose_namespace_would_be_too_long_is_refused(length: int, expected: list[str]) -> None:
    team = "a" * length
    files = {path: text.replace("vision", team) for path, text in SMALL.items()}
    assert codes(files) == expected


def test_a_team_with_a_long_name_can_say_a_shorter_namespace() -> None:
    team = "a" * 63
    files = {path: text.replace("vision", team) for path, text in SMALL.items()}
    files["specs/teams/vision.yaml"] += "namespace: short\n"
    assert codes(files) == []
