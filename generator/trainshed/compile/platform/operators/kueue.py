"""Kueue's configuration: an integration for every kind that the cluster's operators serve."""

from collections.abc import Iterator

from trainshed.catalog.installed import release_of
from trainshed.model.catalog import OperatorRelease
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject

PODS_READY_SECONDS = 7200
"""Where Kueue waits for pods by default it gives them 30 minutes: less than a large image and new GPU nodes take."""

QUEUE_METRICS = ("  enableClusterQueueResources: true",)
"""Quota and usage of every queue, for the dashboard."""


def kueue_values(cluster: Cluster, release: OperatorRelease) -> Iterator[tuple[str, object]]:
    """The chart's values for the manager's whole configuration and for its feature gates."""
    yield release.settings["config-value"], _configuration(cluster, release)
    gates = _gates(cluster, release)
    if gates:
        yield release.settings["feature-gates-value"], gates


def frameworks_in_use(cluster: Cluster) -> list[str]:
    """Kueue's integrations for every kind that the cluster's operators serve; plain Jobs are always among them."""
    served = [kind for installed in cluster.operators.values() for kind in release_of(installed).kinds]
    known = set(release_of(cluster.operators["kueue"]).settings["frameworks"].split())
    wanted = {kind.kueue_framework for kind in served if kind.kueue_framework} | {"batch/job"}
    return sorted(wanted & known)


def _configuration(cluster: Cluster, release: OperatorRelease) -> str:
    """The manager's whole configuration; an integration that is left out would leave jobs unmanaged."""
    lines = [
        f"apiVersion: {release.settings['config-api-version']}",
        "kind: Configuration",
        "health:",
        "  healthProbeBindAddress: :8081",
        "metrics:",
        "  bindAddress: :8443",
        *(QUEUE_METRICS if cluster.monitoring else ()),
        "webhook:",
        "  port: 9443",
        "leaderElection:",
        "  leaderElect: true",
        "  resourceName: c1f6bfd2.kueue.x-k8s.io",
        "internalCertManagement:",
        "  enable: true",
        "  webhookServiceName: kueue-webhook-service",
        "  webhookSecretName: kueue-webhook-server-cert",
        "integrations:",
        "  frameworks:",
        *(f"  - {framework}" for framework in frameworks_in_use(cluster)),
        "resources:",
        "  excludeResourcePrefixes: [ephemeral-storage]",
        *_pods_ready(cluster, release),
        *_fair_sharing(cluster, release),
    ]
    return "\n".join(lines) + "\n"


def _pods_ready(cluster: Cluster, release: OperatorRelease) -> list[str]:
    """How long Kueue waits for pods. Releases that wait only where they are told to would then admit one by one."""
    by_default = release.can("default-wait-for-pods-ready")
    seconds = cluster.sharing.pods_ready_seconds or (PODS_READY_SECONDS if by_default else 0)
    asked = [] if by_default else ["  enable: true", "  blockAdmission: false"]
    return ["waitForPodsReady:", *asked, f"  timeout: {seconds}s"] if seconds else []


def _fair_sharing(cluster: Cluster, release: OperatorRelease) -> list[str]:
    """Both of Kueue's strategies, in its own order. Newer releases share fairly wherever the section stands."""
    if not cluster.sharing.fair:
        return []
    asked = [] if release.can("fair-sharing-by-section") else ["  enable: true"]
    return [
        "fairSharing:",
        *asked,
        "  preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]",
    ]


def _gates(cluster: Cluster, release: OperatorRelease) -> list[JsonObject]:
    wanted = cluster.elastic_jobs and not release.can("elastic-jobs-on")
    return [{"name": "ElasticJobsViaWorkloadSlices", "enabled": True}] if wanted else []
