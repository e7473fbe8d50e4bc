"""A row for every leaf of a job."""

from properties.leaf_rows import Row

SCRIPT = {"run": {"command": None, "script": "/src/train.py"}}
GPUS = {"gpus": {"perNode": 1}}
WHOLE_NODE = {"gpus": {"type": "h100", "perNode": 8}}
VOLUME = {"data": {"in": {"volume": "data", "mountPath": "/in"}}}
PLACE = {"data": {"in": {"mountPath": "/in"}}}
OWN = {"data": {"in": {"mountPath": "/in", "create": {"storage": "shared", "size": "1Ti"}}}}
SAVES = {"checkpoint": {"volume": "checkpoints"}}
GIT = {"code": {"git": {"repo": "https://git.example.com/a.git", "commit": "0" * 40}}}
SSH_GIT = {"code": {"git": {"repo": "ssh://git@git.example.com/a.git", "commit": "0" * 40}}}
PRIVILEGED = {"security": {"level": "privileged", "why": "locked memory"}}
RAY = {
    "framework": "ray",
    "rayVersion": "2.40.0",
    "nodes": None,
    "roles": {"head": {}, "workers": {}},
}
WORKERS_OF_TWO = RAY | {"roles": {"head": {}, "workers": {"nodes": {"max": 2}}}}
WAIVED = {"waive": [{"rule": "deadline-missing", "because": "streaming evaluation"}]}
WEEKLY = {"schedule": {"cron": "0 2 * * 0"}}
HEAD, WORKERS = ("head",), ("workers",)


def _env(leaf: str, names: tuple[str, ...] = ()) -> tuple[Row, ...]:
    """Rows for the variables of a job or of a role."""

    def given(**variable: str) -> dict[str, object]:
        env = {"env": {"A": variable}}
        return RAY | {"roles": {names[0]: env, "workers" if names == HEAD else "head": {}}} if names else env

    at = (*names, "A")
    return (
        Row(f"{leaf}env.*.value", "x", other="y", names=at),
        Row(f"{leaf}env.*.secret", "wandb", other="registry", given=given(key="k"), names=at),
        Row(f"{leaf}env.*.configMap", "settings", other="more", given=given(key="k"), names=at),
        Row(f"{leaf}env.*.key", "k", other="l", given=given(secret="wandb"), names=at),
        Row(f"{leaf}env.*.field", "status.podIP", other="status.hostIP", names=at),
    )


def _role(names: tuple[str, ...]) -> tuple[Row, ...]:
    """Rows for the head or for a group of workers."""
    on_gpus = RAY | {"roles": {"head": {}, "workers": {}, names[0]: {"gpus": {"perNode": 1}}}}
    return (
        Row("roles.*.gpus.perNode", 1, given=RAY, names=names),
        Row("roles.*.gpus.type", "h100", given=on_gpus, names=names),
        Row("roles.*.cpu", "3", given=RAY, names=names),
        Row("roles.*.memory", "9Gi", given=RAY, names=names),
        Row("roles.*.pool", "h100", given=RAY, names=names),
        Row("roles.*.image", "registry.example.com/other:2", given=RAY, names=names),
    )


BODY_ROWS: tuple[Row, ...] = (
    Row("description", "finds cats"),
    Row("owner", "alice"),
    Row("costCenter", "42"),
    Row("labels.*", "red", names=("color",)),
    Row("annotations.*", "note", names=("note",)),
    Row(
        "framework",
        "pytorch",
        other="generic",
    ),
    Row("backend", "pytorchjob", other="job", given={"framework": "pytorch"}),
    Row("launcher", "python", given=SCRIPT | {"framework": "pytorch"}),
    Row("launcher", "python", other="torchrun", given={"framework": "pytorch"}),
    Row("rayVersion", "2.40.0", other="2.41.0"),
    Row("runtimeEnv.*", ["numpy"], given={"framework": "ray", "rayVersion": "2.40.0"}, names=("pip",)),
    Row("image", "registry.example.com/vision/train:2.0", other="registry.example.com/vision/train:1.0"),
    Row("imagePullPolicy", "always"),
    Row("imagePullSecrets[]", ["wandb", "registry"]),
    Row("code.files[]", ["a.py", "b.py"]),
    Row("code.git.repo", "https://git.example.com/b.git", other="https://git.example.com/a.git", given=GIT),
    Row("code.git.commit", "1" * 40, other="0" * 40, given=GIT),
    Row("code.git.secret", "wandb", given=SSH_GIT),
    Row("parameters.*", 0.1, names=("lr",)),
    Row("workingDir", "/src"),
    Row("run.script", "a.py", other="b.py", given={"run": {"command": None}}),
    Row("run.module", "train", other="other", given={"run": {"command": None}}),
    Row("run.command[]", ["python", "-m", "train"]),
    Row("run.args[]", ["--lr", "0.1"]),
    Row("run.entrypoint", "image", given={"run": {"command": None}}, needed=True),
    Row("procsPerNode", 2, given=SCRIPT | {"framework": "pytorch"}),
    Row("procsPerNode", 2),
    *_env(""),
    Row("envFrom.secrets[]", ["wandb", "registry"]),
    Row("envFrom.configMaps[]", ["settings", "more"]),
    Row("nodes.min", 2, other=1, given={"framework": "pytorch", "nodes": {"max": 2}}),
    Row("nodes.max", 3, given={"framework": "pytorch"}),
    Row("gpus.perNode", 1),
    Row("gpus.type", "h100", given=GPUS),
    Row("cpu", "3"),
    Row("memory", "9Gi"),
    Row("shm", "64Mi"),
    Row("scratch.size", "2Gi", other="1Gi"),
    Row("scratch.mountPath", "/fast", given={"scratch": {"size": "1Gi"}}),
    Row("scratch.medium", "memory", given={"scratch": {"size": "1Gi"}}),
    Row("fabric", "efa", other="none", given=WHOLE_NODE),
    Row("fabric", "efa"),
    Row("roles.*.nodes.min", 2, other=1, given=WORKERS_OF_TWO, names=WORKERS),
    Row("roles.*.nodes.max", 2, given=RAY, names=WORKERS),
    *_role(WORKERS),
    *_role(HEAD),
    *_env("roles.*.", WORKERS),
    *_env("roles.*.", HEAD),
    Row("queue", "none"),
    Row("priority", "high"),
    Row("priority", "high", given={"queue": "none"}),
    Row("capacity", "spot"),
    Row("capacity", "spot", given={"pool": "cpu"}),
    Row("pool", "h100"),
    Row("data.*.volume", "data", other="checkpoints", given=PLACE, names=("in",)),
    Row("data.*.claim", "old", other="older", given=PLACE, names=("in",)),
    Row("data.*.create.storage", "shared", other="home", given=OWN, names=("in",)),
    Row("data.*.create.size", "2Ti", other="1Ti", given=OWN, names=("in",)),
    Row("data.*.create.access", "rwo", given=OWN, names=("in",)),
    Row("data.*.configMap", "settings", other="more", given=PLACE, names=("in",)),
    Row("data.*.secret", "wandb", other="registry", given=PLACE, names=("in",)),
    Row("data.*.hostPath", "/mnt/a", other="/mnt/b", given=PLACE | PRIVILEGED, names=("in",)),
    Row("data.*.mountPath", "/in", other="/out", given=VOLUME, names=("in",)),
    Row("data.*.subPath", "a", given=VOLUME, names=("in",)),
    Row("data.*.readOnly", True, given=VOLUME, names=("in",)),
    Row("checkpoint.volume", "checkpoints", other="data"),
    Row("checkpoint.mountPath", "/saves", given=SAVES),
    Row("checkpoint.every.time", "5m", given=SAVES),
    Row("checkpoint.every.steps", 500, given=SAVES),
    Row("checkpoint.saveTime", "10s", given=SAVES),
    Row("checkpoint.keep.last", 3, given=SAVES),
    Row("checkpoint.keep.best", 1, given=SAVES),
    Row("checkpoint.resume", "never", given=SAVES),
    Row("restarts", 2),
    Row("failOn[]", [3, 4]),
    Row("gracePeriod", "5m"),
    Row("deadline", "8h"),
    Row("deadline", "8h", given={"queue": "none"}),
    Row("cleanup", "all"),
    Row("serviceAccount", "robot"),
    Row("security.runAs.user", 1234),
    Row("security.runAs.group", 1234),
    Row("security.runAs.fsGroup", 1234),
    Row("security.runAs.supplementalGroups[]", [7, 8]),
    Row("security.readOnlyRoot", True),
    Row("security.readOnlyRoot", True, given={"security": {**PRIVILEGED["security"], "privileged": True}}),
    Row("security.level", "privileged", given={"security": {"why": "locked memory"}}),
    Row("security.privileged", True),
    Row("security.privileged", True, given=PRIVILEGED),
    Row("security.why", "locked memory", other="host path", given=PRIVILEGED),
    Row("security.why", "locked memory"),
)
"""Leaves that a job, its part for one cluster, a preset, a team and a cluster have in common."""

JOB_ROWS: tuple[Row, ...] = (
    Row("name", "resnet", other="alexnet"),
    Row("team", "vision", other="nlp"),
    Row("attempt", 2),
    Row("extends[]", ["large", "named"]),
    Row("clusters.*", {}, names=("annex",), given={"clusters": {"lab": {}}}),
    Row("clusters.*.attempt", 2, names=("lab",)),
    Row("waive[].rule", "deadline-missing", other="owner-missing", given=WAIVED),
    Row("waive[].because", "it never ends", other="it is watched", given=WAIVED),
    Row("schedule.cron", "0 2 * * 0", other="0 3 * * 0"),
    Row("schedule.timeZone", "Europe/Berlin", given=WEEKLY),
    Row("schedule.overlap", "replace", given=WEEKLY),
    Row("schedule.keep.succeeded", 7, given=WEEKLY),
    Row("schedule.keep.failed", 7, given=WEEKLY),
    Row("schedule.startWithin", "10m", given=WEEKLY),
    Row("schedule.paused", True, given=WEEKLY),
)
"""Leaves that only jobs have."""
