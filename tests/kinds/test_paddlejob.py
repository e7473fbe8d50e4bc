"""PaddleJob: workers that train together; masters make it a job of parameter servers. Scenario C4."""

from pathlib import Path

from kinds.frameworks import container, judged, project, rendered, replicas, said, specs

COLLECTIVE = "framework: paddle\nnodes: 2\nrun: {script: train.py, args: [--epochs=3]}\n"


def test_two_nodes_are_two_workers_for_a_master_would_make_it_a_job_of_parameter_servers() -> None:
    assert replicas(rendered(COLLECTIVE, "PaddleJob")) == {"Worker": 2}


def test_masters_are_the_servers_beside_the_workers() -> None:
    job = rendered(
        "framework: paddle\nroles: {master: {nodes: 2}, worker: {nodes: 4}}\nrun: {script: train.py}\n",
        "PaddleJob",
    )

    assert replicas(job) == {"Master": 2, "Worker": 4}
    assert {container(job, role)["name"] for role in specs(job)} == {"paddle"}


def test_scripts_start_by_the_launcher_that_reads_what_the_operator_sets() -> None:
    found = container(rendered(COLLECTIVE, "PaddleJob"), "Worker")

    assert found["command"] == ["python", "-m", "paddle.distributed.launch"]
    assert found["args"] == ["/code/train.py", "--epochs=3"]
    assert not any(variable["name"].startswith("PADDLE_") for variable in found["env"])


def test_modules_are_refused_for_the_launcher_takes_scripts() -> None:
    (found,) = said("framework: paddle\nnodes: 2\nrun: {module: shop.train}\n")

    assert found.endswith("backend-cannot: paddle.distributed.launch starts scripts, not modules")


def test_variables_of_the_operator_are_refused() -> None:
    (found,) = said(COLLECTIVE + "env: {PADDLE_TRAINER_NUM: 4}\n")

    assert "reserved-env: PADDLE_TRAINER_NUM" in found


def test_the_judges_accept_it(tmp_path: Path) -> None:
    assert judged(project(tmp_path, COLLECTIVE)) == ""
