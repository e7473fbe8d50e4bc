"""Well-typed jobs at the edges of the grammar, as hypothesis strategies of plain data: legal, absurd, or refused."""

from typing import Any

from hypothesis import strategies as st
from properties.wishes import wishes

NAMES = st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
TEXTS = st.sampled_from(
    ["", " ", "a b", "é", "0", "-", "$(A)", "$$", "x" * 300, "a\nb", "../a", "/", "=", ","]
)
LABEL_KEYS = st.sampled_from(
    [
        *("a", "A_b.c-d", "a" * 63, "a" * 64, "", "-a", "a/", "/a", "a b", "a/b/c", "é"),
        *(
            "example.com/a",
            "EXAMPLE.com/a",
            f"{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 61}/e",
            f"{'a' * 254}/e",
        ),
        *("kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class", "app.kubernetes.io/name"),
        *(
            "batch.kubernetes.io/job-name",
            "training.kubeflow.org/job-role",
            "ray.io/cluster",
            "trainshed.dev/job",
        ),
        *("kueue.x-k8s.io/podset-required-topology", "argocd.argoproj.io/sync-wave", "controller-uid"),
    ]
)
LABEL_VALUES = st.sampled_from(["", "a", "A", "0", "a" * 63, "a.b_c-d", "1e3", "true"])
ANNOTATIONS = TEXTS | st.sampled_from(["x" * 300_000, "true", "0"])
QUANTITIES = st.sampled_from(
    [
        *(
            "0",
            "1",
            "1m",
            "0.5",
            "1n",
            "1e3",
            "1E",
            "1Ei",
            "8Gi",
            "8G",
            "1.5Gi",
            "0.1Gi",
            "100m",
            "3500m",
            "999Ti",
        ),
        *(0, 1, 2, 64, 0.1, 0.0005, 1e9, "1Ki", "63", "127", "12345678901234567890"),
    ]
)
DURATIONS = st.sampled_from(
    ["1s", "9s", "59s", "90s", "24h", "365d", "24855d", "24856d", "999999999s", "999999999d"]
)
PATHS = st.sampled_from(
    [
        *(
            "/",
            "/a",
            "/a/",
            "/a/b",
            "/a b",
            "/é",
            "/dev/shm",
            "/dev",
            "/proc",
            "/tmp",
            "/etc/trainshed",
            "/code",
        ),
        *(
            "/var/run/secrets/kubernetes.io/serviceaccount",
            "/checkpoints",
            "/data",
            "/" + "a" * 300,
            "/a,b",
            "/a\n",
        ),
    ]
)
SUB_PATHS = st.sampled_from(
    ["", ".", "a", "a/b", "a/", "a b", "../a", "a/../b", "/a", "a//b", "é", "x" * 300, "$(A)"]
)
KEYS = st.sampled_from(["", "k", "a.b", "a b", "A_b-c", "..", "..a", "é", "k" * 253, "k" * 254, "a/b"])
FIELDS = st.sampled_from(
    [
        *(
            "metadata.name",
            "metadata.namespace",
            "metadata.uid",
            "metadata.labels['a']",
            "metadata.annotations['a']",
        ),
        *("spec.nodeName", "spec.serviceAccountName", "status.podIP", "status.hostIP", "status.podIPs"),
        *("", "metadata", "metadata.labels", "spec.containers", "status.phase", "metadata.name ", "a"),
    ]
)
VARIABLES = TEXTS | st.one_of(
    st.fixed_dictionaries({"secret": st.just("wandb"), "key": KEYS}),
    st.fixed_dictionaries({"configMap": st.just("settings"), "key": KEYS}),
    st.fixed_dictionaries({"field": FIELDS}),
)
ENV = st.dictionaries(
    st.sampled_from(
        ["A", "_", "a" * 300, "PATH", "LD_PRELOAD", "RANK", "RAY_ADDRESS", "TRAINSHED_X", "NCCL_DEBUG"]
    ),
    VARIABLES,
    max_size=3,
)
PLACES = st.sampled_from(
    [
        {"volume": "data"},
        {"volume": "checkpoints", "readOnly": True},
        {"claim": "old-data"},
        {"configMap": "settings"},
        {"secret": "wandb"},
        {"hostPath": "/mnt"},
        {"create": {"storage": "shared", "size": "1Gi"}},
        {"create": {"storage": "shared", "size": "0", "access": "rwo"}},
        {"create": {"storage": "shared", "size": "1m"}},
    ]
)


@st.composite
def mounts(draw: st.DrawFn) -> dict[str, Any]:
    """What a job mounts, each thing somewhere."""
    named = draw(st.dictionaries(NAMES, PLACES, min_size=1, max_size=2))
    return {
        name: place
        | {"mountPath": draw(PATHS)}
        | draw(st.fixed_dictionaries({}, optional={"subPath": SUB_PATHS, "readOnly": st.booleans()}))
        for name, place in named.items()
    }


NODES = st.integers(1, 12) | st.sampled_from([{"min": 1, "max": 3}, {"min": 2, "max": 2}, {"max": 2}, 4096])
GPUS = st.sampled_from([0, 1, 7, 8, 16, {"type": "h100", "perNode": 2}])
ROLE = st.fixed_dictionaries(
    {},
    optional={
        "nodes": NODES,
        "gpus": GPUS,
        "cpu": QUANTITIES,
        "memory": QUANTITIES,
        "pool": st.sampled_from(["h100", "cpu"]),
        "image": st.sampled_from(["a", "registry.example.com:5000/a/b@sha256:" + "0" * 64]),
        "env": ENV,
    },
)
ROLES = st.dictionaries(st.just("head") | st.just("workers") | NAMES, ROLE, min_size=1, max_size=3)
SCHEDULES = st.fixed_dictionaries(
    {
        "cron": st.sampled_from(
            [
                "0 2 * * 0",
                "*/5 * * * *",
                "@daily",
                "@every 1h",
                "0 0 31 2 *",
                "TZ=Asia/Tokyo 0 2 * * *",
                "0 2 * * 7",
            ]
            + ["0 0 * JAN sun", "60 * * * *", "0 0 1-5/2,9 * ?", "", "* * * *"]
        )
    },
    optional={
        "timeZone": st.sampled_from(["Europe/Berlin", "Etc/UTC", "Local", "", "UTC", "Mars/Olympus", "utc"]),
        "overlap": st.sampled_from(["forbid", "allow", "replace"]),
        "keep": st.sampled_from([0, 1, 100, {"succeeded": 0}, {"failed": 0}]),
        "startWithin": DURATIONS,
        "paused": st.booleans(),
    },
)
IDS = st.sampled_from([1, 1000, 65534, 2**31 - 1])
RUNS = st.fixed_dictionaries(
    {},
    optional={
        "script": st.sampled_from(["/src/train.py", "/a b.py", "/"]),
        "module": st.sampled_from(["train", "a.b", "a b", ""]),
        "command": st.lists(TEXTS, max_size=2),
        "args": st.lists(TEXTS | st.integers(), max_size=2),
        "entrypoint": st.just("image"),
    },
)
ODD: dict[str, st.SearchStrategy[Any]] = {
    "description": TEXTS,
    "owner": LABEL_VALUES,
    "costCenter": LABEL_VALUES,
    "labels": st.dictionaries(LABEL_KEYS, LABEL_VALUES, max_size=3),
    "annotations": st.dictionaries(LABEL_KEYS, ANNOTATIONS, max_size=3),
    "framework": st.sampled_from(["generic", "pytorch", "ray"]),
    "backend": st.sampled_from(["auto", "job", "pytorchjob", "rayjob"]),
    "launcher": st.sampled_from(["auto", "torchrun", "python"]),
    "rayVersion": st.sampled_from(["2.40.0", "2", "nightly", "", "2.9.0", " 2.40.0"]),
    "runtimeEnv": st.dictionaries(st.sampled_from(["pip", "env_vars", "working_dir"]), TEXTS, max_size=2),
    "image": st.sampled_from(["a", "a:latest", "a.b:5000/c:d", "a/" + "b" * 250, "a@sha256:" + "f" * 64]),
    "imagePullSecrets": st.lists(st.just("wandb"), max_size=2),
    "workingDir": PATHS,
    "run": RUNS,
    "procsPerNode": st.sampled_from([1, 2, 8, 1024]),
    "env": ENV,
    "nodes": NODES,
    "gpus": GPUS,
    "cpu": QUANTITIES,
    "memory": QUANTITIES,
    "shm": QUANTITIES | st.sampled_from(["auto", "none"]),
    "scratch": st.fixed_dictionaries(
        {"size": QUANTITIES}, optional={"mountPath": PATHS, "medium": st.sampled_from(["disk", "memory"])}
    ),
    "fabric": st.sampled_from(["auto", "none"]),
    "roles": ROLES,
    "queue": st.sampled_from(["none", "vision"]),
    "priority": st.sampled_from(["low", "normal", "high"]),
    "capacity": st.sampled_from(["on-demand", "spot"]),
    "pool": st.sampled_from(["h100", "cpu"]),
    "data": mounts(),
    "checkpoint": st.fixed_dictionaries(
        {"volume": st.just("checkpoints")},
        optional={
            "mountPath": PATHS,
            "every": DURATIONS | st.just({"steps": 100_000}),
            "saveTime": DURATIONS,
            "keep": st.sampled_from([1, 100_000, {"best": 0}, {"last": 1, "best": 1000}]),
            "resume": st.sampled_from(["auto", "never"]),
        },
    ),
    "restarts": st.sampled_from([0, 1, 999, 1000]),
    "failOn": st.lists(st.integers(1, 255), max_size=3) | st.just([7, 7]) | st.just([*range(1, 256)]),
    "gracePeriod": DURATIONS,
    "deadline": DURATIONS,
    "cleanup": st.sampled_from(["running", "all", "none"]),
    "security": st.fixed_dictionaries(
        {},
        optional={
            "runAs": st.fixed_dictionaries(
                {},
                optional={
                    "user": IDS,
                    "group": IDS,
                    "fsGroup": IDS,
                    "supplementalGroups": st.lists(IDS, max_size=3),
                },
            ),
            "readOnlyRoot": st.booleans(),
            "level": st.sampled_from(["restricted", "privileged"]),
            "privileged": st.booleans(),
            "why": TEXTS,
        },
    ),
    "schedule": SCHEDULES,
    "attempt": st.sampled_from([1, 2, 999]),
}


@st.composite
def odd_jobs(draw: st.DrawFn) -> dict[str, Any]:
    """A job in which nothing is wrong, and over it a few fields that may say anything."""
    odd = draw(st.sets(st.sampled_from(sorted(ODD)), min_size=1, max_size=3))
    return draw(wishes()) | {field: draw(ODD[field]) for field in sorted(odd)}
