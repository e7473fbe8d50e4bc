"""A Grafana dashboard, as the ConfigMap that Grafana's sidecar looks for."""

import json
from dataclasses import dataclass

from trainshed.compile.platform.monitoring.alerts import Teller, fill, is_told
from trainshed.compile.platform.monitoring.scope import Scope
from trainshed.model.manifest import JsonObject

GRAFANA_LABEL = {"grafana_dashboard": "1"}
"""What the sidecar of Grafana's chart picks up unless told otherwise (grafana/helm-charts `charts/grafana`)."""

SCHEMA_VERSION = 39
"""The form of the JSON: Grafana 11 writes it, newer ones read it."""

BY_RUN = (
    'avg by (run) (label_replace(label_replace(DCGM_FI_DEV_GPU_UTIL{namespace=~"NAMESPACES", pod!=""},'
    ' "run", "$1", "pod", "(.+)"), "run", "$1", "pod", "(.+-[0-9a-f]{8})-.*"))'
)
"""The names of a run's pods begin with the run's, which ends in a digest; other pods stand for themselves."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A graph: its title, who has to be there for it, its unit, its lines and what each is called."""

    title: str
    needs: Teller
    unit: str
    expression: str
    legend: str


PANELS: tuple[Panel, ...] = (
    Panel("GPU utilisation by run", "gpus", "percent", BY_RUN, "{{run}}"),
    Panel(
        "Use of quota by team",
        "kueue",
        "percentunit",
        'sum by (cluster_queue, resource) (kueue_cluster_queue_resource_usage{cluster_queue=~"QUEUES"})'
        " / (sum by (cluster_queue, resource)"
        ' (kueue_cluster_queue_nominal_quota{cluster_queue=~"QUEUES"}) > 0)',
        "{{cluster_queue}} {{resource}}",
    ),
    Panel(
        "Runs that wait",
        "kueue",
        "short",
        'sum by (cluster_queue, status) (kueue_pending_workloads{cluster_queue=~"QUEUES"})',
        "{{cluster_queue}} {{status}}",
    ),
    Panel(
        "Pods that wait for a node",
        "",
        "short",
        'sum by (namespace) (kube_pod_status_phase{namespace=~"NAMESPACES", phase="Pending"})',
        "{{namespace}}",
    ),
    Panel(
        "Failed Jobs",
        "",
        "short",
        'sum by (namespace) (kube_job_failed{namespace=~"NAMESPACES", condition="true"})',
        "{{namespace}}",
    ),
    Panel(
        "Failed runs in a day",
        "training-operator",
        "short",
        "sum by (job_namespace, framework)"
        ' (increase(training_operator_jobs_failed_total{job_namespace=~"NAMESPACES"}[1d]))',
        "{{job_namespace}} {{framework}}",
    ),
)
"""Every panel, two in a row."""


def dashboard(scope: Scope) -> JsonObject:
    """The ConfigMap with the dashboard of the cluster."""
    name = f"training-{scope.cluster.name}"
    metadata = scope.metadata(name)
    labels = {**metadata["labels"], **GRAFANA_LABEL}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {**metadata, "labels": labels},
        "data": {f"{name}.json": json.dumps(_board(scope, name), indent=2) + "\n"},
    }


def _board(scope: Scope, name: str) -> JsonObject:
    shown = [panel for panel in PANELS if is_told(scope, panel.needs)]
    return {
        "uid": name[:40],
        "title": f"Training on {scope.cluster.name}",
        "tags": ["training"],
        "schemaVersion": SCHEMA_VERSION,
        "refresh": "1m",
        "time": {"from": "now-24h", "to": "now"},
        "templating": {"list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]},
        "panels": [_panel(scope, index, panel) for index, panel in enumerate(shown)],
    }


def _panel(scope: Scope, index: int, panel: Panel) -> JsonObject:
    source = {"type": "prometheus", "uid": "${datasource}"}
    return {
        "id": index + 1,
        "type": "timeseries",
        "title": panel.title,
        "datasource": source,
        "gridPos": {"x": index % 2 * 12, "y": index // 2 * 8, "w": 12, "h": 8},
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "targets": [
            {
                "refId": "A",
                "datasource": source,
                "expr": fill(scope, panel.expression),
                "legendFormat": panel.legend,
            }
        ],
    }
