"""B9, and of D8 the partial admission: sixteen configurations, eight at a time, four where there is no room."""

import json
from itertools import product

from scenarios.rendered import Rendered, pod_specs, read_env

APP = "job-fraud-lr-sweep"


def test_sweep_is_an_indexed_job_of_sixteen_eight_at_a_time(rendered: Rendered) -> None:
    spec = rendered.find("aws-prod", APP, "Job")["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 16, 8)


def test_a_point_that_fails_is_tried_again_by_itself(rendered: Rendered) -> None:
    spec = rendered.find("aws-prod", APP, "Job")["spec"]
    assert spec["backoffLimitPerIndex"] == 1
    assert "backoffLimit" not in spec, "it would end the sweep for the failures of one point"
    assert "maxFailedIndexes" not in spec, "all points are tried"


def test_each_index_finds_another_configuration_and_all_of_the_grid_is_there(rendered: Rendered) -> None:
    points = rendered.find("aws-prod", APP, "ConfigMap", config_map(rendered, "parameters"))
    assert points["immutable"] is True
    assert sorted(points["data"]) == sorted(f"{index}.yaml" for index in range(16))
    found = [json.loads(text) for text in points["data"].values()]
    grid = product([64, 128, 256, 512], [1e-4, 3e-4, 1e-3, 3e-3])
    assert {(point["batch_size"], point["lr"]) for point in found} == set(grid)


def test_each_pod_reads_the_file_of_its_index(rendered: Rendered) -> None:
    (pod,) = pod_specs(rendered.find("aws-prod", APP, "Job"))
    env = read_env(pod)
    assert env["TRAINSHED_PARAMETERS"] == "/etc/trainshed/$(JOB_COMPLETION_INDEX).yaml"
    names = [variable["name"] for variable in pod["containers"][0]["env"]]
    assert names.index("JOB_COMPLETION_INDEX") < names.index("TRAINSHED_PARAMETERS"), "or it would not expand"


def test_the_program_takes_the_values_that_its_point_has(rendered: Rendered) -> None:
    """A sweep whose program reads none of its parameters trains sixteen times the same."""
    points = rendered.find("aws-prod", APP, "ConfigMap", config_map(rendered, "parameters"))
    code = rendered.find("aws-prod", APP, "ConfigMap", config_map(rendered, "code"))["data"][
        "train_transformer.py"
    ]
    assert "TRAINSHED_PARAMETERS" in code
    for name in json.loads(points["data"]["0.yaml"]):
        assert f'"--{name.replace("_", "-")}"' in code


def test_queue_may_start_it_with_four(rendered: Rendered) -> None:
    annotations = rendered.find("aws-prod", APP, "Job")["metadata"]["annotations"]
    assert annotations["kueue.x-k8s.io/job-min-parallelism"] == "4"


def config_map(rendered: Rendered, volume: str) -> str:
    (pod,) = pod_specs(rendered.find("aws-prod", APP, "Job"))
    (name,) = (item["configMap"]["name"] for item in pod["volumes"] if item["name"] == volume)
    return name
