"""What holds of every pod of every kind, whatever a job asks for."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from properties.wishes import job_files, wishes
from stages.street import resolve

from trainshed.compile.node import prepare_node
from trainshed.model.manifest import JsonObject, identify
from trainshed.model.plan import Target
from trainshed.model.quantity import canonical_quantity, parse_quantity

DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
LABEL_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)
SET_BY_OPERATORS = {
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
    "RAY_ADDRESS",
    "RAY_IP",
    "FQ_RAY_IP",
    "RAY_CLUSTER_NAME",
}
NOT_OURS = {"suspend", "ttlSecondsAfterFinished", "creationTimestamp", "status", "generation", "uid"}
SUBMITTER = "ray-job-submitter"
"""Queues charge KubeRay's default for it, whatever its template asks for; its limit has room for the client."""

SAYS_NOTHING = (None, "", [], {})
MAY_BE_EMPTY = {"labels", "annotations", "matchLabels", "description", "data", "nodeSelector"}
"""Maps whose values are a person's own words; an empty text among them stays."""


def compile_wish(wish: dict[str, Any]) -> tuple[Target, list[JsonObject]]:
    prepare_node()
    from trainshed.compile.apps import compile_target

    resolved = resolve(job_files("resnet", wish))
    assert [finding for finding in resolved.findings if finding.severity == "error"] == [], wish
    target = resolved.target()
    return target, [manifest.body for manifest in compile_target(target).manifests]


def walk(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk(item, (*path, index))


def pods(bodies: list[JsonObject]) -> list[JsonObject]:
    """Every pod spec inside the objects."""
    found = [
        value
        for body in bodies
        for _, value in walk(body)
        if isinstance(value, dict) and "containers" in value
    ]
    assert found
    return found


def containers(pod: JsonObject) -> list[JsonObject]:
    return [*pod["containers"], *pod.get("initContainers", [])]


@settings(max_examples=60, deadline=None)
@given(wishes())
def test_every_pod_keeps_what_always_holds(wish: dict[str, Any]) -> None:
    target, bodies = compile_wish(wish)
    for body in bodies:
        check_object(body, target)
    for pod in pods(bodies):
        check_pod(pod)
        for container in containers(pod):
            check_container(container)
    for body in bodies:
        for path, value in walk(body):
            if path and path[-1] == "autoscalerOptions":
                assert value["securityContext"] == restricted()
                assert value["resources"]["limits"] == value["resources"]["requests"]


def restricted(**more: Any) -> JsonObject:
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, **more}


def check_object(body: JsonObject, target: Target) -> None:
    identity = identify(body)
    assert identity.namespace == "team-vision"
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", identity.name)
    assert len(identity.name) <= 253
    for path, value in walk(body):
        names = [step for step in path if isinstance(step, str)]
        assert "onPodConditions" in names or not NOT_OURS.intersection(names), path
        if not MAY_BE_EMPTY.intersection(names):
            assert not any(value is empty or value == empty for empty in SAYS_NOTHING), path
        if names and names[-1] in ("labels", "matchLabels"):
            check_labels(value)
        if names and names[-1] in ("requests", "limits"):
            assert {name: canonical_quantity(text) for name, text in value.items()} == value
        if names and names[-1] in ("sizeLimit", "storage"):
            assert canonical_quantity(value) == value
    if identity.kind not in ("NetworkPolicy", "ConfigMap", "PersistentVolumeClaim"):
        assert identity.name == target.run


def check_labels(labels: dict[str, str]) -> None:
    for key, value in labels.items():
        assert LABEL_KEY.fullmatch(key), key
        assert LABEL_VALUE.fullmatch(value), value


def check_pod(pod: JsonObject) -> None:
    context = pod["securityContext"]
    assert context["runAsNonRoot"] is True
    assert context["runAsUser"] > 0
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
    volumes = Counter(volume["name"] for volume in pod.get("volumes", []))
    mounted = {mount["name"] for container in containers(pod) for mount in container.get("volumeMounts", [])}
    assert set(volumes) == mounted
    assert set(volumes.values()) <= {1}
    assert all(DNS_LABEL.fullmatch(name) for name in volumes)
    assert not any("hostPath" in volume for volume in pod.get("volumes", []))
    shared = [v["emptyDir"]["sizeLimit"] for v in pod.get("volumes", []) if v["name"] == "shm"]
    memory = pod["containers"][0]["resources"]["limits"]["memory"]
    assert all(parse_quantity(size) < parse_quantity(memory) for size in shared)


def check_container(container: JsonObject) -> None:
    assert DNS_LABEL.fullmatch(container["name"])
    context = dict(container["securityContext"])
    assert context.pop("readOnlyRootFilesystem", True) is True
    assert context == restricted()
    requests, limits = container["resources"]["requests"], container["resources"]["limits"]
    bursts = {"memory"} if container["name"] == SUBMITTER else set[str]()
    assert limits.keys() == requests.keys() - {"cpu", "ephemeral-storage"}
    assert {name: limits[name] for name in limits if name not in bursts} == {
        name: requests[name] for name in limits if name not in bursts
    }
    assert parse_quantity(limits["memory"]) >= parse_quantity(requests["memory"])
    assert {"cpu", "memory"} <= requests.keys()
    names = [variable["name"] for variable in container.get("env", [])]
    assert len(set(names)) == len(names)
    assert not SET_BY_OPERATORS.intersection(names)
    places = [mount["mountPath"] for mount in container.get("volumeMounts", [])]
    assert len(set(places)) == len(places)
    assert ":" not in "".join(places)


@pytest.mark.parametrize(
    ("wish", "names"),
    [
        ({}, ["train"]),
        ({"framework": "pytorch", "nodes": 2}, ["pytorch", "pytorch"]),
        ({"framework": "pytorch", "nodes": {"min": 1, "max": 2}}, ["pytorch"]),
        ({"schedule": "0 2 * * 0"}, ["train"]),
        ({"framework": "ray"}, ["ray-head", "ray-worker", "ray-job-submitter"]),
    ],
)
def test_the_training_container_comes_first_and_has_the_name_its_operator_wants(
    wish: dict[str, Any], names: list[str]
) -> None:
    _, bodies = compile_wish(wish | {"run": {"command": ["train"]}})
    assert [pod["containers"][0]["name"] for pod in pods(bodies)] == names


def test_an_approved_job_gets_what_its_fabric_needs_and_no_more() -> None:
    wish = {
        "run": {"module": "train"},
        "framework": "pytorch",
        "gpus": 8,
        "nodes": 2,
        "security": {"level": "privileged", "why": "InfiniBand"},
    }
    target, bodies = compile_wish(wish)
    assert target.namespace == "vision-privileged"
    for pod in pods(bodies):
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"], "add": ["IPC_LOCK"]},
        }
        assert container["resources"]["limits"]["rdma/ib"] == "8"
