"""What a job may say of its run, how it starts, fails, is watched and ends, at the edges of the grammar."""

from typing import Any

from hypothesis import strategies as st

DURATIONS = st.sampled_from(["1s", "10m", "24h", "24856d"])
VALUES = st.lists(st.sampled_from([0.1, 1, "a", True, None, "x" * 300]), max_size=3)
POINTS = st.lists(st.dictionaries(st.sampled_from(["lr", "b"]), st.integers(0, 2), max_size=2), max_size=3)
NOTES = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "notes"}, "data": {"a": "b"}}
PATCHES = st.sampled_from(
    [
        [{"target": {"container": "train"}, "merge": {"tty": True}}],
        [{"target": {"kind": "Job"}, "merge": {"metadata": {"annotations": {"a": "b"}}}}],
        [{"target": {"kind": "Job"}, "merge": {"metadata": {"name": "other"}}}],
        [{"target": {"container": "train"}, "json6902": [{"op": "add", "path": "/tty", "value": True}]}],
        [{"target": {"container": "train"}, "json6902": [{"op": "remove", "path": "/none"}]}],
    ]
)
ODD_RUNS: dict[str, st.SearchStrategy[Any]] = {
    "tags": st.lists(st.sampled_from(["a", "", "é", "a, b"]), max_size=2),
    "sweep": st.fixed_dictionaries(
        {},
        optional={
            "grid": st.dictionaries(st.sampled_from(["lr", "b", "a b"]), VALUES, max_size=2),
            "points": POINTS,
            "parallel": st.sampled_from([1, 2, 5000, {"min": 1, "max": 2}, {"min": 3, "max": 2}]),
            "tolerate": st.sampled_from([0, 1, 100_000]),
        },
    ),
    "restarts": st.sampled_from([0, 1, 1000, {"failures": 0}, {"faults": "none"}])
    | st.fixed_dictionaries(
        {"failures": st.integers(0, 3)},
        optional={
            "faults": st.sampled_from(["unlimited", "counted", "none"]),
            "scope": st.sampled_from(["job", "pod", "process"]),
        },
    ),
    "retryOn": st.lists(st.integers(1, 255), max_size=3) | st.just([*range(1, 256)]),
    "successWhen": st.sampled_from(
        ["all", "any", {"role": "chief"}, {"role": "worker"}, {"done": "any", "role": "a"}]
    ),
    "startupTimeout": DURATIONS,
    "keepFailedFor": DURATIONS,
    "shutdownTimeout": DURATIONS,
    "hang": DURATIONS,
    "rendezvous": st.fixed_dictionaries(
        {},
        optional={
            "backend": st.sampled_from(["c10d", "etcd-v2"]),
            "port": st.sampled_from([1024, 23456, 65535]),
            "joinTimeout": DURATIONS,
            "lastCallTimeout": DURATIONS,
            "conf": st.sampled_from([{"heartbeat": "10"}, {"a=b": "c,d"}, {"join_timeout": "1"}]),
        },
    ),
    "autoscaler": st.fixed_dictionaries(
        {},
        optional={
            "idleTimeout": DURATIONS,
            "upscaling": st.sampled_from(["default", "aggressive", "conservative"]),
            "version": st.sampled_from(["v1", "v2"]),
        },
    ),
    "metrics": st.sampled_from([9400, 65535, {"port": 22, "path": "/a b"}, {"path": "/stats"}]),
    "tracking": st.sampled_from(
        [
            {"kind": "wandb", "project": "cats", "secret": "wandb", "key": "k"},
            {"kind": "mlflow", "url": "a b"},
            {"kind": "comet", "secret": "wandb"},
            {"project": ""},
        ]
    ),
    "tensorboard": st.sampled_from(["/checkpoints/a", "/tmp", "/"]),
    "debug": st.lists(st.sampled_from(["nccl", "torch", "flight-recorder"]), max_size=3),
    "notify": st.sampled_from([{"slack": "alerts"}, {"email": ["a b", "c;d"]}, {"webhook": []}]),
    "namespace": st.sampled_from(["team-vision", "vision-privileged", "other"]),
    "output": st.sampled_from(
        ["data", {"volume": "checkpoints", "mountPath": "/checkpoints"}, {"uri": "s3://a"}]
    ),
    "envFrom": st.sampled_from([{"secrets": ["wandb", "wandb"]}, {"configMaps": ["settings"]}]),
    "gang": st.sampled_from(["auto", "none"]),
    "preemptible": st.booleans(),
    "state": st.sampled_from(["running", "stopped"]),
    "patches": PATCHES,
    "rawObjects": st.sampled_from(
        [[NOTES], [NOTES, NOTES], [NOTES | {"kind": "Secret"}], [{"kind": "ConfigMap"}]]
    ),
    "waive": st.just([{"rule": "deadline-missing", "because": "streaming"}]),
}
"""By field of a job."""
