"""What tells the pods of an Indexed Job apart: an index each, and in a sweep a file of parameters."""

from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.compile.sweep import point_file, sweep_config_map
from trainshed.model.contract import CONTRACT_DIRECTORY, INDEX_VARIABLE
from trainshed.model.plan import Target
from trainshed.model.pods import EnvVar, PodGroup

INDEX_FIELD = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
"""Where Kubernetes says which pod of its Indexed Job a pod is."""


def indexes(target: Target, _: PodGroup) -> PodPart:
    """The index, before all variables that refer to it.

    The Job controller adds it to a container that does not have it, but behind them, where it is not yet known
    (Kubernetes v1.36.3, `pkg/controller/job/indexed_job_utils.go`).
    """
    if not target.indexes:
        return NO_PART
    return PodPart(
        env=(EnvVar(INDEX_VARIABLE, "field", INDEX_FIELD),),
        source=("nodes",) if target.sweep is None else ("sweep",),
    )


def sweep(target: Target, _: PodGroup) -> PodPart:
    """The parameters of all points are mounted; a variable names the pod's own.

    The values cannot be variables themselves: all pods of a Job have one template, and no field of a pod reads a
    variable's name or key from another variable.
    """
    if target.sweep is None:
        return NO_PART
    volume = {"name": "parameters", "configMap": {"name": sweep_config_map(target, target.sweep)}}
    mount = {"name": "parameters", "mountPath": CONTRACT_DIRECTORY, "readOnly": True}
    own = EnvVar(
        "TRAINSHED_PARAMETERS", "value", f"{CONTRACT_DIRECTORY}/{point_file(f'$({INDEX_VARIABLE})')}"
    )
    return PodPart(volumes=(volume,), mounts=(mount,), env=(own,), source=("sweep",))
