"""XGBoostJob: a master and workers, for XGBoost and LightGBM. Scenario C4."""

from pathlib import Path

from kinds.frameworks import container, judged, project, rendered, replicas, said, specs

BOOSTED = "framework: xgboost\nnodes: 3\nrun: {script: train.py}\n"


def test_three_nodes_are_one_master_and_two_workers() -> None:
    job = rendered(BOOSTED, "XGBoostJob")

    assert replicas(job) == {"Master": 1, "Worker": 2}
    assert {container(job, role)["name"] for role in specs(job)} == {"xgboost"}


def test_several_nodes_of_lightgbm_that_talk_are_one_too() -> None:
    job = rendered(
        "framework: lightgbm\nbackend: xgboostjob\nnodes: 2\nrun: {script: train.py}\n", "XGBoostJob"
    )

    assert replicas(job) == {"Master": 1, "Worker": 1}


def test_roles_without_a_master_are_refused() -> None:
    (found,) = said("framework: xgboost\nroles: {worker: {nodes: 2}}\nrun: {script: train.py}\n")

    assert found == "7:1 missing-choice: an XGBoostJob with roles has one master, and none is written"


def test_a_pod_that_the_cluster_takes_ends_the_run_and_a_wish_that_it_should_not_is_refused() -> None:
    (found,) = said(BOOSTED + "restarts: {failures: 2, faults: unlimited}\n")

    assert found.endswith(
        "backend-cannot: an XGBoostJob cannot keep faults of the cluster unlimited: there they are none"
    )


def test_the_judges_accept_it(tmp_path: Path) -> None:
    assert judged(project(tmp_path, BOOSTED + "restarts: 2\n")) == ""
