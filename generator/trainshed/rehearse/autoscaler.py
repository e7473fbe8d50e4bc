"""Ray's autoscaler, a container of the head that asks the API server for workers: there is none here."""

from collections.abc import Sequence

from msgspec.structs import replace

from trainshed.model.manifest import JsonObject
from trainshed.model.rehearsal import PodToRun

SAID = "Ray's autoscaler is left out: there are as many workers as the cluster begins with"


def without_autoscaler(pods: Sequence[PodToRun]) -> tuple[tuple[PodToRun, ...], tuple[str, ...]]:
    """The pods, and what is said of those that had one (kuberay 1.6.2, BuildAutoscalerContainer in common/pod.go)."""
    cut = tuple(_without(pod) if any(map(_scales, _containers(pod))) else pod for pod in pods)
    return cut, () if cut == tuple(pods) else (SAID,)


def _without(pod: PodToRun) -> PodToRun:
    rest = [container for container in _containers(pod) if not _scales(container)]
    return replace(pod, body={**pod.body, "spec": {**pod.body["spec"], "containers": rest}})


def _containers(pod: PodToRun) -> list[JsonObject]:
    return pod.body["spec"].get("containers") or []


def _scales(container: JsonObject) -> bool:
    return any(str(word).startswith("ray kuberay-autoscaler ") for word in container.get("args") or ())
