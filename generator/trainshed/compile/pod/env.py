"""Environment variables as Kubernetes writes them."""

from trainshed.compile.plain import without_empty
from trainshed.model.manifest import JsonObject
from trainshed.model.pods import EnvVar


def env_entry(variable: EnvVar) -> JsonObject:
    """A variable: its text, or where it is kept."""
    if variable.kind == "value":
        return without_empty({"name": variable.name, "value": variable.value})
    source = {
        "secret": {"secretKeyRef": {"name": variable.value, "key": variable.key}},
        "configMap": {"configMapKeyRef": {"name": variable.value, "key": variable.key}},
        "field": {"fieldRef": {"apiVersion": "v1", "fieldPath": variable.value}},
    }[variable.kind]
    return {"name": variable.name, "valueFrom": source}
