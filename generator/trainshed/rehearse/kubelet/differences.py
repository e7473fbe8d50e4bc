"""What a pod asks of its kubelet that a rehearsal does not do."""

from collections.abc import Callable, Iterator, Sequence

from trainshed.model.manifest import JsonObject

OF_PODS: Sequence[tuple[str, str]] = (
    ("hostNetwork", "hostNetwork: the pod has a network of its own here"),
    ("hostPID", "hostPID: the pod sees its own processes only"),
    ("hostIPC", "hostIPC: the pod shares memory with no other"),
    ("shareProcessNamespace", "shareProcessNamespace: each container is process 1 of its own here"),
)
OF_CONTAINERS: Sequence[tuple[Callable[[JsonObject], bool], str]] = (
    (
        lambda container: bool((container.get("resources") or {}).get("limits")),
        "limits of CPU and memory are not kept: nothing is throttled, and nothing is killed for its memory",
    ),
    (
        lambda container: "readinessProbe" in container,
        "readiness counts once it has come, and names lead to a pod as soon as it is there",
    ),
    (
        lambda container: any("sshd" in str(word) for word in words_of(container)),
        "sshd and ssh are stand-ins: they run commands in other pods of the rehearsal, and look at no keys",
    ),
    (
        lambda container: "restartPolicyRules" in container,
        "restartPolicyRules are left out: the restart policy alone counts",
    ),
)


def say_what_differs(spec: JsonObject) -> Iterator[str]:
    """A sentence for each thing that the pod asks for and does not get."""
    yield from (words for field, words in OF_PODS if spec.get(field))
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    yield from (words for asks, words in OF_CONTAINERS if any(map(asks, containers)))


def words_of(container: JsonObject) -> list[str]:
    """Command and arguments."""
    return [*(container.get("command") or ()), *(container.get("args") or ())]
