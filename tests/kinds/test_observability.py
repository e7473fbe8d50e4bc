"""8.15: experiment trackers, TensorBoard, debugging, hangs, and whom a run tells."""

from typing import Any

import pytest
from repositories import JOB, SMALL
from stages.street import bodies, body, compile_files, resolve

TORCH = JOB + "framework: pytorch\ngpus: {type: h100, perNode: 8}\n"
SAVES = "checkpoint: {volume: checkpoints, mountPath: /ckpt}\n"


def on(job: str) -> dict[str, str | bytes]:
    return {**SMALL, "specs/jobs/vision/resnet.yaml": job}


def variables(job: str) -> dict[str, Any]:
    run = body(compile_files(on(job)), "Job", "job-vision-resnet")
    (container,) = run["spec"]["template"]["spec"]["containers"]
    return {item["name"]: item.get("value", item.get("valueFrom")) for item in container["env"]}


def said(job: str) -> list[str]:
    return [line.removeprefix("specs/jobs/vision/resnet.yaml:") for line in resolve(on(job)).said]


@pytest.mark.parametrize(
    ("kind", "project", "url", "secret"),
    [
        ("wandb", "WANDB_PROJECT", "WANDB_BASE_URL", "WANDB_API_KEY"),
        ("mlflow", "MLFLOW_EXPERIMENT_NAME", "MLFLOW_TRACKING_URI", "MLFLOW_TRACKING_TOKEN"),
        ("comet", "COMET_PROJECT_NAME", "COMET_URL_OVERRIDE", "COMET_API_KEY"),
    ],
)
def test_a_tracker_finds_its_settings_in_its_own_variables(
    kind: str, project: str, url: str, secret: str
) -> None:
    tracking = (
        f"{{kind: {kind}, project: cats, url: 'https://track.example.com', secret: wandb, key: api-key}}"
    )
    found = variables(f"{JOB}tracking: {tracking}\n")
    assert found[project] == "cats"
    assert found[url] == "https://track.example.com"
    assert found[secret] == {"secretKeyRef": {"name": "wandb", "key": "api-key"}}


@pytest.mark.parametrize(
    ("tracking", "finding"),
    [
        ("{project: cats}", "missing-field: tracking does not say which tracker the run is recorded by"),
        ("{kind: mlflow}", "missing-field: tracking does not say where MLflow is"),
        ("{kind: wandb, secret: wandb}", "missing-field: tracking does not say both the Secret and its key"),
        ("{kind: wandb, secret: wanbd, key: k}", 'unknown-secret: team "vision" declares no Secret "wanbd"'),
    ],
)
def test_half_a_tracker_is_refused(tracking: str, finding: str) -> None:
    (line,) = said(f"{JOB}tracking: {tracking}\n")
    assert line.endswith(finding)


def test_a_variable_that_a_field_sets_is_not_set_twice() -> None:
    (line,) = said(JOB + "tracking: {kind: wandb, project: cats}\nenv: {WANDB_PROJECT: dogs}\n")
    assert line == "8:7 conflicting-choice: WANDB_PROJECT is what tracking sets"


def test_event_files_lie_on_what_is_mounted() -> None:
    assert (
        variables(f"{JOB}{SAVES}tensorboard: /ckpt/events\n")["TRAINSHED_TENSORBOARD_DIR"] == "/ckpt/events"
    )
    assert said(f"{JOB}{SAVES}tensorboard: /ckpt\n") == []


@pytest.mark.parametrize("path", ["/tmp/events", "/ckpts/events"])
def test_event_files_that_would_go_with_the_pod_are_refused(path: str) -> None:
    (line,) = said(f"{JOB}{SAVES}tensorboard: {path}\n")
    assert line == f'8:14 bad-path: "{path}" is gone with its pod, and the event files with it'


def test_debugging_lets_each_layer_talk() -> None:
    found = variables(TORCH + "debug: [nccl, torch, flight-recorder]\n")
    assert found["NCCL_DEBUG"] == "INFO"
    assert found["TORCH_DISTRIBUTED_DEBUG"] == "DETAIL"
    assert int(found["TORCH_NCCL_TRACE_BUFFER_SIZE"]) > 0
    assert found["TORCH_NCCL_DUMP_ON_TIMEOUT"] == "1"
    assert variables(TORCH + "debug: nccl\n").keys() & {"TORCH_DISTRIBUTED_DEBUG"} == set()


def test_a_hang_ends_the_process_in_time() -> None:
    found = variables(TORCH + "hang: 10m\n")
    assert (found["TORCH_NCCL_ENABLE_MONITORING"], found["TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC"]) == ("1", "600")


@pytest.mark.parametrize("wish", ["hang: 10m", "debug: flight-recorder", "debug: torch"])
def test_what_only_torch_does_is_refused_elsewhere(wish: str) -> None:
    (line, *_) = said(f"{JOB}gpus: {{type: h100, perNode: 8}}\nframework: jax\n{wish}\n")
    assert "backend-cannot:" in line
    assert "is torch's" in line


@pytest.mark.parametrize("wish", ["hang: 10m", "debug: flight-recorder", "debug: nccl"])
def test_nccl_has_nothing_to_say_without_gpus(wish: str) -> None:
    (line,) = said(f"{JOB}framework: pytorch\n{wish}\n")
    assert "conflicting-choice:" in line
    assert "this job has none" in line


def subscriptions(job: str) -> dict[str, str]:
    items = bodies(compile_files(on(job)), ["argocd/runs"])
    (found,) = (item for item in items if item["metadata"]["name"] == "lab-job-vision-resnet")
    prefix = "notifications.argoproj.io/subscribe."
    return {
        key.removeprefix(prefix): value
        for key, value in found["metadata"]["annotations"].items()
        if key.startswith(prefix)
    }


def test_argo_cd_tells_people_how_a_run_ended() -> None:
    assert subscriptions(JOB + "notify: {slack: [cats, alerts], email: cats@example.com}\n") == {
        "on-deployed.slack": "cats;alerts",
        "on-health-degraded.slack": "cats;alerts",
        "on-sync-failed.slack": "cats;alerts",
        "on-deployed.email": "cats@example.com",
        "on-health-degraded.email": "cats@example.com",
        "on-sync-failed.email": "cats@example.com",
    }
    assert subscriptions(JOB) == {}


def test_whom_a_run_tells_starts_no_new_run() -> None:
    assert resolve(on(JOB + "notify: {slack: cats}\n")).target().run == resolve(on(JOB)).target().run


@pytest.mark.parametrize(
    ("kind", "ended"),
    [("kubeflow.org_PyTorchJob", '"Succeeded"'), ("ray.io_RayJob", '"SUCCEEDED"')],
)
def test_argo_cd_knows_how_a_run_of_the_clusters_kinds_fares(kind: str, ended: str) -> None:
    """Argo CD ships no health rule for them: a failed run would look healthy, and nobody would be told."""
    settings = body(compile_files(on(JOB)), "ConfigMap", "argocd/root")["data"]
    rule = settings[f"resource.customizations.health.{kind}"]
    assert ended in rule
    assert '"Degraded"' in rule
