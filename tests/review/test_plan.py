"""`trainshed plan` where Kueue counts: sums, ceilings, GPU hours, and what becomes of each run."""

from pathlib import Path

import pytest
from load.test_git_base import git
from repositories import Project, write_project
from review.asking import (
    RESNET,
    SHARED,
    branch,
    cluster,
    gpus,
    job,
    level,
    plan,
    render,
    run_of,
    specs,
    team,
)


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Vision has 16 GPUs of its own and may borrow 8 of nlp's 16; its run resnet asks for 8."""
    made = write_project(tmp_path_factory.mktemp("merged"), specs(*SHARED, RESNET))
    render(made)
    return made


def test_eight_gpus_become_twenty_four_of_which_eight_are_borrowed(merged: Project, tmp_path: Path) -> None:
    said = plan(branch(merged, tmp_path, job("resnet", "vision", gpus(3))))
    h100 = level(said, "vision", "h100")
    assert (h100["cohort"], h100["accelerator"], h100["unit"], h100["isOver"]) == (
        "all",
        "h100",
        "GPUs",
        False,
    )
    assert h100["before"] == {
        "least": 8,
        "most": 8,
        "nominal": 16,
        "ceiling": 24,
        "gpuHours": 16,  # eight for two hours
        "runsWithoutEnd": 0,
    }
    assert (h100["after"]["most"], h100["after"]["gpuHours"]) == (24, 48)
    run = run_of(said, "resnet")
    assert (run["turn"], run["outlook"], run["gpuHours"]) == ("restarts", "borrows", 48)
    assert run["previousName"] != run["name"]
    assert run["sentence"] == "fits only by borrowing 8 GPUs of cohort all"
    assert said["headline"] == "1 run restarts; 16 GPUs more; 1 run fits only by borrowing"


def test_what_fits_the_own_quota_is_said_so_and_what_stays_is_not_listed(
    merged: Project, tmp_path: Path
) -> None:
    said = plan(branch(merged, tmp_path, job("new", "vision", gpus(1))))
    assert [(run["job"], run["turn"], run["sentence"]) for run in said["runs"]] == [
        ("new", "starts", "fits the queue's own quota")
    ]
    assert level(said, "nlp", "h100")["isChanged"] is False


def test_who_comes_last_waits_for_the_teams_other_runs(merged: Project, tmp_path: Path) -> None:
    said = plan(branch(merged, tmp_path, job("more", "vision", gpus(2)), job("yet-more", "vision", gpus(1))))
    assert run_of(said, "more")["sentence"] == "fits only by borrowing 8 GPUs of cohort all"
    run = run_of(said, "yet-more")
    assert (run["outlook"], run["sentence"]) == (
        "waits",
        "waits: 8 GPUs asked for, 0 free in queue vision in h100; the team's other runs hold 24 of 24",
    )
    h100 = level(said, "vision", "h100")
    assert (h100["after"]["most"], h100["isOver"]) == (32, True)


def test_what_another_team_uses_cannot_be_borrowed(merged: Project, tmp_path: Path) -> None:
    said = plan(branch(merged, tmp_path, job("bert", "nlp", gpus(2)), job("resnet", "vision", gpus(3))))
    assert run_of(said, "bert")["outlook"] == "fits"
    assert run_of(said, "resnet")["sentence"] == (
        "waits: 24 GPUs asked for, 16 free in queue vision in h100; the team's other runs hold 0 of 24,"
        " others in cohort all the rest"
    )


def test_a_cut_quota_affects_a_run_that_nobody_touched(merged: Project, tmp_path: Path) -> None:
    said = plan(branch(merged, tmp_path, team("vision", "{h100: {gpus: 4, borrow: 8}, cpu: 2}")))
    run = run_of(said, "resnet")
    assert (run["turn"], run["sentence"]) == ("affected", "fits only by borrowing 4 GPUs of cohort all")
    h100 = level(said, "vision", "h100")
    assert [(h100[side]["nominal"], h100[side]["ceiling"]) for side in ("before", "after")] == [
        (16, 24),
        (4, 12),
    ]
    assert said["headline"] == "1 run fits only by borrowing"


def test_the_second_flavor_takes_what_the_first_has_no_room_for(tmp_path: Path) -> None:
    pools = (
        "  slow: {machine: onprem/dgx-h100, nodes: 1, labels: {pool: slow}}\n"
        "  fast: {machine: onprem/dgx-h100, nodes: 2, labels: {pool: fast}}\n"
        "  cpu: {machine: onprem/cpu-64, nodes: 4, labels: {pool: cpu}}\n"
    )
    runs = (job(name, "vision", gpus(1)) for name in ("a", "b", "c"))
    made = write_project(
        tmp_path, specs(cluster(pools, cohort=""), team("vision", "{slow: 1, fast: 2, cpu: 2}"), *runs)
    )
    said = plan(made)
    assert level(said, "vision", "slow")["after"]["most"] == 8
    assert level(said, "vision", "fast")["after"]["most"] == 16
    assert {run["outlook"] for run in said["runs"]} == {"fits"}


def test_an_elastic_run_asks_for_a_range(merged: Project, tmp_path: Path) -> None:
    size = "nodes: {min: 1, max: 2}\ngpus: {type: h100, perNode: 8}"
    saved = "deadline: 1h\ncheckpoint: {volume: checkpoints, every: 10m}\n"
    said = plan(branch(merged, tmp_path, job("elastic", "vision", size, saved)))
    after = level(said, "vision", "h100")["after"]
    assert (after["least"], after["most"], after["gpuHours"]) == (16, 24, 32)  # resnet asks for eight
    (share,) = [one for one in run_of(said, "elastic")["after"] if one["resource"] == "nvidia.com/gpu"]
    assert (share["least"], share["most"]) == (8, 16)


def test_a_stopped_run_gives_its_gpus_back(merged: Project, tmp_path: Path) -> None:
    said = plan(branch(merged, tmp_path, RESNET + "state: stopped\n"))
    run = run_of(said, "resnet")
    assert (run["turn"], run["outlook"], run["after"]) == ("ends", "ends", [])
    assert level(said, "vision", "h100")["after"]["most"] == 0
    assert said["headline"] == "1 run ends; 8 GPUs less"


def test_nothing_ends_a_run_without_a_deadline(merged: Project, tmp_path: Path) -> None:
    said = plan(branch(merged, tmp_path, job("endless", "vision", gpus(1), "")))
    after = level(said, "vision", "h100")["after"]
    assert (after["gpuHours"], after["runsWithoutEnd"]) == (16, 1)
    assert run_of(said, "endless")["gpuHours"] is None


def test_a_run_without_gpus_asks_for_cpus_and_memory(merged: Project, tmp_path: Path) -> None:
    said = plan(branch(merged, tmp_path, job("boost", "vision", "cpu: 16\nmemory: 64Gi")))
    assert level(said, "vision", "cpu", "cpu")["after"]["most"] == 16
    assert level(said, "vision", "cpu", "memory")["after"]["most"] == 64 * 2**30
    assert run_of(said, "boost")["gpuHours"] == 0


def test_a_schedule_asks_for_what_its_job_does_unless_it_is_paused(merged: Project, tmp_path: Path) -> None:
    def weekly(name: str, more: str = "") -> str:
        times = f"deadline: 2h\nschedule: {{cron: '0 2 * * 0', timeZone: Etc/UTC{more}}}\n"
        return job(name, "vision", "gpus: {type: h100, perNode: 8}", times)

    said = plan(branch(merged, tmp_path, weekly("weekly"), weekly("never", ", paused: true")))
    (run,) = said["runs"]
    assert (run["kind"], run["queue"], run["outlook"], run["gpuHours"]) == ("CronJob", "vision", "fits", 16)


def test_more_than_the_queue_can_ever_give_is_never_admitted(merged: Project, tmp_path: Path) -> None:
    patch = (
        "deadline: 2h\npatches:\n- target: {kind: PyTorchJob}\n  json6902:\n"
        "  - {op: replace, path: /spec/pytorchReplicaSpecs/Worker/replicas, value: 4}\n"
    )
    made = branch(merged, tmp_path, job("huge", "vision", gpus(2), patch))
    done = made.run("plan")
    assert done.code == 1 and "error[never-admitted]" in done.err
    sentence = "never admitted: 40 GPUs asked for, and queue vision in h100 can never give more than 24"
    assert sentence in " ".join(done.out.split())


def test_a_teams_budget_stands_beside_the_hours_of_its_runs(merged: Project, tmp_path: Path) -> None:
    budget = "policies: {over-budget: {severity: warning, gpuHours: 20}}\n"
    rich = team("vision", "{h100: {nodes: 2, borrow: 1}, cpu: 2}", budget)
    runs = job("small", "vision", gpus(1)), job("large", "vision", gpus(1), "deadline: 3h\n")
    said = plan(branch(merged, tmp_path, rich, *runs))
    hours = {
        run["job"]: (run["gpuHours"], run["gpuHoursAllowed"], run["isOverBudget"]) for run in said["runs"]
    }
    assert hours == {"small": (16, 20, False), "large": (24, 20, True)}
    assert said["budgets"] == [{"cluster": "lab", "team": "vision", "gpuHoursPerRun": 20}]


def test_a_branch_is_compared_with_where_it_left(merged: Project, tmp_path: Path) -> None:
    made = branch(merged, tmp_path)
    made.write({".gitignore": ".trainshed/\n"})
    git(made.path, "init", "--quiet")
    git(made.path, "add", "--all")
    git(made.path, "commit", "--quiet", "--message", "base")
    git(made.path, "branch", "--quiet", "start")
    made.write(specs(job("resnet", "vision", gpus(2))))
    render(made)
    git(made.path, "add", "--all")
    git(made.path, "commit", "--quiet", "--message", "larger")
    said = plan(made, "--base", "start")
    assert said["base"] == "start"
    h100 = level(said, "vision", "h100")
    assert (h100["before"]["most"], h100["after"]["most"]) == (8, 16)
    assert plan(made)["headline"] == "Nothing more and nothing less is asked for."


def test_only_clusters_that_there_are_can_be_looked_at(merged: Project) -> None:
    done = merged.run("plan", "--cluster", "lap")
    assert done.code == 2
    assert 'there is no cluster "lap"' in done.err and '"lab"' in done.err
