"""What the code may count on: where it is, what it is called, where and how often to save."""

from collections.abc import Iterator

from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.compile.pod.space import own_space
from trainshed.model.backend import Backend
from trainshed.model.contract import LOCAL_CHECKPOINTS
from trainshed.model.plan import Target
from trainshed.model.pods import EnvVar, PodGroup


def contract(target: Target, group: PodGroup) -> PodPart:
    """Variables that every run has, whatever its kind."""
    plain = [EnvVar(name, "value", value) for name, value in _variables(target, group)]
    firing = [EnvVar("TRAINSHED_FIRING", "field", "metadata.labels['batch.kubernetes.io/job-name']")]
    return PodPart(
        env=(*(firing if target.backend is Backend.CRONJOB else ()), *plain),
        sources={
            "TRAINSHED_FIRING": ("schedule",),
            "TRAINSHED_ATTEMPT": ("attempt",),
            "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": ("shutdownTimeout",),
        },
    )


def _variables(target: Target, group: PodGroup) -> Iterator[tuple[str, str]]:
    yield "HOME", "/tmp"
    yield "USER", "train"
    yield "TRAINSHED_JOB", target.job
    yield "TRAINSHED_RUN", target.run
    yield "TRAINSHED_ATTEMPT", str(target.attempt)
    if group.command[:1] == ("torchrun",) and target.shutdown_seconds:
        yield "TORCH_ELASTIC_SHUTDOWN_TIMEOUT", str(target.shutdown_seconds)


def checkpoints(target: Target, _: PodGroup) -> PodPart:
    """Where, how often and how many checkpoints to save, for the code or the runtime library."""
    variables = tuple(EnvVar(name, "value", value) for name, value in _checkpoint_variables(target))
    return PodPart(env=variables, source=("checkpoint",))


def _checkpoint_variables(target: Target) -> Iterator[tuple[str, str]]:
    checkpoint = target.checkpoint
    if checkpoint is None:
        return
    yield "TRAINSHED_CHECKPOINT_DIR", checkpoint.directory
    yield "TRAINSHED_CHECKPOINT_RESUME", checkpoint.resume
    if checkpoint.resume_from:
        yield "TRAINSHED_CHECKPOINT_RESUME_FROM", checkpoint.resume_from
    numbers = {
        "TRAINSHED_CHECKPOINT_EVERY_SECONDS": checkpoint.every_seconds,
        "TRAINSHED_CHECKPOINT_EVERY_STEPS": checkpoint.every_steps,
        "TRAINSHED_CHECKPOINT_KEEP_LAST": checkpoint.keep_last,
        "TRAINSHED_CHECKPOINT_KEEP_BEST": checkpoint.keep_best,
        "TRAINSHED_CHECKPOINT_SAVE_SECONDS": checkpoint.save_seconds,
    }
    yield from ((name, str(number)) for name, number in numbers.items() if number)
    if checkpoint.in_background:
        yield "TRAINSHED_CHECKPOINT_ASYNC", "true"
    yield "TRAINSHED_GRACE_SECONDS", str(target.grace_seconds)


def local_checkpoints(target: Target, _: PodGroup) -> PodPart:
    """The fast tier on the node: space that is gone with the pod, and how often to save to it."""
    local = target.checkpoint.local if target.checkpoint else None
    if local is None:
        return NO_PART
    in_memory = local.medium == "memory"
    on_disk = not local.storage_class and not in_memory
    numbers = {
        "TRAINSHED_CHECKPOINT_LOCAL_EVERY_SECONDS": local.every_seconds,
        "TRAINSHED_CHECKPOINT_LOCAL_EVERY_STEPS": local.every_steps,
    }
    return PodPart(
        volumes=(
            {"name": "local-checkpoints", **own_space(local.size, local.storage_class, in_memory=in_memory)},
        ),
        mounts=({"name": "local-checkpoints", "mountPath": LOCAL_CHECKPOINTS},),
        env=(
            EnvVar("TRAINSHED_CHECKPOINT_LOCAL_DIR", "value", LOCAL_CHECKPOINTS),
            *(EnvVar(name, "value", str(number)) for name, number in numbers.items() if number),
        ),
        requests={"ephemeral-storage": local.size} if on_disk else {},
        source=("checkpoint", "local"),
    )


def output(target: Target, _: PodGroup) -> PodPart:
    """Where results go."""
    if not target.output:
        return NO_PART
    return PodPart(env=(EnvVar("TRAINSHED_OUTPUT_DIR", "value", target.output),), source=("output",))
