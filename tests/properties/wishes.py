"""Well-typed jobs for the small repository's cluster, as hypothesis strategies of plain data."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from repositories import CLUSTER, SMALL, TEAM
from stages.street import Files

LAB = CLUSTER + "security: {privileged: [vision]}\n"
VISION = TEAM + (
    "configMaps: [settings]\nclaims: [old-data]\nserviceAccounts: [robot]\nowner: alice\ncostCenter: '42'\n"
    "privileged: {namespace: vision-privileged, why: fabrics}\n"
)
TEXTS = st.sampled_from(
    ["plain", "", "a b", "é\n", "$(HOME)", "{{x}}", "0x1F", "true", "null", "'", '"', "#", "\\"]
)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([1.0, 0.1, 1e-7, 1e22])
PARAMETERS = st.dictionaries(
    st.sampled_from(["lr", "steps", "name"]),
    st.none() | st.booleans() | NUMBERS | TEXTS | st.lists(NUMBERS | TEXTS, max_size=2),
    min_size=1,
)
SIZES: list[dict[str, Any]] = [
    {},
    {"gpus": 8},
    {"framework": "pytorch", "gpus": {"type": "h100", "perNode": 2}},
    {"framework": "pytorch", "nodes": 2, "gpus": 8, "fabric": "none"},
    {"framework": "pytorch", "nodes": 3, "restarts": 2},
    {"framework": "pytorch", "nodes": {"min": 1, "max": 4}, "fabric": "none", "restarts": 1},
    {"framework": "pytorch", "backend": "pytorchjob"},
    {"framework": "ray", "rayVersion": "2.40.0"},
    {"framework": "ray", "roles": {"head": {"cpu": 2}, "workers": {"nodes": 2, "gpus": 8}}, "fabric": "none"},
    {"framework": "ray", "roles": {"cpu": {"nodes": 2, "env": {"ROLE": "cpu"}}, "gpu": {"gpus": 1}}},
    {"schedule": {"cron": "0 2 * * 0", "keep": 1, "overlap": "replace"}},
    {"schedule": "0 2 * * 0", "gpus": 1, "framework": "pytorch"},
]
RUNS = st.sampled_from(
    [{"script": "/src/train.py"}, {"module": "vision.train"}, {"command": ["torchrun", "-m", "train"]}]
)
OPTIONAL: dict[str, st.SearchStrategy[Any]] = {
    "memory": st.sampled_from(["4Gi", "8192Mi", "8.5Gi", 17179869184]),
    "cpu": st.sampled_from([2, 1.5, "2500m", "3"]),
    "shm": st.sampled_from(["auto", "none", "64Mi", "512Mi"]),
    "scratch": st.sampled_from(["10Gi", {"size": "256Mi", "medium": "memory", "mountPath": "/fast"}]),
    "parameters": PARAMETERS,
    "env": st.dictionaries(
        st.sampled_from(["A", "B_2", "HOME"]),
        TEXTS | st.sampled_from([{"secret": "wandb", "key": "k"}, {"field": "status.podIP"}, 7]),
        min_size=1,
    ),
    "envFrom": st.sampled_from([{"secrets": ["wandb"]}, {"configMaps": ["settings"]}]),
    "data": st.sampled_from(
        [
            {"in": {"volume": "data", "mountPath": "/data", "readOnly": True, "subPath": "a/b"}},
            {"old": {"claim": "old-data", "mountPath": "/old"}},
            {
                "own": {
                    "create": {"storage": "shared", "size": "0.5Ti"},
                    "mountPath": "/own",
                    "readOnly": False,
                }
            },
        ]
    ),
    "checkpoint": st.sampled_from(
        [
            {"volume": "checkpoints"},
            {
                "volume": "checkpoints",
                "every": {"steps": 10},
                "keep": 3,
                "saveTime": "90s",
                "resume": "never",
            },
        ]
    ),
    "gracePeriod": st.sampled_from(["2m", "1h"]),
    "deadline": st.sampled_from(["1h", "12d"]),
    "labels": st.just({"example.com/kind": "a", "plain": ""}),
    "annotations": st.just({"example.com/note": "à la carte: \n", "empty": ""}),
    "description": TEXTS,
    "imagePullPolicy": st.sampled_from(["always", "if-not-present", "never"]),
    "imagePullSecrets": st.just(["wandb"]),
    "security": st.sampled_from([{"runAs": {"user": 1000660000, "fsGroup": 7}}, {"readOnlyRoot": True}]),
    "workingDir": st.just("/src/"),
    "code": st.sampled_from(
        [
            {"git": {"repo": "https://git.example.com/a.git", "commit": "0" * 40}},
            {"git": {"repo": "ssh://git@git.example.com/a.git", "commit": "1" * 40, "secret": "wandb"}},
        ]
    ),
    "priority": st.sampled_from(["low", "high"]),
    "serviceAccount": st.just("robot"),
    "attempt": st.integers(1, 3),
    "queue": st.just("vision"),
}


@st.composite
def wishes(draw: st.DrawFn) -> dict[str, Any]:
    """One job in which nothing is wrong."""
    fields = draw(st.sets(st.sampled_from(sorted(OPTIONAL))))
    run = draw(RUNS) | draw(st.sampled_from([{}, {"args": ["--lr", "0.1", "a b"]}]))
    job = {field: draw(OPTIONAL[field]) for field in sorted(fields)} | draw(st.sampled_from(SIZES))
    if job.get("framework") == "ray":
        job.pop("security", None)  # Ray refuses a root that cannot be written to
    return job | {"run": run}


def job_files(name: str, wish: Mapping[str, Any]) -> Files:
    """The small repository with the wish as its only job; JSON is YAML."""
    head = {"apiVersion": "trainshed/v1", "kind": "TrainingJob", "name": name, "team": "vision"}
    job = head | {"image": "registry.example.com/vision/train:1.0"} | wish
    return {
        **SMALL,
        "specs/clusters/lab.yaml": LAB,
        "specs/teams/vision.yaml": VISION,
        "specs/jobs/vision/resnet.yaml": json.dumps(job, ensure_ascii=False),
    }
