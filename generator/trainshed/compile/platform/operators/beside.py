"""Objects of ours beside an operator, synced by the same Application."""

from collections.abc import Iterable, Mapping

from constructs import Construct

from trainshed.catalog import operators
from trainshed.compile.labels import MANAGED_BY
from trainshed.compile.objects import PlainObject
from trainshed.compile.platform.operators.init_container import INIT_CONTAINER_KEY, init_container
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.naming import operator_app


def operator_configs(cluster: Cluster) -> Mapping[str, tuple[str, JsonObject]]:
    """Objects of ours beside an operator, by app: the namespace they go to, and the object."""
    if "training-operator" not in cluster.operators:
        return {}
    namespace = operators()["training-operator"].namespace
    template = init_container(cluster)
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": template.name, "namespace": namespace, "labels": dict(MANAGED_BY)},
        "data": {INIT_CONTAINER_KEY: template.text},
    }
    return {operator_app("training-operator"): (namespace, body)}


def config_objects(scope: Construct, cluster: Cluster, body: JsonObject) -> Iterable[PlainObject]:
    """The one object of an operator's config app."""
    return [PlainObject(scope, "config", body, Origins(cluster.sources.find("operators")))]
