"""The TrainingRuntime of a TrainJob: all of its pods that a TrainJob cannot say.

A run has a runtime of its own, named by what it holds. The training container stands in two places, divided by field:
Trainer puts the two together (v2.3.0, `pkg/runtime/core/trainingruntime.go`), and nothing is said twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from trainshed.compile.gang import pod_group_policy
from trainshed.compile.jobset import jobset_spec, replicated_job
from trainshed.compile.labels import job_labels
from trainshed.compile.origins import run_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod import pod_template
from trainshed.model.manifest import JsonObject, Origins, canonical_json
from trainshed.model.naming import content_name
from trainshed.model.plan import Target
from trainshed.model.provenance import FieldPath

API_VERSION = "trainer.kubeflow.org/v1alpha1"
TRAINS: Mapping[str, str] = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
"""How Trainer knows the Job that it counts and sets variables in."""

OF_TRAINER: Mapping[str, str] = {
    "image": "image",
    "command": "command",
    "args": "args",
    "env": "env",
    "resources": "resourcesPerNode",
}
"""Fields of the container that the TrainJob says, and their names there."""

POLICIES: Mapping[str, str] = {"pytorch": "torch", "jax": "jax", "xgboost": "xgboost"}
"""Whose environment Trainer sets, by framework. Of any other it only counts the nodes."""

FIRST: Mapping[str, str] = {"argocd.argoproj.io/sync-wave": "-1"}
"""A TrainJob is refused while its runtime is not there, and Argo CD would apply it before."""


@dataclass(frozen=True, slots=True)
class Divided:
    """A run's pods: what its TrainJob says of the training container, and its runtime with all the rest."""

    trainer: JsonObject
    runtime: JsonObject


def divide(target: Target) -> Divided:
    """What goes into the TrainJob, and what into its TrainingRuntime."""
    (role,) = target.roles
    template = pod_template(
        target, role.group, container=target.backend.carrier.container, restart_policy="Never"
    )
    container = template["spec"]["containers"][0]
    trainer = {OF_TRAINER[field]: container.pop(field) for field in OF_TRAINER if field in container}
    job = replicated_job(target, role.name, template, labels=TRAINS)
    spec = {
        "mlPolicy": _ml_policy(target, role.pods),
        **without_empty({"podGroupPolicy": pod_group_policy(target)}),
        "template": {"spec": jobset_spec(target, [job])},
    }
    counts = {"numNodes": role.pods, "numProcPerNode": target.procs_per_node}
    return Divided({**counts, **trainer}, _runtime(target, spec))


def runtime_origins(target: Target) -> Origins:
    """Where the parts of the runtime come from."""
    job = "/spec/template/spec/replicatedJobs/0/template/spec"
    own: dict[str, FieldPath] = {
        "/spec/template/spec/failurePolicy": ("restarts",),
        f"{job}/podFailurePolicy": ("failOn",) if target.fail_on else ("restarts",),
    }
    return run_origins(target, own, {f"{job}/template": target.groups[0]})


def _ml_policy(target: Target, nodes: int) -> JsonObject:
    policy = POLICIES.get(target.framework)
    return {"numNodes": nodes, **({policy: {}} if policy else {})}


def _runtime(target: Target, spec: JsonObject) -> JsonObject:
    edits = target.edits.fingerprint
    return {
        "apiVersion": API_VERSION,
        "kind": "TrainingRuntime",
        "metadata": without_empty(
            {
                "name": content_name(target.job, "runtime", (canonical_json(spec) + edits).encode()),
                "namespace": target.namespace,
                "labels": job_labels(target),
                "annotations": dict(FIRST),
            }
        ),
        "spec": spec,
    }
