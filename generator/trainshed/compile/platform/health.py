"""Health rules in Lua, for the kinds whose health Argo CD does not know: without one a failed run looks healthy.

Each reads what the kind's own controller writes: conditions of the Training Operator v1.9.4 and MPI Operator v0.8.2
(`pkg/apis/kubeflow.org/v1/common_types.go`), JobSet v0.12.0 and Trainer v2.3.0, and KubeRay's
`status.jobDeploymentStatus`. The gravest word counts, for older conditions stay in the list.
"""

from collections.abc import Iterator, Mapping

from trainshed.compile.platform.kinds import GroupKind, run_kinds
from trainshed.model.cluster import Cluster

APPLICATION = """\
local health = { status = "Progressing", message = "not synced yet" }
if obj.status and obj.status.health and obj.status.health.status then
  health.status = obj.status.health.status
  health.message = obj.status.health.message or ""
end
return health
"""
"""Argo CD dropped its health rule for Application itself; waves do not cross apps without one."""

CONDITIONS = """\
local words = { { "Failed", "Degraded" }, { "%s", "Healthy" }, { "Suspended", "Suspended" } }
local status = obj.status or {}
for _, word in ipairs(words) do
  for _, condition in ipairs(status.conditions or {}) do
    if condition.type == word[1] and condition.status == "True" then
      return { status = word[2], message = condition.message or "" }
    end
  end
end
return { status = "Progressing", message = "waits or runs" }
"""

RAY_JOB = """\
local status = obj.status or {}
local words = { Failed = "Degraded", ValidationFailed = "Degraded", Suspended = "Suspended", Suspending = "Suspended" }
local word = words[status.jobDeploymentStatus] or "Progressing"
if status.jobDeploymentStatus == "Complete" then
  word = status.jobStatus == "SUCCEEDED" and "Healthy" or "Degraded"
end
return { status = word, message = status.message or status.jobDeploymentStatus or "waits" }
"""

DONE: Mapping[GroupKind, str] = {
    ("jobset.x-k8s.io", "JobSet"): "Completed",
    ("trainer.kubeflow.org", "TrainJob"): "Complete",
    **{
        ("kubeflow.org", kind): "Succeeded"
        for kind in ("JAXJob", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")
    },
}
"""The condition of a run that has ended well, by kind."""


def health_rules(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Settings of Argo CD, by key: Application itself, and the kinds that runs have on the cluster."""
    yield _key(("argoproj.io", "Application")), APPLICATION
    for kind in run_kinds(cluster):
        if kind in DONE:
            yield _key(kind), CONDITIONS % DONE[kind]
        elif kind == ("ray.io", "RayJob"):
            yield _key(kind), RAY_JOB


def _key(kind: GroupKind) -> str:
    return f"resource.customizations.health.{kind[0]}_{kind[1]}"
