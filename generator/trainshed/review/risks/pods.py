"""What pods may do to their node, and which bits they run; pods are found in objects of every kind."""

from collections.abc import Iterator, Mapping
from typing import Any

from trainshed.model.manifest import JsonObject, escape_pointer
from trainshed.review.pairs import Pair
from trainshed.review.shapes import items, metadata_of, table, tables

_HOST = ("hostNetwork", "hostPID", "hostIPC")
_CONTAINERS = ("initContainers", "containers")


def gains_privilege(pair: Pair) -> Iterator[tuple[str, str]]:
    """Whatever gives a pod more of its node than it had."""
    known = dict(_privileges(pair.old))
    for fact, pointer in dict(_privileges(pair.new)).items():
        if fact not in known:
            yield f"{_whose(pair)}: {fact}", pointer


def gets_token(pair: Pair) -> Iterator[tuple[str, str]]:
    """Pods that may speak to the API server, and might not before."""
    known = {fact for fact, _ in _tokens(pair.old)}
    for fact, pointer in dict(_tokens(pair.new)).items():
        if fact not in known:
            yield f"{_whose(pair)}: {fact}", pointer


def image_moves(pair: Pair) -> Iterator[tuple[str, str]]:
    """A tag that now means other bits, a digest that was dropped, a new image without one."""
    before, after = _images(pair.old), _images(pair.new)
    for image, pointer in after.items():
        name, _, digest = image.partition("@")
        if image in before:
            continue
        earlier = next((one for one in before if one.partition("@")[0] == name), None)
        if earlier is not None and digest:
            yield f"{name} moves to other bits under the same tag", pointer
        elif earlier is not None:
            yield f"{name} is no longer pinned by a digest", pointer
        elif not digest:
            yield f"{name} is pinned by no digest: what it means can change under a run", pointer


def _whose(pair: Pair) -> str:
    """The object by its kind and job: runs of one job, in whichever cluster, are told of once."""
    labels = metadata_of(pair.new, "labels")
    job = labels.get("trainshed.dev/job")
    return f"{pair.kind} of {labels.get('trainshed.dev/team')}/{job}" if job else str(pair.identity)


def _privileges(body: JsonObject) -> Iterator[tuple[str, str]]:
    for pod, pointer in _pods(body):
        yield from (
            (f"pods use the {key[4:].lower()} of their node", f"{pointer}/{key}")
            for key in _HOST
            if pod.get(key)
        )
        for index, volume in enumerate(tables(pod.get("volumes"))):
            if "hostPath" in volume:
                path = volume["hostPath"].get("path") if isinstance(volume["hostPath"], dict) else ""
                yield f"pods see {path} of their node", f"{pointer}/volumes/{index}"
        if _is_root(pod.get("securityContext")):
            yield "pods run as root", f"{pointer}/securityContext"
        for container, place in _containers(pod, pointer):
            context = container.get("securityContext")
            yield from _privileges_of(
                container.get("name", ""), context if isinstance(context, dict) else {}, place
            )


def _privileges_of(name: str, context: JsonObject, place: str) -> Iterator[tuple[str, str]]:
    place = f"{place}/securityContext"
    if context.get("privileged"):
        yield f"container {name} is privileged", f"{place}/privileged"
    if context.get("allowPrivilegeEscalation"):
        yield f"container {name} may gain privileges", f"{place}/allowPrivilegeEscalation"
    if _is_root(context):
        yield f"container {name} runs as root", place
    for capability in items(table(context.get("capabilities")).get("add")):
        yield f"container {name} has the capability {capability}", f"{place}/capabilities"


def _is_root(context: Any) -> bool:
    return isinstance(context, dict) and (
        context.get("runAsUser") == 0 or context.get("runAsNonRoot") is False
    )


def _tokens(body: JsonObject) -> Iterator[tuple[str, str]]:
    for pod, pointer in _pods(body):
        if pod.get("automountServiceAccountToken"):
            account = pod.get("serviceAccountName", "default")
            yield f"pods may speak to the API server as {account}", f"{pointer}/automountServiceAccountToken"


def _images(body: JsonObject) -> Mapping[str, str]:
    return {
        container["image"]: f"{place}/image"
        for pod, pointer in _pods(body)
        for container, place in _containers(pod, pointer)
        if isinstance(container.get("image"), str)
    }


def _containers(pod: JsonObject, pointer: str) -> Iterator[tuple[JsonObject, str]]:
    for field in _CONTAINERS:
        for index, container in enumerate(tables(pod.get(field))):
            yield container, f"{pointer}/{field}/{index}"


def _pods(value: Any, pointer: str = "") -> Iterator[tuple[JsonObject, str]]:
    """Every pod's spec in an object: whatever has containers."""
    if isinstance(value, dict):
        if isinstance(value.get("containers"), list):
            yield value, pointer
            return
        for key, item in value.items():
            yield from _pods(item, f"{pointer}/{escape_pointer(key)}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _pods(item, f"{pointer}/{index}")
