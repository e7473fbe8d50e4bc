"""D1, D2, D8, D9: quota, fair sharing, whom a run may drive out, and what nobody may take back."""

from typing import Any

import pytest
from kinds.queued import (
    EKS_POOLS,
    JOB,
    KUEUE,
    OLD_KUEUE,
    cluster,
    files,
    job,
    one,
    run,
    said,
    team,
)
from repositories import write_project
from ruamel.yaml import YAML

FAIR = "kueue: {fairSharing: true, podsReadyTimeout: 45m}\n"
KEPT = "{h100: {nodes: 8, guaranteed: 2, borrow: 4, lend: 3}, cpu: 4}"


def gpus(queue: dict[str, Any], pool: str) -> dict[str, str]:
    (group,) = queue["spec"]["resourceGroups"]
    (flavor,) = (flavor for flavor in group["flavors"] if flavor["name"] == pool)
    (found,) = (resource for resource in flavor["resources"] if resource["name"] == "nvidia.com/gpu")
    return {key: value for key, value in found.items() if key != "name"}


def configuration(made: str) -> dict[str, Any]:
    application = one(files(made=made), "Application", "lab-operator-kueue")
    values = application["spec"]["sources"][0]["helm"]["valuesObject"]
    return YAML(typ="safe").load(values["managerConfig"]["controllerManagerConfigYaml"])


def test_a_fair_cluster_shares_by_the_weights_of_its_teams() -> None:
    made = files(made=cluster(KUEUE + FAIR), owner=team(more=", weight: 3"))

    assert one(made, "ClusterQueue", "vision")["spec"]["fairSharing"] == {"weight": "3"}
    assert one(made, "ClusterQueue", "nlp")["spec"]["fairSharing"] == {"weight": "1"}


@pytest.mark.parametrize(
    ("operators", "fair", "ready"),
    [
        (KUEUE, {}, {"timeout": "2700s"}),
        (OLD_KUEUE, {"enable": True}, {"enable": True, "blockAdmission": False, "timeout": "2700s"}),
    ],
)
def test_each_kueue_is_told_in_its_own_words(
    operators: str, fair: dict[str, bool], ready: dict[str, Any]
) -> None:
    strategies = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
    config = configuration(cluster(operators + FAIR))

    assert config["fairSharing"] == {**fair, "preemptionStrategies": strategies}
    assert config["waitForPodsReady"] == ready


@pytest.mark.parametrize("operators", [KUEUE, OLD_KUEUE])
def test_whom_a_run_may_drive_out_is_the_clusters_to_say(operators: str) -> None:
    words = (
        "kueue:\n  preemption:\n    withinClusterQueue: lower-or-newer-equal-priority\n"
        "    reclaimWithinCohort: lower-priority\n"
        "    borrowWithinCohort: {policy: lower-priority, maxPriority: 100}\n"
    )

    assert one(files(made=cluster(operators + words)), "ClusterQueue", "vision")["spec"]["preemption"] == {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "reclaimWithinCohort": "LowerPriority",
        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 100},
    }


@pytest.mark.parametrize(
    ("words", "summary"),
    [
        (
            "kueue: {fairSharing: true, preemption: {borrowWithinCohort: lower-priority}}\n",
            "Kueue looks at no borrowWithinCohort where it shares fairly",
        ),
        (
            "kueue: {preemption: {reclaimWithinCohort: never, borrowWithinCohort: lower-priority}}\n",
            "a queue that may not reclaim its own may not drive anybody out to borrow",
        ),
    ],
)
def test_what_kueue_would_refuse_or_overlook_is_refused_at_the_cluster(words: str, summary: str) -> None:
    (finding,) = said(files(made=cluster(KUEUE + words)))

    assert finding.startswith("specs/clusters/lab.yaml:")
    assert finding.endswith(f"conflicting-choice: {summary}")


@pytest.mark.parametrize("words", [FAIR, "kueue: {preemption: {reclaimWithinCohort: any}}\n"])
def test_nothing_is_shared_without_a_cohort(words: str) -> None:
    alone = KUEUE.replace("cohort: all\n", "")

    (finding,) = said(files(made=cluster(alone + words), owner=team("{h100: 8, cpu: 4}")))

    assert "missing-choice" in finding
    assert "without a cohort" in finding


def test_what_is_guaranteed_is_a_queue_of_its_own_outside_of_the_cohort() -> None:
    made = files(owner=team(KEPT))
    kept, shared = one(made, "ClusterQueue", "vision-guaranteed"), one(made, "ClusterQueue", "vision")

    assert gpus(kept, "h100") == {"nominalQuota": "16"}
    assert "cohortName" not in kept["spec"]
    assert kept["spec"]["preemption"] == {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}
    assert gpus(shared, "h100") == {"nominalQuota": "48", "borrowingLimit": "32", "lendingLimit": "24"}
    assert one(made, "LocalQueue", "vision-guaranteed")["spec"] == {"clusterQueue": "vision-guaranteed"}


def test_a_job_that_nobody_may_drive_out_waits_for_what_is_guaranteed() -> None:
    words = JOB.replace("nodes: 4", "nodes: 2") + "preemptible: false\n"

    labels = run(files(words, owner=team(KEPT)))["metadata"]["labels"]

    assert labels["kueue.x-k8s.io/queue-name"] == "vision-guaranteed"


def test_nothing_is_guaranteed_to_a_team_until_its_quota_says_so() -> None:
    assert said(files(JOB + "preemptible: false\n")) == [
        'specs/jobs/vision/near.yaml:11:14 missing-choice: nothing on lab is guaranteed to team "vision"'
    ]


def test_a_job_can_never_have_more_than_is_guaranteed() -> None:
    assert said(files(JOB + "preemptible: false\n", owner=team(KEPT))) == [
        "specs/jobs/vision/near.yaml:8:1 quota-exceeded: "
        '32 nvidia.com/gpu are asked for, queue "vision-guaranteed" can never give more than 16 nvidia.com/gpu '
        'in pool "h100" of lab'
    ]


@pytest.mark.parametrize(
    ("quota", "summary"),
    [
        ("{h100: {nodes: 8, guaranteed: 9}}", "9 are guaranteed, but only 8 are the team's own"),
        (
            "{h100: {nodes: 8, guaranteed: 6, lend: 3}}",
            "3 are lent, but only 8 are the team's own, and 6 of them guaranteed",
        ),
    ],
)
def test_a_team_guarantees_and_lends_its_own_once(quota: str, summary: str) -> None:
    (finding,) = said(files("run: {command: [train]}\nqueue: none\n", owner=team(quota)))

    assert finding.endswith(f"inverted-range: {summary}")


def test_pools_are_tried_in_the_order_of_the_capacities() -> None:
    made = files(
        JOB + "capacity: [on-demand, spot]\n",
        made=cluster(pools=EKS_POOLS),
        owner=team("{h100: 8, h100-spot: 8, cpu: 4}"),
    )
    (group,) = one(made, "ClusterQueue", "vision")["spec"]["resourceGroups"]

    assert [flavor["name"] for flavor in group["flavors"]] == ["cpu", "h100", "h100-spot"]
    terms = run(made)["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["affinity"]["nodeAffinity"]
    assert [
        term["matchExpressions"][-1]["values"]
        for term in terms["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    ] == [["h100"], ["h100-spot"]]


def test_a_queue_tries_its_pools_in_one_order_for_all_jobs() -> None:
    (finding,) = said(
        files(
            JOB + "capacity: [spot, on-demand]\n",
            made=cluster(pools=EKS_POOLS),
            owner=team("{h100: 8, h100-spot: 8, cpu: 4}"),
        )
    )

    assert finding.endswith(
        'conflicting-choice: queue "vision" tries pool "h100" before "h100-spot", for every job in it'
    )


def test_outside_of_a_queue_the_pods_prefer_pools_in_the_order_of_the_capacities() -> None:
    words = JOB.replace("nodes: 4", "nodes: 1") + "queue: none\ncapacity: [spot, on-demand]\n"
    made = files(words, made=cluster(pools=EKS_POOLS), owner=team("{h100: 8, h100-spot: 8, cpu: 4}"))

    affinity = run(made)["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]

    (first,) = affinity["preferredDuringSchedulingIgnoredDuringExecution"]
    assert first["weight"] == 100
    assert {"key": "pool", "operator": "In", "values": ["h100-spot"]} in first["preference"][
        "matchExpressions"
    ]


def test_every_capacity_of_the_list_is_held_against_the_save() -> None:
    words = JOB + "capacity: [on-demand, spot]\ncheckpoint: {volume: saves, saveTime: 5m}\n"
    owner = team("{h100: 8, h100-spot: 8, cpu: 4}") + "volumes: {saves: {storage: shared, size: 1Ti}}\n"
    storage = "storage: {shared: {class: nfs, driver: nfs.csi.k8s.io}}\n"

    findings = said(files(words, made=cluster(pools=EKS_POOLS + storage), owner=owner))

    assert [finding.partition(": ")[2] for finding in findings if "notice-too-short" in finding] == [
        "Amazon EKS gives 120s before it takes a spot node back, one save takes 300s"
    ]


@pytest.mark.parametrize("operators", [KUEUE, OLD_KUEUE])
def test_the_real_judges_accept_all_of_it(tmp_path: Any, operators: str) -> None:
    words = JOB.replace("nodes: 4", "nodes: 2") + "preemptible: false\ndeadline: 8h\nowner: me\n"
    made = {
        **files(words, made=cluster(operators + FAIR), owner=team(KEPT, ", weight: 3")),
        "specs/jobs/vision/other.yaml": job(JOB + "deadline: 8h\nowner: me\n").replace("near", "other"),
    }
    project = write_project(tmp_path, made)

    result = project.run("render")

    assert result.code == 0, result.out + result.err
    assert "error" not in result.out
