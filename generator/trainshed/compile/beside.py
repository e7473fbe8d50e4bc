"""What stands beside a run: hashed ConfigMaps, the network between its pods, claims of its own.

A new companion is a function here or in a file of its own, and a row in BESIDE.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from trainshed.catalog.runtime import runtime_files
from trainshed.compile.disruption import disruption_budget
from trainshed.compile.labels import job_labels
from trainshed.compile.names import (
    PASSWD_FILE,
    code_config_map,
    needs_passwd,
    parameters_config_map,
    passwd_config_map,
    passwd_text,
    runtime_config_map,
    runtime_keys,
)
from trainshed.compile.plain import without_empty
from trainshed.compile.platform.claims import KEPT, claim, claim_origins
from trainshed.compile.platform.network import run_policy
from trainshed.compile.pod.code import PARAMETERS_FILE
from trainshed.compile.podgroup import pod_group
from trainshed.compile.raw import raw_objects
from trainshed.compile.runtime import divide, runtime_origins
from trainshed.compile.sweep import point_files, sweep_config_map
from trainshed.model.backend import Backend
from trainshed.model.families import LASTING, RAY
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.plan import Target

Companion: TypeAlias = tuple[JsonObject, Origins]
"""An object and where it comes from."""


def code(target: Target) -> Iterator[Companion]:
    """The code files that travel with the run."""
    if target.code_files:
        config = code_config_map(target)
        texts = {key: file.content.decode("utf-8") for key, file in config.files}
        yield config_map(config.name, target, texts), Origins(target.sources.find("run"))


def training_runtime(target: Target) -> Iterator[Companion]:
    """The training runtime, where the run carries it."""
    if target.runtime == "carried":
        files = runtime_files()
        texts = {key: files[path] for key, path in runtime_keys().items()}
        yield (
            config_map(runtime_config_map(target).name, target, texts),
            Origins(target.sources.find("runtime")),
        )


def parameters(target: Target) -> Iterator[Companion]:
    """The hyper-parameters."""
    if target.parameters:
        body = config_map(
            parameters_config_map(target).name, target, {PARAMETERS_FILE: target.parameters + "\n"}
        )
        yield body, Origins(target.sources.find("parameters"))


def sweep(target: Target) -> Iterator[Companion]:
    """The parameters of each point."""
    if target.sweep is not None:
        name, files = sweep_config_map(target, target.sweep), point_files(target.sweep)
        yield config_map(name, target, files), Origins(target.sources.find("sweep"))


def passwd(target: Target) -> Iterator[Companion]:
    """A name for the numeric user, where ssh asks for one."""
    if needs_passwd(target):
        body = config_map(passwd_config_map(target).name, target, {PASSWD_FILE: passwd_text(target)})
        yield body, Origins(target.sources.find("code", "git"))


def network(target: Target) -> Iterator[Companion]:
    """What lets the pods of a run talk to each other; those of a Job have nothing to say."""
    if target.backend in RAY or (target.max_pods > 1 and not target.backend.is_alone):
        policy = run_policy(target.run, target.namespace, job_labels(target))
        yield policy, Origins(target.sources.find("nodes"))


def claims(target: Target) -> Iterator[Companion]:
    """The job's own claims."""
    for volume in target.claims:
        yield claim(volume, target.namespace, job_labels(target)), claim_origins(volume)


def runtime(target: Target) -> Iterator[Companion]:
    """The pods of a TrainJob."""
    if target.backend is Backend.TRAINJOB:
        yield divide(target).runtime, runtime_origins(target)


BESIDE: tuple[Callable[[Target], Iterator[Companion]], ...] = (
    code,
    training_runtime,
    parameters,
    sweep,
    passwd,
    network,
    claims,
    runtime,
    disruption_budget,
    pod_group,
    raw_objects,
)
"""Everything that may stand beside a run."""

OUTLIVING: tuple[Callable[[Target], Iterator[Companion]], ...] = (claims,)
"""What stays when the run is stopped."""


def config_map(name: str, target: Target, data: Mapping[str, str]) -> JsonObject:
    """A ConfigMap that never changes: its name is a hash of what it holds."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": without_empty(
            {
                "name": name,
                "namespace": target.namespace,
                "labels": job_labels(target),
                # A firing of the schedule, or a pod that runs, may still mount what an edit has replaced.
                "annotations": dict(KEPT) if target.backend in LASTING else {},
            }
        ),
        "immutable": True,
        "data": dict(data),
    }
