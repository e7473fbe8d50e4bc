"""Operators by reference: an Application that points at the upstream release, pinned and configured for our jobs."""

import json
from collections.abc import Iterable, Mapping

from constructs import Construct

from trainshed.catalog import operators
from trainshed.compile.labels import MANAGED_BY
from trainshed.compile.objects import PlainObject
from trainshed.compile.plain import without_empty
from trainshed.compile.platform.argocd import (
    API_VERSION,
    WAVES,
    application_name,
    destination,
    git_source,
    metadata,
    project_name,
    sync_policy,
)
from trainshed.compile.platform.claims import KEPT
from trainshed.model.catalog import InstallForm, OperatorRelease
from trainshed.model.cluster import Cluster, InstalledOperator
from trainshed.model.manifest import JsonObject, Origins, escape_pointer
from trainshed.model.naming import content_name, operator_app

INIT_CONTAINER_TEMPLATE = """\
- name: init-pytorch
  image: {{.InitContainerImage}}
  imagePullPolicy: IfNotPresent
  resources:
    requests: {cpu: 50m, memory: 16Mi}
    limits: {memory: 32Mi}
  securityContext:
    allowPrivilegeEscalation: false
    runAsNonRoot: true
    capabilities: {drop: [ALL]}
    seccompProfile: {type: RuntimeDefault}
  command: [sh, -c, "trap 'exit 1' TERM; until nslookup {{.MasterAddr}}; do sleep 2; done"]
"""
"""The operator's own has no security context: Pod Security restricted would refuse every worker beside a master."""

INIT_CONTAINER_CONFIG = content_name("training-operator", "init-container", INIT_CONTAINER_TEMPLATE.encode())
"""Named by its content: the operator reads the file once, and a new name starts it anew."""


WAIT_FOR_PODS_READY = ("waitForPodsReady:", "  timeout: 2h")
"""Where Kueue waits for pods by default it gives them 30 minutes: less than a large image and new GPU nodes take."""


def operator_applications(cluster: Cluster) -> list[JsonObject]:
    """An Application for each operator of the cluster."""
    return [_application(cluster, installed, _release(installed)) for installed in cluster.operators.values()]


def operator_configs(cluster: Cluster) -> Mapping[str, tuple[str, JsonObject]]:
    """Objects of ours beside an operator, by app: the namespace they go to, and the object."""
    if "training-operator" not in cluster.operators:
        return {}
    namespace = operators()["training-operator"].namespace
    return {
        operator_app("training-operator"): (
            namespace,
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": INIT_CONTAINER_CONFIG,
                    "namespace": namespace,
                    "labels": dict(MANAGED_BY),
                },
                "data": {"initContainer.yaml": INIT_CONTAINER_TEMPLATE},
            },
        )
    }


def config_objects(scope: Construct, cluster: Cluster, body: JsonObject) -> Iterable[PlainObject]:
    """The one object of an operator's config app."""
    return [PlainObject(scope, "config", body, Origins(cluster.sources.find("operators")))]


def _release(installed: InstalledOperator) -> OperatorRelease:
    known = operators()[installed.name]
    return known.releases.get(installed.release, known.newest)


def _application(cluster: Cluster, installed: InstalledOperator, release: OperatorRelease) -> JsonObject:
    operator = operators()[installed.name]
    app = operator_app(installed.name)
    upstream: JsonObject = {
        "repoURL": release.install.repo_url,
        "targetRevision": release.install.revision,
        "path": release.install.path,
    }
    if release.install.form is InstallForm.HELM:
        upstream["helm"] = {
            "releaseName": release.settings["release-name"],
            "valuesObject": _values(cluster, release),
        }
    else:
        upstream["kustomize"] = _kustomize(cluster, release)
    sources = [upstream]
    if app in operator_configs(cluster):
        sources.append(git_source(cluster, f"rendered/{cluster.name}/{app}"))
    return {
        "apiVersion": API_VERSION,
        "kind": "Application",
        # No finalizer: an operator that leaves the spec must not take its CRDs along, and every run with them.
        "metadata": metadata(cluster, application_name(cluster, app), WAVES["operator"]),
        "spec": {
            "project": project_name(cluster, "platform"),
            "sources": sources,
            "destination": destination(cluster, operator.namespace),
            "syncPolicy": sync_policy("CreateNamespace=true", "ServerSideApply=true"),
        },
    }


def _values(cluster: Cluster, release: OperatorRelease) -> JsonObject:
    """Helm values by dotted path: the pinned image (some charts point at moving tags), Kueue's configuration."""
    settings = release.settings
    values: dict[str, object] = {
        settings["image-value"]: settings["image"],
        settings["tag-value"]: settings["tag"],
    }
    if release.operator == "kueue":
        values[settings["config-value"]] = _kueue_configuration(cluster, release)
        gates = _kueue_gates(cluster, release)
        if gates:
            values[settings["feature-gates-value"]] = gates
    return _nest(values)


def _nest(values: Mapping[str, object]) -> JsonObject:
    nested: JsonObject = {}
    for dotted, value in values.items():
        *parents, last = dotted.split(".")
        below = nested
        for parent in parents:
            below = below.setdefault(parent, {})
        below[last] = value
    return nested


def frameworks_in_use(cluster: Cluster) -> list[str]:
    """Kueue's integrations for every kind that the cluster's operators serve; plain Jobs are always among them."""
    served = [kind for installed in cluster.operators.values() for kind in _release(installed).kinds]
    known = set(_release(cluster.operators["kueue"]).settings["frameworks"].split())
    wanted = {kind.kueue_framework for kind in served if kind.kueue_framework} | {"batch/job"}
    return sorted(wanted & known)


def _kueue_configuration(cluster: Cluster, release: OperatorRelease) -> str:
    """The manager's whole configuration; an integration that is left out would leave jobs unmanaged."""
    lines = [
        f"apiVersion: {release.settings['config-api-version']}",
        "kind: Configuration",
        "health:",
        "  healthProbeBindAddress: :8081",
        "metrics:",
        "  bindAddress: :8443",
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
        *(WAIT_FOR_PODS_READY if "default-wait-for-pods-ready" in release.features else ()),
    ]
    return "\n".join(lines) + "\n"


def _kueue_gates(cluster: Cluster, release: OperatorRelease) -> list[JsonObject]:
    wanted = cluster.elastic_jobs and "elastic-jobs-on" not in release.features
    return [{"name": "ElasticJobsViaWorkloadSlices", "enabled": True}] if wanted else []


def _kustomize(cluster: Cluster, release: OperatorRelease) -> JsonObject:
    settings = release.settings
    images = [f"{settings['image-value']}={settings['image']}:{settings['tag']}"]
    patches = _training_operator_patches(cluster, release) if release.operator == "training-operator" else []
    return without_empty({"images": images, "patches": patches})


def _training_operator_patches(cluster: Cluster, release: OperatorRelease) -> list[JsonObject]:
    """Mount the init container's template; leave MPIJob to the mpi-operator where that is installed."""
    deployment = {"kind": "Deployment", "name": release.settings["deployment"]}
    container = "/spec/template/spec/containers/0"
    mount = {"name": "init-container", "mountPath": "/etc/config", "readOnly": True}
    volume = {"name": "init-container", "configMap": {"name": INIT_CONTAINER_CONFIG}}
    kinds = [kind.lower() for kind in kinds_in_use(cluster.operators["training-operator"], cluster)]
    edits = [
        {"op": "add", "path": f"{container}/args", "value": [f"--enable-scheme={kind}" for kind in kinds]},
        {"op": "add", "path": f"{container}/volumeMounts/-", "value": mount},
        {"op": "add", "path": "/spec/template/spec/volumes/-", "value": volume},
    ]
    patches: list[JsonObject] = [
        {"target": deployment, "patch": json.dumps(edits, indent=1)},
        {"target": {"kind": "CustomResourceDefinition"}, "patch": json.dumps(_keep(), indent=1)},
    ]
    if "mpi-operator" in cluster.operators:
        crd = {"kind": "CustomResourceDefinition", "name": "mpijobs.kubeflow.org"}
        gone = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": crd["kind"],
            "metadata": {"name": crd["name"]},
            "$patch": "delete",
        }
        patches.append({"target": crd, "patch": json.dumps(gone, indent=1)})
    return patches


def _keep() -> list[JsonObject]:
    """Edits that protect an object from pruning and deletion: with a CRD go all objects of its kinds."""
    return [
        {"op": "add", "path": f"/metadata/annotations/{escape_pointer(key)}", "value": value}
        for key, value in KEPT.items()
    ]


def kinds_in_use(installed: InstalledOperator, cluster: Cluster) -> list[str]:
    """The kinds that the operator serves: those that the cluster names, else all that no other operator owns."""
    if installed.kinds:
        return sorted(installed.kinds)
    served = {kind.kind for kind in _release(installed).kinds}
    return sorted(served - ({"MPIJob"} if "mpi-operator" in cluster.operators else set()))
