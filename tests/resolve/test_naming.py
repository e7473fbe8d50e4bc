"""Names, and the room that controllers need behind them."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from properties.leaf_rows import lay
from properties.leaf_specs import BACKENDS, FOLDERS, QUOTA, SPECS, nearby
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages.street import Files, resolve

from trainshed.model.backend import Backend
from trainshed.model.naming import name_budget, run_name

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
GROWN = CLUSTER.replace("nodes: 4", "nodes: 100000")
RICH = TEAM.replace("{quota: {h100: 4, cpu: 4}}", "{quota: {h100: 100000, cpu: 100000}}")

jobs = st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
roles = st.from_regex(r"[a-z]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
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


SEVERAL = st.integers(1, 100_000)
SOME = st.integers(1, 999)
PODS: Mapping[Backend, st.SearchStrategy[dict[str, int]]] = {
    Backend.JOB: st.fixed_dictionaries({"node": SEVERAL}),
    Backend.CRONJOB: st.fixed_dictionaries({"node": SEVERAL}),
    Backend.PYTORCHJOB: st.fixed_dictionaries({"worker": SEVERAL}, optional={"master": st.just(1)}),
    Backend.TFJOB: st.dictionaries(
        st.sampled_from(["chief", "worker", "ps", "evaluator"]), SEVERAL, min_size=1
    ),
    Backend.XGBOOSTJOB: st.fixed_dictionaries({"master": st.just(1), "worker": SEVERAL}),
    Backend.PADDLEJOB: st.fixed_dictionaries({"worker": SEVERAL}, optional={"master": SOME}),
    Backend.JAXJOB: st.fixed_dictionaries({"worker": SEVERAL}),
    Backend.MPIJOB: st.fixed_dictionaries({"launcher": st.just(1), "worker": SEVERAL}),
    Backend.MPIJOB_V1: st.fixed_dictionaries({"launcher": st.just(1), "worker": SEVERAL}),
    Backend.RAYJOB: st.fixed_dictionaries({"head": st.just(1), "worker": SEVERAL}),
    Backend.RAYCLUSTER: st.fixed_dictionaries({"head": st.just(1), "worker": SEVERAL}),
    Backend.VOLCANOJOB: st.dictionaries(roles, SEVERAL, min_size=1, max_size=3),
    Backend.TRAINJOB: st.fixed_dictionaries({"node": SEVERAL}),
    Backend.JOBSET: st.dictionaries(roles, SEVERAL, min_size=1, max_size=3),
}
"""The pods that a run of each kind may have, by role."""


def derived(backend: Backend, run: str, pods: Mapping[str, int]) -> list[str]:
    """The names that controllers make of a run's (facts: the operators' own naming), each a DNS label.

    Kubernetes cuts a pod's name to fit where it appends random characters to a Job's, but not an index, and JobSet
    and the MPI Operator count those characters in.
    """
    indexed = [f"-{number - 1}" if number > 1 else "" for number in pods.values()]
    by_role = [f"{run}-{role}-{index}" for role, number in pods.items() for index in {0, number - 1}]
    return {
        Backend.JOB: [run, *(run + index for index in indexed)],
        Backend.CRONJOB: [f"{run}-1234567890{index}" for index in indexed],
        Backend.MPIJOB: [*(name for name in by_role if "-launcher-" not in name), f"{run}-launcher-abcde"],
        Backend.RAYJOB: [f"{run}-abcde-head-svc"],
        Backend.RAYCLUSTER: [f"{run}-head-svc"],
        Backend.TRAINJOB: [f"{run}-{role}-0-{number - 1}-abcde" for role, number in pods.items()],
        Backend.JOBSET: [f"{run}-{role}-0-{number - 1}-abcde" for role, number in pods.items()],
    }.get(backend, by_role)


REFUSED_ABOVE = {Backend.RAYJOB: 47, Backend.RAYCLUSTER: 53}
"""KubeRay counts the name itself, and leaves more room than it needs."""


@pytest.mark.parametrize("backend", Backend)
@settings(deadline=None)
@given(st.data())
def test_every_name_that_controllers_derive_is_a_label_and_one_character_more_is_none(
    backend: Backend, data: st.DataObject
) -> None:
    pods = data.draw(PODS[backend])
    budget = name_budget(backend, pods)
    assume(budget > 0)
    assert all(LABEL.fullmatch(name) for name in derived(backend, "a" * budget, pods))
    if backend in REFUSED_ABOVE:
        assert budget == REFUSED_ABOVE[backend]
    else:
        assert any(LABEL.fullmatch(name) is None for name in derived(backend, "a" * (budget + 1), pods))


def sized(backend: str, pods: int) -> dict[str, Any]:
    """A job of the kind with so many pods in its largest part."""
    wish = dict(BACKENDS[backend])
    if "sweep" in wish:
        return wish | {"sweep": {"grid": {"lr": list(range(pods))}}}
    if "roles" in wish:
        return wish | {"roles": {"reader": {}, "worker": {"nodes": pods}}}
    if "nodes" not in wish:
        return wish
    fewest = 1 if wish["nodes"]["min"] < wish["nodes"]["max"] else pods
    return wish | {"nodes": {"min": fewest, "max": pods}}


def carried(name: str, wish: Mapping[str, Any]) -> Files:
    """A job on clusters that carry every kind, with room for it."""
    files: dict[str, str] = {}
    for spec in nearby(SPECS, wish.get("clusters", ["lab"])).values():
        if spec["kind"] == "Cluster":
            spec = lay(spec, {"pools": {pool: {"nodes": 100_000} for pool in spec["pools"]}})
        elif spec["kind"] == "Team":
            full = {pool: {"nodes": 50_000} for pool in QUOTA}
            spec = lay(spec, {"clusters": {cluster: {"quota": full} for cluster in spec["clusters"]}})
        elif spec["kind"] == "TrainingJob":
            spec = {**spec, **wish, "name": name}
        files[f"specs/{FOLDERS[spec['kind']]}/{spec['name']}.yaml"] = json.dumps(spec)
    return files


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=4, deadline=None)
@given(st.integers(2, 300))
def test_a_run_of_any_kind_is_refused_for_the_first_character_too_many(backend: str, pods: int) -> None:
    wish = sized(backend, pods)
    (cluster,) = wish.get("clusters", ["lab"])
    target = resolve(carried("a", wish)).target("a", cluster)
    counted = {role.name: target.indexes or role.pods for role in target.roles}
    longest = name_budget(target.backend, counted) - len(target.run.removeprefix("a"))
    assert codes(carried("a" * longest, wish)) == []
    assert codes(carried("a" * (longest + 1), wish)) == ["name-too-long"]


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
