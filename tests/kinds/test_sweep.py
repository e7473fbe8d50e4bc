"""A sweep: an Indexed Job, a file of parameters for each index. Facts F.3, D.1; scenario B9."""

import json
from itertools import product

import pytest
from kinds.batch import APP, NO_QUEUE, container_of, files, kinds, render, said, variables
from repositories import JOB
from stages import street

GRID = JOB + "sweep: {parallel: 8, grid: {lr: [1e-4, 3e-4, 1e-3, 3e-3], batch: [64, 128, 256, 512]}}\n"
POINTS = JOB + "sweep: {points: [{lr: 0.1, seed: 1}, {lr: 0.2, seed: 2}]}\n"
INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


def test_sixteen_configurations_eight_at_a_time() -> None:
    spec = render(GRID, "Job")["spec"]
    assert spec["completionMode"] == "Indexed"
    assert (spec["completions"], spec["parallelism"]) == (16, 8)


def test_every_combination_of_the_grid_is_the_file_of_one_index() -> None:
    data = render(GRID, "ConfigMap")["data"]
    points = [json.loads(data[f"{index}.yaml"]) for index in range(16)]
    assert len(data) == 16
    wanted = [
        {"batch": batch, "lr": lr} for batch, lr in product((64, 128, 256, 512), (1e-4, 3e-4, 1e-3, 3e-3))
    ]
    assert points == wanted


def test_a_point_reads_the_file_of_its_own_index() -> None:
    job, config = render(GRID, "Job"), render(GRID, "ConfigMap")
    template = job["spec"]["template"]
    assert variables(template)["TRAINSHED_PARAMETERS"] == "/etc/trainshed/$(JOB_COMPLETION_INDEX).yaml"
    (volume,) = (v for v in template["spec"]["volumes"] if v["name"] == "parameters")
    assert volume["configMap"]["name"] == config["metadata"]["name"]
    (mount,) = (m for m in container_of(template)["volumeMounts"] if m["name"] == "parameters")
    assert mount["mountPath"] == "/etc/trainshed"
    assert config["immutable"] is True


def test_the_index_is_known_to_every_variable_that_refers_to_it() -> None:
    saving = GRID + "checkpoint: {volume: checkpoints}\n"
    env = variables(render(saving, "Job")["spec"]["template"])
    assert env["JOB_COMPLETION_INDEX"] == INDEX
    names = list(env)
    referring = [name for name, value in env.items() if "$(JOB_COMPLETION_INDEX)" in value]
    assert referring == ["TRAINSHED_PARAMETERS", "TRAINSHED_CHECKPOINT_DIR"]
    assert all(names.index("JOB_COMPLETION_INDEX") < names.index(name) for name in referring)


def test_each_point_saves_in_a_directory_of_its_own() -> None:
    saving = GRID + "checkpoint: {volume: checkpoints}\n"
    directory = variables(render(saving, "Job")["spec"]["template"])["TRAINSHED_CHECKPOINT_DIR"]
    assert directory.startswith("/checkpoints/vision/resnet/lab/")
    assert directory.endswith("/$(JOB_COMPLETION_INDEX)")


def test_the_points_values_stand_over_the_parameters_of_the_job() -> None:
    preset = "apiVersion: trainshed/v1\nkind: Preset\nname: usual\njob: {parameters: {lr: 1, epochs: 3}}\n"
    made = street.compile_files({**files(POINTS + "extends: usual\n"), "specs/presets/usual.yaml": preset})
    data = street.body(made, "ConfigMap", APP)["data"]
    assert [json.loads(text) for text in data.values()] == [
        {"lr": 0.1, "seed": 1, "epochs": 3},
        {"lr": 0.2, "seed": 2, "epochs": 3},
    ]


def test_a_parameter_that_every_point_sets_anew_is_refused_where_the_job_sets_it() -> None:
    (found,) = said(POINTS + "parameters: {lr: 1, epochs: 3}\n")
    assert found.startswith("specs/jobs/vision/resnet.yaml:8:")
    assert "conflicting-choice: lr has a value here, and another in every point of the sweep" in found


def test_a_failed_point_is_tried_again_by_itself_and_leaves_the_others_alone() -> None:
    spec = render(GRID + "restarts: 2\nfailOn: [3]\n", "Job")["spec"]
    assert spec["backoffLimitPerIndex"] == 2
    assert "backoffLimit" not in spec
    assert "maxFailedIndexes" not in spec
    fatal, disrupted = spec["podFailurePolicy"]["rules"]
    assert (fatal["action"], fatal["onExitCodes"]["values"]) == ("FailIndex", [3])
    assert disrupted == {
        "action": "Ignore",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }


def test_how_many_points_may_fail_is_said_to_kubernetes() -> None:
    spec = render(GRID.replace("parallel: 8", "parallel: 8, tolerate: 3"), "Job")["spec"]
    assert spec["maxFailedIndexes"] == 3


def test_the_first_point_that_ends_well_may_end_the_sweep() -> None:
    spec = render(GRID + "successWhen: any\n", "Job")["spec"]
    assert spec["successPolicy"] == {"rules": [{"succeededCount": 1}]}


def test_all_points_run_at_once_unless_the_sweep_says_how_many() -> None:
    spec = render(POINTS, "Job")["spec"]
    assert (spec["completions"], spec["parallelism"]) == (2, 2)


def test_a_queue_without_room_may_start_fewer_points() -> None:
    job = render(GRID.replace("parallel: 8", "parallel: {min: 2, max: 8}"), "Job")
    assert job["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"] == "2"
    assert job["spec"]["parallelism"] == 8


def test_without_a_queue_nothing_starts_fewer_points() -> None:
    job = GRID.replace("parallel: 8", "parallel: {min: 2, max: 8}")
    (found,) = said(job, NO_QUEUE)
    assert found.startswith("specs/jobs/vision/resnet.yaml:7:")
    assert "backend-cannot: only a queue of Kueue can start a sweep with fewer pods" in found


def test_points_need_neither_a_gang_nor_a_network_between_them() -> None:
    assert kinds(GRID, NO_QUEUE) == ["ConfigMap", "Job"]


def test_a_sweep_of_several_nodes_a_point_is_refused_with_a_way_out() -> None:
    (found,) = said(GRID + "nodes: 2\n")
    assert found.startswith("specs/jobs/vision/resnet.yaml:8:")
    assert "each point of a sweep runs on one node" in found


def test_torchrun_starts_a_process_for_each_gpu_of_a_point() -> None:
    job = GRID.replace("run: {command: [python, -m, train]}", "run: {module: train}")
    container = container_of(render(job + "framework: pytorch\ngpus: 2\n", "Job")["spec"]["template"])
    assert container["command"] == ["torchrun", "--standalone", "--nproc-per-node=2"]


def test_a_sweep_can_run_on_a_schedule_and_each_firing_saves_for_itself() -> None:
    weekly = GRID + 'schedule: "0 2 * * 0"\ncheckpoint: {volume: checkpoints}\n'
    spec = render(weekly, "CronJob")["spec"]["jobTemplate"]["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 16, 8)
    directory = variables(spec["template"])["TRAINSHED_CHECKPOINT_DIR"]
    assert directory.endswith("/$(TRAINSHED_FIRING)/$(JOB_COMPLETION_INDEX)")


def test_how_many_run_at_once_changes_no_lineage_and_a_further_value_does() -> None:
    def lineage(job: str) -> str:
        return street.plan(files(job)).targets[0].lineage

    assert lineage(GRID) == lineage(GRID.replace("parallel: 8", "parallel: 4, tolerate: 1"))
    assert lineage(GRID) != lineage(GRID.replace("512", "1024"))


@pytest.mark.parametrize(
    ("sweep", "finding"),
    [
        ("{}", "missing-choice: the sweep has no points"),
        ("{grid: {}}", "missing-choice: the sweep has no points"),
        ("{grid: {lr: []}}", "missing-choice: the sweep has no points"),
        ("{points: []}", "missing-choice: the sweep has no points"),
        ("{grid: {a: [1]}, points: [{a: 1}]}", "conflicting-choice: the sweep says a grid and points"),
        ("{grid: {a: [1, 2]}, tolerate: 3}", "bad-value: 3 points may fail, and the sweep has 2"),
        ("{grid: {a: [1, 2]}, parallel: {min: 2, max: 1}}", "inverted-range: at least 2 and at most 1"),
    ],
)
def test_a_sweep_that_cannot_be_meant_is_refused(sweep: str, finding: str) -> None:
    found = said(f"{JOB}sweep: {sweep}\n")
    assert len(found) == 1
    assert finding in found[0]


def test_a_grid_of_a_thousand_million_points_is_refused_before_any_is_made() -> None:
    values = ", ".join(map(str, range(1000)))
    found = said(f"{JOB}sweep: {{grid: {{a: [{values}], b: [{values}], c: [{values}]}}}}\n")
    assert len(found) == 1
    assert "sweep-too-large: the sweep has 1000000000 points, and a Job holds 100000" in found[0]


def test_points_that_a_config_map_cannot_hold_are_refused() -> None:
    found = said(
        f"{JOB}parameters: {{note: {'x' * 2000}}}\nsweep: {{grid: {{a: [{', '.join(['1'] * 600)}]}}}}\n"
    )
    assert len(found) == 1
    assert "sweep-too-large: the parameters of all points together are larger than 1 MiB" in found[0]


def test_a_secret_among_the_values_is_found_and_not_repeated() -> None:
    token = "ghp_" + "a" * 36
    (found,) = said(f"{JOB}sweep: {{grid: {{token: [{token}]}}}}\n")
    assert "plain-secret" in found
    assert token not in found


def test_ray_makes_the_points_of_a_sweep_itself() -> None:
    (found,) = said(GRID + "framework: ray\nrayVersion: 2.40.0\n")
    assert "backend-cannot: a RayJob cannot honour sweep" in found


def test_the_index_is_not_a_variable_of_the_specs_own() -> None:
    (found,) = said(GRID + "env: {JOB_COMPLETION_INDEX: 3}\n")
    assert "reserved-env" in found


def test_a_name_leaves_room_for_the_highest_index() -> None:
    name = "r" * 52
    (found,) = said(GRID.replace("name: resnet", f"name: {name}"))
    assert "name-too-long" in found
    assert "takes 60" in found, "63 less -15"


def test_more_points_at_once_than_the_queue_can_hold_are_an_error_at_the_sweep() -> None:
    (found,) = said(GRID.replace("parallel: 8, ", "") + "cpu: 32\n")
    assert found.startswith("specs/jobs/vision/resnet.yaml:7:1 quota-exceeded: 512 CPUs are asked for")


def test_a_sweep_that_may_start_smaller_needs_room_for_the_fewest_only() -> None:
    fewer = GRID.replace("parallel: 8", "parallel: {min: 2, max: 16}") + "cpu: 32\n"
    assert said(fewer) == []
