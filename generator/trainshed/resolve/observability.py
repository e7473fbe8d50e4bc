"""How a run is watched: what the job says becomes the variables that trackers, torch and NCCL look for."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from trainshed.model.codes import Code
from trainshed.model.observability import MetricsPort, Observability
from trainshed.model.pods import EnvVar, Mount, PodGroup
from trainshed.model.spec.observability import Tracking
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import check_secret

TRACKERS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "wandb": {"project": "WANDB_PROJECT", "url": "WANDB_BASE_URL", "secret": "WANDB_API_KEY"},
        "mlflow": {
            "project": "MLFLOW_EXPERIMENT_NAME",
            "url": "MLFLOW_TRACKING_URI",
            "secret": "MLFLOW_TRACKING_TOKEN",
        },
        "comet": {"project": "COMET_PROJECT_NAME", "url": "COMET_URL_OVERRIDE", "secret": "COMET_API_KEY"},
    }
)
"""Variables of the trackers (docs.wandb.ai/guides/track/environment-variables, mlflow/mlflow
`mlflow/environment_variables.py`, www.comet.com/docs/v2/guides/experiment-management/configure-sdk)."""

DEBUG: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "nccl": {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET,GRAPH,ENV"},
        "torch": {"TORCH_DISTRIBUTED_DEBUG": "DETAIL", "TORCH_SHOW_CPP_STACKTRACES": "1"},
        "flight-recorder": {
            "TORCH_NCCL_TRACE_BUFFER_SIZE": "2000",
            "TORCH_NCCL_DUMP_ON_TIMEOUT": "1",
            "TORCH_NCCL_DESYNC_DEBUG": "1",
        },
    }
)
"""Variables that make NCCL and torch talk (docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html,
docs.pytorch.org/docs/stable: `distributed.html`, `torch_nccl_environment_variables.html`; the size of the buffer is
that of docs.pytorch.org/tutorials/prototype/flight_recorder_tutorial.html)."""

OF_TORCH = frozenset({"torch", "flight-recorder"})
BETWEEN_GPUS = frozenset({"nccl", "flight-recorder"})


def resolve_observability(
    draft: Draft, groups: tuple[PodGroup, ...], mounts: tuple[Mount, ...]
) -> Observability:
    """What the job says about being watched."""
    variables = (
        *_tracking(draft),
        *_tensorboard(draft, mounts),
        *_debug(draft, groups),
        *_hang(draft, groups),
    )
    for variable, field in variables:
        _check_free(draft, variable, field)
    return Observability(
        env=tuple(variable for variable, _ in variables),
        metrics=_metrics(draft),
        notify=_notify(draft),
        fields=MappingProxyType({variable.name: field for variable, field in variables}),
    )


Variables = Iterator[tuple[EnvVar, tuple[str, ...]]]
"""Variables, and the fields that ask for them."""


def _tracking(draft: Draft) -> Variables:
    tracking = draft.body.tracking
    if tracking is None:
        return
    if tracking.kind is None:
        _refuse_missing(
            draft, ("tracking",), "which tracker the run is recorded by", "kind: wandb, mlflow or comet"
        )
        return
    if tracking.kind == "mlflow" and tracking.url is None:
        _refuse_missing(
            draft, ("tracking",), "where MLflow is", "url: https://…, or it writes into the pod itself"
        )
    names = TRACKERS[tracking.kind]
    for field in ("project", "url"):
        value = getattr(tracking, field)
        if value is not None:
            yield EnvVar(names[field], "value", value), ("tracking", field)
    yield from _tracking_secret(draft, tracking, names["secret"])


def _tracking_secret(draft: Draft, tracking: Tracking, name: str) -> Variables:
    if tracking.secret is None and tracking.key is None:
        return
    if tracking.secret is None or tracking.key is None:
        _refuse_missing(
            draft, ("tracking",), "both the Secret and its key", "secret: wandb and key: api-key, for example"
        )
        return
    check_secret(draft, tracking.secret, ("tracking", "secret"))
    yield EnvVar(name, "secret", tracking.secret, tracking.key), ("tracking", "secret")


def _tensorboard(draft: Draft, mounts: tuple[Mount, ...]) -> Variables:
    path = draft.body.tensorboard.path if draft.body.tensorboard else None
    if path is None:
        return
    lasting = [mount.mount_path for mount in mounts if mount.kind != "configMap" and not mount.read_only]
    if not any(f"{path}/".startswith(f"{place}/") for place in lasting):
        draft.refuse(
            Code.BAD_PATH,
            ("tensorboard", "path"),
            f'"{path}" is gone with its pod, and the event files with it',
            f"write a path below {' or '.join(lasting)}"
            if lasting
            else "mount a volume under data, or say where checkpoints go, and write a path below it",
        )
    yield EnvVar("TRAINSHED_TENSORBOARD_DIR", "value", path), ("tensorboard", "path")


def _debug(draft: Draft, groups: tuple[PodGroup, ...]) -> Variables:
    for index, wish in enumerate(draft.body.debug or ()):
        if wish in OF_TORCH:
            _check_torch(draft, ("debug", index), f"debug: {wish}")
        if wish in BETWEEN_GPUS:
            _check_gpus(draft, groups, ("debug", index), f"debug: {wish}")
        yield from ((EnvVar(name, "value", value), ("debug",)) for name, value in DEBUG[wish].items())


def _hang(draft: Draft, groups: tuple[PodGroup, ...]) -> Variables:
    """Torch ends a process whose watchdog is stuck, the runtime processes whose steps stand still; restarts follow."""
    if draft.body.hang is None:
        return
    if draft.body.runtime not in (None, "none"):
        yield EnvVar("TRAINSHED_HANG_SECONDS", "value", str(draft.body.hang)), ("hang",)
        if draft.body.framework != "pytorch" or not any(group.gpus for group in groups):
            return
    _check_torch(draft, ("hang",), "hang")
    _check_gpus(draft, groups, ("hang",), "hang")
    yield EnvVar("TORCH_NCCL_ENABLE_MONITORING", "value", "1"), ("hang",)
    yield EnvVar("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "value", str(draft.body.hang)), ("hang",)


def _check_torch(draft: Draft, field: tuple[str | int, ...], wish: str) -> None:
    if draft.body.framework != "pytorch":
        draft.refuse(
            Code.BACKEND_CANNOT,
            field,
            f"{wish} is torch's, and this job does not say that it runs torch",
            f"write framework: pytorch, or leave {field[0]} out",
        )


def _check_gpus(draft: Draft, groups: tuple[PodGroup, ...], field: tuple[str | int, ...], wish: str) -> None:
    if not any(group.gpus for group in groups):
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            field,
            f"{wish} is about NCCL, which moves data between GPUs, and this job has none",
            f"write gpus, or leave {field[0]} out",
        )


def _metrics(draft: Draft) -> MetricsPort | None:
    metrics = draft.body.metrics
    if metrics is None:
        return None
    if draft.cluster.monitoring is None:
        draft.refuse(
            Code.MISSING_OPERATOR,
            ("metrics",),
            f'nothing on cluster "{draft.cluster.name}" scrapes metrics',
            f"write monitoring: {{}} in {draft.cluster.source.path}, or leave metrics out",
        )
    if metrics.port is None:
        _refuse_missing(draft, ("metrics",), "the port of the metrics", "port: 9400, for example")
        return None
    return MetricsPort(metrics.port, metrics.path or "/metrics")


def _notify(draft: Draft) -> Mapping[str, tuple[str, ...]]:
    """Recipients by service, in one order."""
    written = sorted((draft.body.notify or {}).items())
    return MappingProxyType({str(service): tuple(names) for service, names in written if names})


def _check_free(draft: Draft, variable: EnvVar, field: tuple[str, ...]) -> None:
    """A finding where the job sets a variable itself that another of its fields sets."""
    if variable.name in (draft.body.env or {}):
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("env", variable.name),
            f"{variable.name} is what {field[0]} sets",
            f"keep one of them; {field[0]} was written at {draft.source(*field)}",
        )


def _refuse_missing(draft: Draft, field: tuple[str, ...], what: str, advice: str) -> None:
    draft.refuse(Code.MISSING_FIELD, field, f"{field[0]} does not say {what}", f"write {advice}")
