"""`trainshed plan` where Kueue does not count: Volcano's queues, pools without any queue, parts of GPUs."""

from collections.abc import Callable

from repositories import Project
from review.asking import cluster, gpus, job, level, plan, render, run_of, spec, specs, team

Make = Callable[..., Project]

VOLCANO = "{training-operator: v1.9.4, volcano: v1.15.1}"
NOBODY = "{training-operator: v1.9.4}"
ONE_NODE = "gpus: {type: h100, perNode: 8}"


def test_volcano_has_one_ledger_for_all_pools(project: Make) -> None:
    made = project(
        specs(cluster(operators=VOLCANO, cohort=""), team("vision", "{h100: {nodes: 2, borrow: 1}, cpu: 2}"))
    )
    render(made)
    made.write(
        specs(job("a", "vision", gpus(2), ""), job("b", "vision", ONE_NODE, ""), job("c", "vision", ONE_NODE))
    )
    said = plan(made)
    row = level(said, "vision", "")
    assert (row["ledger"], row["after"]["nominal"], row["after"]["ceiling"]) == ("volcano", 16, 24)
    assert row["after"]["most"] == 32
    assert run_of(said, "a")["sentence"] == "fits what the queue deserves"
    assert run_of(said, "b")["sentence"] == (
        "fits with 8 GPUs beyond what queue vision deserves, which others may take back"
    )
    assert run_of(said, "c")["sentence"] == (
        "waits: 8 GPUs asked for, 0 free in queue vision; the team's other runs hold 24 of 24"
    )


def test_without_a_queue_there_are_the_nodes_of_the_pool(project: Make) -> None:
    lone = cluster(operators=NOBODY, cohort="")
    made = project(specs(lone, team("vision", ""), team("nlp", "")))
    render(made)
    runs = [
        job(f"run-{at}", whose, ONE_NODE)
        for at, whose in enumerate(("vision", "nlp", "vision", "nlp", "vision"))
    ]
    made.write(specs(*runs))
    said = plan(made)
    rows = [one for one in said["levels"] if one["resource"] == "nvidia.com/gpu"]
    assert [(one["team"], one["flavor"], one["after"]["most"], one["after"]["ceiling"]) for one in rows] == [
        ("nlp", "h100", 16, 32),
        ("vision", "h100", 24, 32),
    ]
    assert {one["after"]["nominal"] for one in rows} == {None}
    outlooks = sorted(run["outlook"] for run in said["runs"])
    assert outlooks == ["fits", "fits", "fits", "fits", "waits"]
    waiting = next(run for run in said["runs"] if run["outlook"] == "waits")
    assert waiting["sentence"] == "waits: 8 GPUs asked for, 0 free in pool h100; other runs hold 32 of 32"
    (first, *_) = [run for run in said["runs"] if run["outlook"] == "fits"]
    assert first["sentence"] == "fits pool h100: 0 of its 32 GPUs stay free"


def test_shared_gpus_are_counted_by_themselves(project: Make) -> None:
    pools = (
        "  whole: {machine: onprem/l40s, nodes: 1, labels: {pool: whole}}\n"
        "  parts: {machine: onprem/l40s, nodes: 1, sharing: {timeSlicing: 4}, labels: {pool: parts}}\n"
        "  cpu: {machine: onprem/cpu-64, nodes: 1, labels: {pool: cpu}}\n"
    )
    operators = "{training-operator: v1.9.4, kueue: v0.19.2, gpu-operator: v1.11.1}"
    made = project(
        specs(cluster(pools, operators=operators, cohort=""), team("vision", "{whole: 1, parts: 1, cpu: 1}"))
    )
    render(made)
    made.write(spec(job("mnist", "vision", "gpus: {type: l40s, shared: true}")))
    said = plan(made)
    row = level(said, "vision", "parts", "nvidia.com/gpu.shared")
    assert (row["unit"], row["after"]["most"], row["after"]["ceiling"]) == ("shared GPUs", 1, 16)
    assert level(said, "vision", "whole")["after"]["most"] == 0
    assert said["headline"] == "1 run starts; 1 shared GPU more"
