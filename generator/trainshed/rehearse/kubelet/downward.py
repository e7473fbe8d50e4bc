"""What a pod can ask about itself: fields of the pod, and resources of its containers.

Source: https://kubernetes.io/docs/concepts/workloads/pods/downward-api/.
"""

import math
import os
import re
from collections.abc import Callable, Mapping

from trainshed.model.manifest import JsonObject
from trainshed.model.quantity import QuantityError, parse_quantity
from trainshed.rehearse.kubelet.setting import ConfigError, PodFacts

_FIELDS: Mapping[str, Callable[[PodFacts], str]] = {
    "metadata.name": lambda facts: facts.name,
    "metadata.namespace": lambda facts: facts.namespace,
    "metadata.uid": lambda facts: facts.uid,
    "metadata.labels": lambda facts: _lines(facts.metadata.get("labels") or {}),
    "metadata.annotations": lambda facts: _lines(facts.metadata.get("annotations") or {}),
    "spec.nodeName": lambda facts: facts.spec.get("nodeName") or f"node-of-{facts.pod.name}",
    "spec.serviceAccountName": lambda facts: facts.spec.get("serviceAccountName") or "default",
    "status.hostIP": lambda facts: facts.address,
    "status.hostIPs": lambda facts: facts.address,
    "status.podIP": lambda facts: facts.address,
    "status.podIPs": lambda facts: facts.address,
}
_KEYED = re.compile(r"metadata\.(labels|annotations)\['([^']+)'\]")


def read_field(reference: JsonObject, facts: PodFacts) -> str:
    """The value of a `fieldRef`; raises `ConfigError`."""
    path = str(reference.get("fieldPath", ""))
    if path in _FIELDS:
        return _FIELDS[path](facts)
    keyed = _KEYED.fullmatch(path)
    if keyed is None:
        raise ConfigError(f'fieldRef: "{path}" is no field that a pod can ask for')
    return str((facts.metadata.get(keyed[1]) or {}).get(keyed[2], ""))


def read_resource(reference: JsonObject, container: JsonObject, facts: PodFacts) -> str:
    """The value of a `resourceFieldRef`, in its divisor, rounded up; raises `ConfigError`.

    A limit that is not set is what the node has, a request that is not set is the limit.
    """
    kind, _, resource = str(reference.get("resource", "")).partition(".")
    asked = _container_of(reference.get("containerName"), container, facts).get("resources") or {}
    limits, requests = asked.get("limits") or {}, asked.get("requests") or {}
    amount = limits.get(resource) if kind == "limits" else requests.get(resource, limits.get(resource))
    try:
        value = parse_quantity(str(amount)) if amount is not None else _of_this_machine(resource)
        divisor = parse_quantity(str(reference.get("divisor") or "1")) or 1
    except QuantityError as error:
        raise ConfigError(f"resourceFieldRef {kind}.{resource}: {error} is no quantity") from None
    return str(math.ceil(value / divisor))


def _container_of(name: object, container: JsonObject, facts: PodFacts) -> JsonObject:
    if not name:
        return container
    every = [*(facts.spec.get("initContainers") or ()), *(facts.spec.get("containers") or ())]
    found = next((one for one in every if one.get("name") == name), None)
    if found is None:
        raise ConfigError(f'resourceFieldRef: there is no container "{name}"')
    return found


def _of_this_machine(resource: str) -> int:
    if resource == "cpu":
        return os.cpu_count() or 1
    if resource == "memory":
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 0


def _lines(values: Mapping[str, object]) -> str:
    return "".join(f'{key}="{_quoted(str(value))}"\n' for key, value in sorted(values.items()))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
