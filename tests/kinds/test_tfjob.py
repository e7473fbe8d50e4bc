"""TFJob: a chief and workers, or the parts that a strategy with parameter servers has. Scenarios C1 and C2."""

from pathlib import Path

from kinds.frameworks import container, judged, pod, project, rendered, replicas, said, specs

MIRRORED = "framework: tensorflow\nnodes: 3\nrun: {script: train.py}\n"
SERVERS = """\
framework: tensorflow
cpu: 4
roles:
  chief: {}
  worker: {nodes: 4}
  ps: {nodes: 2, cpu: 2, memory: 8Gi}
  evaluator: {cpu: 1}
run: {script: train.py}
"""


def test_three_nodes_are_a_chief_and_two_workers_without_parameter_servers() -> None:
    assert replicas(rendered(MIRRORED, "TFJob")) == {"Chief": 1, "Worker": 2}


def test_a_strategy_with_parameter_servers_has_all_four_roles_each_of_its_size() -> None:
    job = rendered(SERVERS, "TFJob")

    assert replicas(job) == {"Chief": 1, "Worker": 4, "PS": 2, "Evaluator": 1}
    asked = {role: container(job, role)["resources"]["requests"]["cpu"] for role in specs(job)}
    assert asked == {"Chief": "4", "Worker": "4", "PS": "2", "Evaluator": "1"}
    assert container(job, "PS")["resources"]["limits"] == {"memory": "8Gi"}


def test_the_container_has_the_name_that_the_webhook_demands_and_the_operator_alone_says_who_is_who() -> None:
    job = rendered(SERVERS, "TFJob")

    for role in specs(job):
        found = container(job, role)
        assert (found["name"], found["command"], found["args"]) == (
            "tensorflow",
            ["python"],
            ["/code/train.py"],
        )
        assert "TF_CONFIG" not in {variable["name"] for variable in found["env"]}
        assert "ports" not in found, "the operator adds its own"


def test_parameter_servers_go_when_the_chief_has_ended() -> None:
    policy = rendered(SERVERS, "TFJob")["spec"]["runPolicy"]

    assert policy == {"cleanPodPolicy": "Running", "backoffLimit": 0}, "no TTL, no suspend"


def test_one_failure_ends_a_run_that_nobody_may_restart() -> None:
    job = rendered(MIRRORED, "TFJob")

    assert {part["restartPolicy"] for part in specs(job).values()} == {"Never"}


def test_restarts_are_counted_in_containers_for_one_failure_restarts_them_all() -> None:
    job = rendered(MIRRORED + "restarts: 2\n", "TFJob")

    assert {part["restartPolicy"] for part in specs(job).values()} == {"OnFailure"}
    assert job["spec"]["runPolicy"]["backoffLimit"] == 2 * 3 + 1, "the operator gives up at that number"


def test_a_run_without_a_chief_may_wait_for_all_of_its_workers() -> None:
    workers = "framework: tensorflow\nroles: {worker: {nodes: 4}}\nrun: {script: train.py}\n"

    assert "successPolicy" not in rendered(workers, "TFJob")["spec"]
    assert rendered(workers + "successWhen: all\n", "TFJob")["spec"]["successPolicy"] == "AllWorkers"


def test_the_deadline_is_kept_by_the_queue() -> None:
    job = rendered(MIRRORED + "deadline: 2h\n", "TFJob")

    assert job["metadata"]["labels"]["kueue.x-k8s.io/max-exec-time-seconds"] == "7200"
    assert "activeDeadlineSeconds" not in job["spec"]["runPolicy"]


def test_gpus_of_a_node_bring_shared_memory() -> None:
    job = rendered(MIRRORED + "gpus: 8\nfabric: none\n", "TFJob")

    for role in specs(job):
        assert "/dev/shm" in {mount["mountPath"] for mount in container(job, role)["volumeMounts"]}
        assert pod(job, role)["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "8"


def test_one_node_needs_no_operator() -> None:
    assert rendered("framework: tensorflow\nrun: {script: train.py}\n", "Job")["spec"]["backoffLimit"] == 0


def test_a_second_chief_and_a_role_that_it_does_not_have_are_refused() -> None:
    roles = "framework: tensorflow\nroles: {chief: {nodes: 2}, server: {}}\nrun: {script: train.py}\n"

    assert said(roles) == [
        "7:17 backend-cannot: a TFJob has one chief",
        '7:28 unknown-value: a TFJob has no role "server"',
    ]


def test_an_elastic_run_is_refused_with_the_kinds_that_can() -> None:
    (found,) = said("framework: tensorflow\nnodes: {min: 2, max: 4}\nrun: {script: train.py}\n")

    assert found.endswith("backend-cannot: a TFJob cannot go on with fewer nodes than it starts with")


def test_processes_of_a_node_are_not_its_matter() -> None:
    assert said(MIRRORED + "procsPerNode: 4\n")[0].startswith("9:15 backend-cannot: a TFJob cannot honour")


def test_the_judges_accept_both(tmp_path: Path) -> None:
    for name, job in {"mirrored": MIRRORED, "servers": SERVERS}.items():
        assert judged(project(tmp_path / name, job)) == ""


def test_a_job_of_servers_and_an_evaluator_alone_would_never_end() -> None:
    (finding,) = said("framework: tensorflow\nroles: {ps: {}, evaluator: {}}\nrun: {script: train.py}\n")

    assert "missing-choice: a TFJob ends with its chief or its worker, and none is written" in finding
