"""The Training Operator: the kinds it serves, its init container, and who owns MPIJob."""

from trainshed.compile.platform.kinds import served_kinds
from trainshed.compile.platform.operators.init_container import init_container
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject

POD = "/spec/template/spec"
CONTAINER = f"{POD}/containers/0"

NO_MPIJOB: JsonObject = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "mpijobs.kubeflow.org"},
    "$patch": "delete",
}
"""Leaves MPIJob to the mpi-operator, which serves v2beta1 of it."""


def training_operator_arguments(cluster: Cluster) -> list[str]:
    """The kinds that it serves; without a list it serves all, also those whose CRDs are another operator's."""
    installed = cluster.operators["training-operator"]
    return sorted(f"--enable-scheme={kind.kind.lower()}" for kind in served_kinds(installed, cluster))


def training_operator_edits(cluster: Cluster) -> list[JsonObject]:
    """Edits of its Deployment: the template of the init container, mounted where the operator looks for it."""
    mount = {"name": "init-container", "mountPath": "/etc/config", "readOnly": True}
    volume = {"name": "init-container", "configMap": {"name": init_container(cluster).name}}
    return [
        {"op": "add", "path": f"{CONTAINER}/volumeMounts/-", "value": mount},
        {"op": "add", "path": f"{POD}/volumes/-", "value": volume},
    ]
