"""Network policies: a namespace denies what nobody allowed, a run's pods may talk to each other."""

from trainshed.catalog import operators
from trainshed.compile.labels import MANAGED_BY, METRICS_LABEL, METRICS_PORT, RUN_LABEL
from trainshed.model.manifest import JsonObject
from trainshed.model.site import Monitoring
from trainshed.model.team import TeamOnCluster

RAY_DASHBOARD_PORT = 8265
METADATA_SERVER = "169.254.169.254/32"
"""Where clouds hand credentials to whoever asks; pods get theirs by workload identity instead."""

METADATA_SERVER_IS_IDENTITY = frozenset({"gke"})
"""Providers whose workload identity answers at the metadata server's own address."""


def namespace_policies(team: TeamOnCluster, namespace: str, labels: dict[str, str]) -> list[JsonObject]:
    """Deny all, then allow what training needs: names, the world outside, and KubeRay's look at its heads."""
    return [
        _policy("default-deny", namespace, labels, {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}),
        _policy(
            "allow-egress",
            namespace,
            labels,
            {"podSelector": {}, "policyTypes": ["Egress"], "egress": _egress(team)},
        ),
        *([_allow_kuberay(namespace, labels)] if "kuberay" in team.cluster.operators else []),
        *([_allow_scrape(team.cluster.monitoring, namespace, labels)] if team.cluster.monitoring else []),
    ]


def _egress(team: TeamOnCluster) -> list[JsonObject]:
    dns = [{"port": 53, "protocol": protocol} for protocol in ("UDP", "TCP")]
    kube_system = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}}
    outside: JsonObject = {"cidr": "0.0.0.0/0"}
    if team.cluster.provider.name not in METADATA_SERVER_IS_IDENTITY:
        outside["except"] = [METADATA_SERVER]
    names = [{"to": [kube_system], "ports": dns}]
    if team.cluster.provider.name == "openshift":
        openshift_dns = {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "openshift-dns"}}
        }
        names.append({"to": [openshift_dns], "ports": [{**port, "port": 5353} for port in dns]})
    return [
        *names,
        {"to": [{"ipBlock": outside}, {"ipBlock": {"cidr": "::/0"}}]},
    ]


def _allow_kuberay(namespace: str, labels: dict[str, str]) -> JsonObject:
    """The operator asks each head's dashboard how the job fares."""
    namespace_name = operators()["kuberay"].namespace
    operator = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace_name}}}
    ports = [{"port": RAY_DASHBOARD_PORT, "protocol": "TCP"}]
    return _policy(
        "allow-kuberay",
        namespace,
        labels,
        {
            "podSelector": {"matchLabels": {"ray.io/node-type": "head"}},
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [operator], "ports": ports}],
        },
    )


def _allow_scrape(monitoring: Monitoring, namespace: str, labels: dict[str, str]) -> JsonObject:
    """Prometheus asks pods for their metrics, at the port of that name and no other."""
    prometheus = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": monitoring.namespace}}}
    return _policy(
        "allow-scrape",
        namespace,
        labels,
        {
            "podSelector": {"matchLabels": {METRICS_LABEL: "true"}},
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [prometheus], "ports": [{"port": METRICS_PORT, "protocol": "TCP"}]}],
        },
    )


def run_policy(run: str, namespace: str, labels: dict[str, str]) -> JsonObject:
    """The pods of one run may talk to each other on any port: rendezvous, NCCL and Ray choose theirs freely."""
    peers = {"podSelector": {"matchLabels": {RUN_LABEL: run}}}
    return _policy(
        run,
        namespace,
        labels,
        {
            **peers,
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [{"from": [peers]}],
            "egress": [{"to": [peers]}],
        },
    )


def _policy(name: str, namespace: str, labels: dict[str, str], spec: JsonObject) -> JsonObject:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name, "namespace": namespace, "labels": {**MANAGED_BY, **labels}},
        "spec": spec,
    }
