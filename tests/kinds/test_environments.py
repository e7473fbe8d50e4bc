"""What a job says for clusters of an environment, and where else in the team's namespaces it may live."""

from pathlib import Path

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM, write_project
from stages.street import Files, bodies, compile_files, resolve

DEV = CLUSTER.replace("name: lab\n", "name: bench\nenvironment: dev\n")
PROD = CLUSTER.replace("name: lab\n", "name: lab\nenvironment: prod\n")
BOTH = TEAM.replace("[lab]", "[lab, bench]").replace(
    "clusters:\n", "clusters:\n  bench: {quota: {h100: 4, cpu: 4}}\n"
)


def files(job: str, team: str = BOTH) -> Files:
    return {
        **SMALL,
        "specs/clusters/lab.yaml": PROD,
        "specs/clusters/bench.yaml": DEV,
        "specs/teams/vision.yaml": team,
        "specs/jobs/vision/resnet.yaml": JOB + job,
    }


def cpu(job: str, cluster: str, team: str = BOTH) -> str:
    return resolve(files(job, team)).target(cluster=cluster).groups[0].requests["cpu"]


def digest(job: str, cluster: str) -> str:
    return resolve(files(job)).target(cluster=cluster).digest


def test_a_part_for_an_environment_holds_on_its_clusters_only() -> None:
    job = "cpu: '8'\nenvironments: {dev: {cpu: '2'}}\n"

    assert (cpu(job, "lab"), cpu(job, "bench")) == ("8", "2")


def test_a_clusters_own_part_wins_over_its_environments() -> None:
    job = "environments: {dev: {cpu: '2', memory: 1Gi}}\nclusters: {lab: {}, bench: {cpu: '3'}}\n"

    assert cpu(job, "bench") == "3"
    assert resolve(files(job)).target(cluster="bench").groups[0].requests["memory"] == "1Gi"


def test_a_teams_part_for_an_environment_gives_way_to_the_job() -> None:
    team = BOTH + "\n".join(["", ""])
    team = team.replace("defaults: {", "defaults: {environments: {dev: {cpu: '5'}}, cpu: '4', ")

    assert (cpu("", "lab", team), cpu("", "bench", team), cpu("cpu: '7'\n", "bench", team)) == ("4", "5", "7")


def test_a_part_for_another_environment_restarts_nothing() -> None:
    with_dev = "environments: {dev: {cpu: '2'}}\n"

    assert digest(with_dev, "lab") == digest("", "lab")
    assert digest(with_dev, "bench") != digest("", "bench")


def test_an_environment_that_no_cluster_is_suggests_the_nearest() -> None:
    resolved = resolve(files("environments: {prd: {cpu: '2'}}\n"))

    (finding,) = resolved.findings
    assert (finding.code, finding.summary) == ("unknown-value", 'no cluster has environment "prd"')
    assert finding.detail == 'did you mean "prod"?'


SPACES = TEAM.replace("volumes:\n", "namespaces: [vision-eval]\nvolumes:\n")


def in_space(job: str, team: str = SPACES) -> Files:
    return {**SMALL, "specs/teams/vision.yaml": team, "specs/jobs/vision/resnet.yaml": JOB + job}


def test_a_further_namespace_of_the_team_has_all_that_the_first_has() -> None:
    made = bodies(compile_files(in_space("")), ["team-vision"])

    def named(namespace: str) -> list[tuple[str, str]]:
        found = [each["metadata"] | {"kind": each["kind"]} for each in made]
        return sorted((each["kind"], each["name"]) for each in found if each.get("namespace") == namespace)

    assert named("vision-eval") == named("team-vision")
    (space,) = (
        each for each in made if each["kind"] == "Namespace" and each["metadata"]["name"] == "vision-eval"
    )
    assert space["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_a_job_lives_in_the_namespace_that_it_names_and_its_judges_agree(tmp_path: Path) -> None:
    project = write_project(tmp_path, in_space("namespace: vision-eval\ncheckpoint: {volume: checkpoints}\n"))

    done = project.run("render")

    assert done.code == 0, done.out
    (job,) = (text for path, text in project.read_tree("rendered").items() if "/job-resnet-" in path)
    assert "namespace: vision-eval" in job


@pytest.mark.parametrize(
    ("job", "summary"),
    [
        ("namespace: vision-evil\n", 'team "vision" has no namespace "vision-evil"'),
        ("namespace: kube-system\n", 'team "vision" has no namespace "kube-system"'),
    ],
)
def test_a_namespace_that_is_not_the_teams_is_refused(job: str, summary: str) -> None:
    assert [finding.summary for finding in resolve(in_space(job)).findings] == [summary]


def test_no_namespace_belongs_to_a_team_twice() -> None:
    twice = SPACES.replace("[vision-eval]", "[team-vision]")

    assert [finding.code for finding in resolve(in_space("", twice)).findings] == ["name-taken"]


def test_tags_are_for_people_and_start_no_new_run() -> None:
    plain, tagged = (resolve(files(job)).target() for job in ("", "tags: [cats, baseline]\n"))

    assert plain.run == tagged.run
    (job,) = (
        each for each in bodies(compile_files(files("tags: [cats, baseline]\n")), ["job-vision-resnet"])[:1]
    )
    assert job["metadata"]["annotations"]["trainshed.dev/tags"] == "cats, baseline"
