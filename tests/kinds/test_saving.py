"""E7: where state and results go, how often, what a run starts from, and how long it has to save."""

import pytest
from kinds.data_specs import env_of, made, pod, repository, said
from stages.street import Files


def _env(job: str) -> dict[str, object]:
    return env_of(pod(repository(job)))


def test_a_job_makes_a_claim_of_its_own_for_its_checkpoints() -> None:
    files = repository("checkpoint: {create: {storage: shared, size: 2Ti}, mountPath: /saves}")
    claim = made(files, "job-vision-resnet", "PersistentVolumeClaim")
    assert claim["metadata"]["name"] == "resnet-checkpoints"
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    template = pod(files)
    assert template["spec"]["volumes"] == [
        {"name": "checkpoints", "persistentVolumeClaim": {"claimName": "resnet-checkpoints"}}
    ]
    assert str(env_of(template)["TRAINSHED_CHECKPOINT_DIR"]).startswith("/saves/vision/resnet/lab/")


def test_checkpoints_go_to_a_bucket_by_the_pods_identity() -> None:
    files = repository("checkpoint: {uri: 's3://acme-saves/prod'}", provider="eks")
    template = pod(files)
    directory = str(env_of(template)["TRAINSHED_CHECKPOINT_DIR"])
    assert directory.startswith("s3://acme-saves/prod/vision/resnet/lab/")
    assert "volumes" not in template["spec"]
    assert template["spec"]["serviceAccountName"] == "train"


@pytest.mark.parametrize(
    ("resume", "env"),
    [
        ("auto", {"TRAINSHED_CHECKPOINT_RESUME": "auto"}),
        ("never", {"TRAINSHED_CHECKPOINT_RESUME": "never"}),
        (
            "resnet-1a2b3c4d-2",
            {
                "TRAINSHED_CHECKPOINT_RESUME": "from",
                "TRAINSHED_CHECKPOINT_RESUME_FROM": "resnet-1a2b3c4d-2",
            },
        ),
        ('"12345678"', {"TRAINSHED_CHECKPOINT_RESUME_FROM": "12345678"}),
    ],
)
def test_a_run_starts_from_its_own_lineage_from_another_or_anew(resume: str, env: dict[str, str]) -> None:
    said_to_code = _env(f"checkpoint: {{volume: checkpoints, resume: {resume}}}")
    assert env.items() <= said_to_code.items()
    assert ("TRAINSHED_CHECKPOINT_RESUME_FROM" in said_to_code) == ("TRAINSHED_CHECKPOINT_RESUME_FROM" in env)


def test_saving_in_the_background_is_told_to_the_code() -> None:
    assert _env("checkpoint: {volume: checkpoints, async: true}")["TRAINSHED_CHECKPOINT_ASYNC"] == "true"
    assert "TRAINSHED_CHECKPOINT_ASYNC" not in _env("checkpoint: {volume: checkpoints}")


@pytest.mark.parametrize(
    ("local", "volume"),
    [
        ("10Gi", {"emptyDir": {"sizeLimit": "10Gi"}}),
        ("{size: 10Gi, medium: memory}", {"emptyDir": {"sizeLimit": "10Gi", "medium": "Memory"}}),
    ],
)
def test_a_fast_tier_lies_on_the_node(local: str, volume: dict[str, object]) -> None:
    job = f"memory: 16Gi\ncheckpoint: {{volume: checkpoints, local: {local}}}"
    template = pod(repository(job))["spec"]
    assert {"name": "local-checkpoints", **volume} in template["volumes"]


def test_a_fast_tier_can_be_a_volume_of_a_storage() -> None:
    job = "checkpoint: {volume: checkpoints, local: {size: 10Gi, storage: fast, every: {steps: 50}}}"
    template = pod(repository(job))
    (volume,) = [item for item in template["spec"]["volumes"] if item["name"] == "local-checkpoints"]
    claim = volume["ephemeral"]["volumeClaimTemplate"]["spec"]
    assert (claim["storageClassName"], claim["accessModes"]) == ("local", ["ReadWriteOnce"])
    assert env_of(template)["TRAINSHED_CHECKPOINT_LOCAL_EVERY_STEPS"] == "50"
    assert "ephemeral-storage" not in template["spec"]["containers"][0]["resources"]["requests"]


def test_results_go_to_a_folder_of_their_lineage() -> None:
    template = pod(repository("output: {volume: checkpoints, mountPath: /results, subPath: final}"))
    directory = str(env_of(template)["TRAINSHED_OUTPUT_DIR"])
    assert directory.startswith("/results/vision/resnet/lab/")
    assert template["spec"]["containers"][0]["volumeMounts"] == [
        {"name": "output", "mountPath": "/results", "subPath": "final"}
    ]


def test_checkpoints_and_results_share_a_lineage() -> None:
    env = _env("checkpoint: {volume: checkpoints}\noutput: checkpoints")
    saved, results = str(env["TRAINSHED_CHECKPOINT_DIR"]), str(env["TRAINSHED_OUTPUT_DIR"])
    assert saved.removeprefix("/checkpoints") == results.removeprefix("/output")


TORCH = "framework: pytorch\nrun: {module: train}\ncheckpoint: {volume: checkpoints, saveTime: 60s}\n"


def _torch(words: str) -> Files:
    files = dict(repository())
    job = str(files["specs/jobs/vision/resnet.yaml"]).replace("run: {command: [python, -m, train]}\n", "")
    return {**files, "specs/jobs/vision/resnet.yaml": job + TORCH + words}


def test_torchrun_gives_its_processes_what_is_written() -> None:
    env = env_of(pod(_torch("gracePeriod: 5m\nshutdownTimeout: 2m\n")))
    assert env["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"] == "120"
    assert env_of(pod(_torch("gracePeriod: 5m\n")))["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"] == "290"


@pytest.mark.parametrize(
    ("words", "finding"),
    [
        ("shutdownTimeout: 30s\n", "one save takes 60s, but torchrun kills its processes after 30s"),
        (
            "gracePeriod: 2m\nshutdownTimeout: 2m\n",
            "torchrun would wait 120s for its processes, but the run is killed after 120s",
        ),
    ],
)
def test_a_save_fits_into_torchruns_wait_and_that_into_the_grace_period(words: str, finding: str) -> None:
    (only,) = said(_torch(words))
    assert only.endswith(f"grace-too-short: {finding}")


@pytest.mark.parametrize(
    ("job", "code", "words"),
    [
        ("shutdownTimeout: 1m", "conflicting-choice", "shutdownTimeout is torchrun's"),
        ("checkpoint: {every: 5m}", "missing-field", "names no volume"),
        ("output: {mountPath: /out}", "missing-field", "the output names no volume"),
        ("output: {volume: checkpoints, uri: 's3://acme'}", "conflicting-choice", "volume and uri"),
        (
            "checkpoint: {uri: 's3://acme', mountPath: /x}",
            "conflicting-choice",
            "uri, which has no mountPath",
        ),
        ("checkpoint: {volume: checkpoints, credentials: hub}", "conflicting-choice", "has no credentials"),
        ("checkpoint: {volume: checkpoints, local: {every: 30s}}", "missing-field", "have no size"),
        ("output: {volume: checkpoints, subPath: ../x}", "bad-path", "leads out of the volume"),
    ],
)
def test_what_cannot_be_kept_is_said_at_its_line(job: str, code: str, words: str) -> None:
    (finding,) = said(repository(job))
    assert finding.startswith("specs/jobs/vision/resnet.yaml:7:")
    assert f" {code}: " in finding
    assert words in finding


def test_deepspeed_is_told_no_wait_and_a_longer_save_is_cut_off() -> None:
    (warning,) = said(_torch("launcher: deepspeed\n"))
    assert "grace-too-short: one save takes 60s, but deepspeed kills its processes 30s after" in warning

    shorter = {
        name: str(text).replace("saveTime: 60s", "saveTime: 30s")
        for name, text in _torch("launcher: deepspeed\n").items()
    }
    assert said(shorter) == []
