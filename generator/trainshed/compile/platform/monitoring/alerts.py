"""When somebody should look: runs that are stuck, that failed, that hold GPUs and do nothing with them.

Metrics: kube-state-metrics (`docs/metrics/workload/{pod,job}-metrics.md`), Kueue v0.19.2 `pkg/metrics/metrics.go`,
Training Operator v1.9.4 `pkg/common/metrics.go`, KubeRay v1.6.2 `controllers/ray/metrics`, and NVIDIA's dcgm-exporter
(`etc/default-counters.csv`).
"""

from dataclasses import dataclass
from typing import Literal

from trainshed.compile.platform.monitoring.scope import Scope
from trainshed.model.manifest import JsonObject

Teller = Literal["", "kueue", "training-operator", "kuberay", "gpus"]


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert: who has to be there for it, how long the expression must hold, and what it says.

    `NAMESPACES` and `QUEUES` in the expression stand for those of the cluster's teams.
    """

    name: str
    needs: Teller
    severity: Literal["warning", "critical"]
    lasting: str
    expression: str
    summary: str


ALERTS: tuple[Alert, ...] = (
    Alert(
        "TrainingPodPending",
        "",
        "warning",
        "30m",
        'kube_pod_status_phase{namespace=~"NAMESPACES", phase="Pending"} == 1',
        "{{ $labels.namespace }}/{{ $labels.pod }} has had its place in the queue for half an hour and does not run",
    ),
    Alert(
        "TrainingQueueStalled",
        "kueue",
        "warning",
        "1h",
        'sum by (cluster_queue) (kueue_pending_workloads{cluster_queue=~"QUEUES"}) > 0'
        " unless on (cluster_queue)"
        ' sum by (cluster_queue) (kueue_admitted_active_workloads{cluster_queue=~"QUEUES"}) > 0',
        "runs wait in queue {{ $labels.cluster_queue }}, and none of its runs is active",
    ),
    Alert(
        "TrainingJobFailed",
        "",
        "critical",
        "0m",
        'kube_job_failed{namespace=~"NAMESPACES", condition="true"} == 1'
        ' unless kube_job_failed{namespace=~"NAMESPACES", condition="true"} offset 1d == 1',
        "Job {{ $labels.namespace }}/{{ $labels.job_name }} has failed",
    ),
    Alert(
        "TrainingRunFailed",
        "training-operator",
        "critical",
        "0m",
        'sum by (job_namespace, framework) (training_operator_jobs_failed_total{job_namespace=~"NAMESPACES"})'
        " > (sum by (job_namespace, framework)"
        ' (training_operator_jobs_failed_total{job_namespace=~"NAMESPACES"} offset 1h)'
        " or 0 * sum by (job_namespace, framework)"
        ' (training_operator_jobs_failed_total{job_namespace=~"NAMESPACES"}))',
        "a {{ $labels.framework }} run in {{ $labels.job_namespace }} has failed within the last hour",
    ),
    Alert(
        "RayJobFailed",
        "kuberay",
        "critical",
        "0m",
        'kuberay_job_deployment_status{namespace=~"NAMESPACES", deployment_status="Failed"} == 1'
        ' unless kuberay_job_deployment_status{namespace=~"NAMESPACES", deployment_status="Failed"} offset 1d == 1',
        "RayJob {{ $labels.namespace }}/{{ $labels.name }} has failed",
    ),
    Alert(
        "TrainingGpuIdle",
        "gpus",
        "warning",
        "30m",
        'max by (namespace, pod) (max_over_time(DCGM_FI_DEV_GPU_UTIL{namespace=~"NAMESPACES"}[15m])) < 5',
        "{{ $labels.namespace }}/{{ $labels.pod }} holds GPUs and has not used them for three quarters of an hour",
    ),
)
"""Every alert. What is still there a day later has been seen: a failed run stays until it is archived."""


def alert_rules(scope: Scope) -> JsonObject:
    """The rules of all alerts that somebody on the cluster can tell."""
    rules = [_rule(scope, alert) for alert in ALERTS if is_told(scope, alert.needs)]
    return scope.body("PrometheusRule", "training", {"groups": [{"name": "training", "rules": rules}]})


def is_told(scope: Scope, teller: Teller) -> bool:
    """Whether what an expression needs is on the cluster."""
    if teller == "gpus":
        return scope.has_gpus
    return not teller or scope.scrapes(teller)


def fill(scope: Scope, expression: str) -> str:
    """The expression for the cluster's own namespaces and queues."""
    return expression.replace("NAMESPACES", scope.namespaces).replace("QUEUES", scope.queues)


def _rule(scope: Scope, alert: Alert) -> JsonObject:
    return {
        "alert": alert.name,
        "expr": fill(scope, alert.expression),
        "for": alert.lasting,
        "labels": {"severity": alert.severity, "cluster": scope.cluster.name},
        "annotations": {"summary": alert.summary},
    }
