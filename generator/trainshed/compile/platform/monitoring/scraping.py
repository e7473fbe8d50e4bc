"""Whom Prometheus asks for metrics, and what it may ask: operators, and the pods of runs that show some."""

from collections.abc import Iterator

from trainshed.catalog import operators
from trainshed.catalog.installed import release_of
from trainshed.compile.labels import DOMAIN, MANAGED_BY, METRICS_LABEL, METRICS_PORT, RUN_LABEL, SCRAPE_PATH
from trainshed.compile.platform.monitoring.scope import Scope
from trainshed.model.manifest import JsonObject
from trainshed.model.source import Source

READER = "training-metrics"
TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"
RBAC = "rbac.authorization.k8s.io"


def access(scope: Scope) -> Iterator[JsonObject]:
    """Prometheus may find what it scrapes in any namespace, and read what answers only to those who may."""
    rules = [
        {
            "apiGroups": [""],
            "resources": ["pods", "services", "endpoints"],
            "verbs": ["get", "list", "watch"],
        },
        {
            "apiGroups": ["discovery.k8s.io"],
            "resources": ["endpointslices"],
            "verbs": ["get", "list", "watch"],
        },
        {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
    ]
    metadata = {"name": READER, "labels": dict(MANAGED_BY)}
    prometheus = {
        "kind": "ServiceAccount",
        "name": scope.monitoring.service_account,
        "namespace": scope.monitoring.namespace,
    }
    yield {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": metadata, "rules": rules}
    yield {
        "apiVersion": f"{RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": READER},
        "subjects": [prometheus],
    }


def operator_monitors(scope: Scope) -> Iterator[JsonObject]:
    """A monitor for each operator that shows metrics. Their labels name the jobs' namespaces, and so are kept."""
    for installed in scope.cluster.operators.values():
        settings = release_of(installed).settings
        place = {"namespaceSelector": {"matchNames": [operators()[installed.name].namespace]}}
        if "metrics-services" in settings:
            endpoint = {
                "port": settings["metrics-port"],
                "scheme": "https",
                "bearerTokenFile": TOKEN,
                "tlsConfig": {"insecureSkipVerify": True},
                "honorLabels": True,
            }
            selector = {"matchLabels": _labels(settings["metrics-services"])}
            yield scope.body(
                "ServiceMonitor", installed.name, {**place, "selector": selector, "endpoints": [endpoint]}
            )
        elif "metrics-pods" in settings:
            port = {"portNumber": int(settings["metrics-port"]), "honorLabels": True}
            selector = {"matchLabels": _labels(settings["metrics-pods"])}
            yield scope.body(
                "PodMonitor", installed.name, {**place, "selector": selector, "podMetricsEndpoints": [port]}
            )


def team_monitors(scope: Scope) -> Iterator[tuple[JsonObject, Source]]:
    """A monitor for each team's pods that show metrics, at the path that the pod itself names."""
    path = {
        "sourceLabels": [f"__meta_kubernetes_pod_annotation_{SCRAPE_PATH.translate(_WORD)}"],
        "regex": "(.+)",
        "targetLabel": "__metrics_path__",
    }
    for team in scope.teams:
        spec = {
            "namespaceSelector": {"matchNames": list(team.all_namespaces)},
            "selector": {"matchLabels": {METRICS_LABEL: "true"}},
            "podTargetLabels": [f"{DOMAIN}/team", f"{DOMAIN}/job", RUN_LABEL],
            "podMetricsEndpoints": [{"port": METRICS_PORT, "relabelings": [path]}],
        }
        yield scope.body("PodMonitor", f"team-{team.name}", spec), team.source


_WORD = str.maketrans("./-", "___")
"""Prometheus makes a label of an annotation's key by these."""


def _labels(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split())
