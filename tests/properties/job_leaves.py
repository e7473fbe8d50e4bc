"""A row for every leaf of a job."""

from typing import Any

from properties.leaf_rows import Row

SCRIPT = {"run": {"command": None, "script": "/src/train.py"}}
GPUS = {"gpus": {"perNode": 1}}
WHOLE_NODE = {"gpus": {"type": "h100", "perNode": 8}}
FPGA, SLICES = "example.com/fpga", "nvidia.com/mig-3g.20gb"
PARTS = {
    "Cluster": {
        "operators": {"gpu-operator": {"release": "v1.11.1"}},
        "pools": {
            "cut": {
                "machine": "aws/p4d.24xlarge",
                "nodes": 9,
                "mig": "3g.20gb",
                "labels": {"pool": "cut"},
            },
            "turns": {
                "machine": "aws/g5.12xlarge",
                "nodes": 9,
                "sharing": {"timeSlicing": 4},
                "labels": {"pool": "turns"},
            },
            "cpu": {"resources": {FPGA: 4}},
        },
        "storage": {"block": {"class": "gp3", "driver": "ebs.csi.aws.com"}},
    },
    "Team": {"clusters": {"lab": {"quota": {"cut": {"nodes": 4}, "turns": {"nodes": 4}}}}},
}
"""GPUs in slices, shared GPUs, further resources, and storage for scratch space."""
VOLUME = {"data": {"in": {"volume": "data", "mountPath": "/in"}}}
PLACE = {"data": {"in": {"mountPath": "/in"}}}
OWN = {"data": {"in": {"mountPath": "/in", "create": {"storage": "shared", "size": "1Ti"}}}}
WATCHED = {"Cluster": {"operators": {"prometheus-operator": {"release": "v0.85.0"}}, "monitoring": {}}}
EVENTS = {"checkpoint": {"volume": "checkpoints", "mountPath": "/checkpoints"}}
SAVES = {"checkpoint": {"volume": "checkpoints"}}
SAVES_NEAR = {"checkpoint": {"volume": "checkpoints", "local": {"size": "1Gi"}}}
ADDRESS = {"data": {"in": {"uri": "s3://acme"}}}
FETCHED = {"uri": "s3://acme", "size": "1Gi", "mountPath": "/in"}
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
SCALING_RAY = RAY | {"roles": {"head": {}, "workers": {"nodes": {"min": 1, "max": 2}}}}
WORKERS_OF_TENSORFLOW = {
    "framework": "tensorflow",
    "nodes": None,
    "rayVersion": None,
    "roles": {"worker": {"nodes": {"min": 2, "max": 2}}},
}
SWEEP = {"sweep": {"grid": {"lr": [1, 2, 3]}}}
WEEKLY = {"schedule": {"cron": "0 2 * * 0"}}
HEAD, WORKERS = ("head",), ("workers",)
PARTED = {"framework": "generic", "backend": "jobset", "nodes": None, "roles": {"left": {}, "right": {}}}
PARTED_PROGRAM = PARTED | {"roles": {"left": {}, "right": {"run": {"command": ["serve"]}}}}
RIGHT = ("right",)
KEPT = {"cpu": {"nodes": 8, "guaranteed": 4}, "h100": {"nodes": 8, "guaranteed": 4}}
GUARANTEED = {"Team": {"clusters": {"lab": {"quota": KEPT}}}}
RACKS = {
    "Cluster": {"topology": {"levels": {"rack": "example.com/rack", "host": "kubernetes.io/hostname"}}},
}


def _scheduled_by(operator: str, release: str) -> dict[str, dict[str, object]]:
    """The cluster with another gang scheduler than Kueue."""
    operators = {"kueue": None, operator: {"release": release}}
    return {"Cluster": {"operators": operators, "kueue": None, "cohort": None}}


VOLCANO = _scheduled_by("volcano", "v1.15.1")
COSCHEDULING = _scheduled_by("scheduler-plugins", "v0.34.7")


def _env(leaf: str, names: tuple[str, ...] = ()) -> tuple[Row, ...]:
    """Rows for the variables of a job or of a role."""

    def given(**variable: str) -> dict[str, Any]:
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


def _kept(field: str) -> tuple[Row, ...]:
    """Rows for where files go that outlive the run."""
    own = {field: {"create": {"storage": "shared", "size": "1Ti"}}}
    return (
        Row(f"{field}.create.storage", "shared", other="home", given=own),
        Row(f"{field}.create.size", "2Ti", other="1Ti", given=own),
        Row(f"{field}.create.access", "rwo", given=own),
        Row(f"{field}.uri", "s3://acme-a", other="s3://acme-b", given={field: {}}),
        Row(f"{field}.credentials", "wandb", given={field: {"uri": "s3://acme"}}),
        Row(f"{field}.subPath", "a", given={field: {"volume": "data"}}),
    )


def _role(names: tuple[str, ...]) -> tuple[Row, ...]:
    """Rows for the head or for a group of workers."""
    on_gpus = RAY | {"roles": {"head": {}, "workers": {}, names[0]: {"gpus": {"perNode": 1}}}}
    sized = RAY | {"roles": {"head": {}, "workers": {}, names[0]: {"cpu": "3", "memory": "9Gi"}}}
    return (
        Row("roles.*.gpus.perNode", 1, given=RAY, names=names),
        Row("roles.*.gpus.type", "h100", given=on_gpus, names=names),
        Row("roles.*.gpus.mig", "3g.20gb", given=on_gpus, names=names, beside=PARTS),
        Row("roles.*.gpus.shared", True, given=on_gpus, names=names, beside=PARTS),
        Row("roles.*.gpus.resource", SLICES, given=on_gpus, names=names, beside=PARTS),
        Row("roles.*.resources.*", 2, other=1, given=RAY, names=(*names, FPGA), beside=PARTS),
        Row("roles.*.cpu", "3", given=RAY, names=names),
        Row("roles.*.memory", "9Gi", given=RAY, names=names),
        Row("roles.*.limits.cpu", "24", given=sized, names=names),
        Row("roles.*.limits.memory", "24Gi", given=sized, names=names),
        Row("roles.*.pool", "h100", given=RAY, names=names),
        Row("roles.*.image", "registry.example.com/other:2", given=RAY, names=names),
    )


BODY_ROWS: tuple[Row, ...] = (
    Row("description", "finds cats"),
    Row("owner", "alice"),
    Row("costCenter", "42"),
    Row("whenEdited", "keep"),
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
    Row("code.git.path", "src", given=GIT),
    Row("code.git.submodules", True, given=GIT),
    Row("code.git.depth", 5, given=GIT),
    Row("code.volume.volume", "data", other="checkpoints", given={"code": {"volume": {}}}),
    Row("code.volume.path", "src", given={"code": {"volume": {"volume": "data"}}}),
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
    Row("gpus.mig", "3g.20gb", given=GPUS, beside=PARTS),
    Row("gpus.shared", True, given=GPUS, beside=PARTS),
    Row("gpus.resource", SLICES, given=GPUS, beside=PARTS),
    Row("resources.*", 2, other=1, names=(FPGA,), beside=PARTS),
    Row("limits.cpu", "24", given={"cpu": "3"}),
    Row("limits.memory", "24Gi", given={"memory": "9Gi"}),
    Row("ephemeralStorage", "20Gi"),
    Row("platform", "amd64"),
    Row("cpu", "3"),
    Row("memory", "9Gi"),
    Row("shm", "64Mi"),
    Row("scratch.size", "2Gi", other="1Gi"),
    Row("scratch.mountPath", "/fast", given={"scratch": {"size": "1Gi"}}),
    Row("scratch.medium", "memory", given={"scratch": {"size": "1Gi"}}),
    Row("scratch.storage", "block", given={"scratch": {"size": "1Gi"}}, beside=PARTS),
    Row("fabric.name", "efa", other="none", given=WHOLE_NODE),
    Row("fabric.name", "efa"),
    Row("fabric.devices", 16, given=WHOLE_NODE),
    Row("fabric.devices", 16),
    Row("fabric.networks[]", ["fast"], given=WHOLE_NODE),
    Row("fabric.interface", "eth1"),
    Row("fabric.verify", "off", given=WHOLE_NODE),
    Row("fabric.verify", "off"),
    Row("roles.*.nodes.min", 2, other=1, given=WORKERS_OF_TWO, names=WORKERS),
    Row("roles.*.nodes.max", 2, given=RAY, names=WORKERS),
    *_role(WORKERS),
    *_role(HEAD),
    Row("roles.*.run.script", "a.py", other="b.py", given=PARTED, names=RIGHT),
    Row("roles.*.run.module", "serve", given=PARTED, names=RIGHT, needed=True),
    Row("roles.*.run.command[]", ["serve", "--all"], given=PARTED, names=RIGHT),
    Row("roles.*.run.args[]", ["--lr", "0.1"], given=PARTED_PROGRAM, names=RIGHT),
    Row("roles.*.run.entrypoint", "image", given=PARTED, names=RIGHT, needed=True),
    Row("roles.*.run.setup[]", ["true", "echo"], given=PARTED_PROGRAM, names=RIGHT),
    *_env("roles.*.", WORKERS),
    *_env("roles.*.", HEAD),
    Row("queue", "none", alike={"MPIJob v1": "its cluster has no queues"}),
    Row("priority", "high"),
    Row("priority", "high", given={"queue": "none"}),
    Row("preemptible", False, beside=GUARANTEED),
    Row("preemptible", False),
    Row("preemptible", False, given={"queue": "none"}),
    Row("gang", "none"),
    Row("gang", "none", beside=VOLCANO),
    Row("gang", "none", beside=COSCHEDULING),
    Row("topology.required", "host"),
    Row("topology.required", "rack", beside=RACKS),
    Row("topology.required", "rack", beside={"Cluster": {**RACKS["Cluster"], **VOLCANO["Cluster"]}}),
    Row("topology.preferred", "rack", beside=RACKS),
    Row("topology.slice.size", 2, other=1, given={"topology": {"slice": {"required": "rack"}}}, beside=RACKS),
    Row(
        "topology.slice.required",
        "rack",
        other="host",
        given={"topology": {"slice": {"size": 1}}},
        beside=RACKS,
    ),
    Row("exclusive", "host"),
    Row("exclusive", "host", beside=RACKS),
    Row("capacity[]", ["spot"]),
    Row("capacity[]", ["on-demand", "spot"]),
    Row("capacity[]", ["spot"], given={"pool": "cpu"}),
    Row("pool", "h100"),
    Row("data.*.volume", "data", other="checkpoints", given=PLACE, names=("in",)),
    Row("data.*.claim", "old", other="older", given=PLACE, names=("in",)),
    Row("data.*.create.storage", "shared", other="home", given=OWN, names=("in",)),
    Row("data.*.create.size", "2Ti", other="1Ti", given=OWN, names=("in",)),
    Row("data.*.create.access", "rwo", given=OWN, names=("in",)),
    Row("data.*.configMap", "settings", other="more", given=PLACE, names=("in",)),
    Row("data.*.secret", "wandb", other="registry", given=PLACE, names=("in",)),
    Row("data.*.hostPath", "/mnt/a", other="/mnt/b", given=PLACE | PRIVILEGED, names=("in",)),
    Row("data.*.source.*", {"medium": "Memory"}, other={}, given=PLACE, names=("in", "emptyDir")),
    Row("data.*.uri", "s3://acme-a", other="s3://acme-b", given={"data": {"in": {}}}, names=("in",)),
    Row("data.*.mode", "prefetch", given={"data": {"in": FETCHED}}, names=("in",), needed=True),
    Row(
        "data.*.size",
        "2Gi",
        other="1Gi",
        given={"data": {"in": FETCHED | {"mode": "prefetch"}}},
        names=("in",),
    ),
    Row("data.*.credentials", "wandb", given=ADDRESS, names=("in",)),
    Row("data.*.shard", "rank", given=VOLUME, names=("in",)),
    Row("data.*.requires", "_SUCCESS", given=VOLUME, names=("in",)),
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
    Row("checkpoint.resume", "resnet-1a2b3c4d", given=SAVES),
    Row("checkpoint.async", True, given=SAVES),
    Row("checkpoint.local.size", "2Gi", other="1Gi", given=SAVES),
    Row("checkpoint.local.medium", "memory", given=SAVES_NEAR),
    Row("checkpoint.local.storage", "shared", given=SAVES_NEAR),
    Row("checkpoint.local.every.time", "30s", given=SAVES_NEAR),
    Row("checkpoint.local.every.steps", 50, given=SAVES_NEAR),
    *_kept("checkpoint"),
    Row("output.volume", "checkpoints", other="data"),
    Row("output.mountPath", "/results", given={"output": {"volume": "data"}}),
    *_kept("output"),
    Row("restarts.failures", 2),
    Row("restarts.faults", "none", other="counted", given={"restarts": {"failures": 2}}),
    Row("restarts.scope", "pod", other="process", given={"restarts": {"failures": 2}}),
    Row("failOn[]", [3, 4]),
    Row("retryOn[]", [3, 4]),
    Row("successWhen.done", "any", other="all", given={"nodes": {"min": 2, "max": 2}}),
    Row("successWhen.role", "worker", given=WORKERS_OF_TENSORFLOW),
    Row("startupTimeout", "20m"),
    Row("keepFailedFor", "1h"),
    Row("autoscaler.idleTimeout", "5m", given=SCALING_RAY),
    Row("autoscaler.upscaling", "aggressive", given=SCALING_RAY),
    Row("autoscaler.version", "v2", given=SCALING_RAY),
    Row("sweep.grid.*[]", [1, 2], names=("lr",)),
    Row("sweep.points[].*", 0.1, other=0.2, names=("lr",), given={"sweep": {"grid": None}}),
    Row("sweep.parallel.max", 2, given=SWEEP),
    Row("sweep.parallel.min", 2, given=SWEEP),
    Row("sweep.tolerate", 1, given=SWEEP),
    Row("gracePeriod", "5m"),
    Row(
        "shutdownTimeout",
        "1m",
        given=SCRIPT | {"framework": "pytorch", "launcher": "torchrun", "gracePeriod": "5m"},
    ),
    Row("shutdownTimeout", "1m", given={"gracePeriod": "5m"}),
    Row("caBundle.configMap", "settings", other="more"),
    Row("caBundle.key", "all.pem", given={"caBundle": {"configMap": "settings"}}),
    Row("security.seccomp", "profiles/train.json"),
    Row("deadline", "8h"),
    Row("deadline", "8h", given={"queue": "none"}),
    Row("cleanup", "all"),
    Row("doNotDisrupt", True),
    Row("hang", "10m", given=WHOLE_NODE | {"framework": "pytorch"}),
    Row("hang", "10m"),
    Row("hang", "10m", given=SCRIPT | {"runtime": "carried"}),
    Row("runtime", "carried", other="installed", given=SCRIPT),
    Row("metrics.port", 9401, other=9400, beside=WATCHED),
    Row("metrics.path", "/stats", given={"metrics": {"port": 9400}}, beside=WATCHED),
    Row("metrics.port", 9400),
    Row("tracking.kind", "wandb", other="comet", given={"tracking": {"project": "cats"}}),
    Row("tracking.project", "cats", given={"tracking": {"kind": "wandb"}}),
    Row("tracking.url", "https://a.example.com", given={"tracking": {"kind": "wandb"}}),
    Row("tracking.secret", "wandb", other="registry", given={"tracking": {"kind": "wandb", "key": "k"}}),
    Row("tracking.key", "k", other="l", given={"tracking": {"kind": "wandb", "secret": "wandb"}}),
    Row("tensorboard.path", "/checkpoints/a", other="/checkpoints/b", given=EVENTS),
    Row("debug[]", ["nccl", "torch"], given=WHOLE_NODE | {"framework": "pytorch"}),
    Row("debug[]", ["nccl", "torch"]),
    Row("notify.*[]", ["cats", "alerts"], names=("slack",)),
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
    Row("schedule.resumePrevious", True, given=WEEKLY | SAVES),
    Row("state", "stopped"),
    Row("clusters.*.state", "stopped", names=("lab",)),
    Row("environments.*.attempt", 2, names=("prod",)),
    Row("environments.*.state", "stopped", names=("prod",)),
)
"""Leaves that only jobs have."""
