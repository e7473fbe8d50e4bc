"""Rows for what a job says of its pods beyond the training, of its nodes in raw words, and for the escape hatch."""

from collections.abc import Mapping
from typing import Any

from properties.leaf_rows import Row

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
BESIDE = {"topologyKey": "rack", "labelSelector": {"matchLabels": {"a": "b"}}}
EXPRESSION = {"key": "rack", "operator": "In", "values": ["a"]}
FIELD = {"key": "metadata.name", "operator": "In", "values": ["a"]}
SAVES = {"checkpoint": {"volume": "checkpoints"}}
NOTES = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "notes"}, "data": {"a": "b"}}
OTHER_NOTES = NOTES | {"metadata": {"name": "more"}}
STRETCHED = {"queue": "none", "gang": "none", "framework": "pytorch", "nodes": {"min": 1, "max": 4}}
ETCD = {"etcd": {"endpoint": "etcd.example.com:2379"}}


def _toleration(**words: object) -> Mapping[str, Any]:
    return {"tolerations": [words]}


def _nodes(**term: object) -> Mapping[str, Any]:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}}


def _pod_affinity(field: str) -> tuple[Row, ...]:
    required = {"affinity": {field: {REQUIRED: [BESIDE]}}}
    preferred = {"affinity": {field: {PREFERRED: [{"podAffinityTerm": BESIDE}]}}}
    return (
        Row(f"affinity.{field}.{REQUIRED}[].*", "zone", other="rack", given=required, names=("topologyKey",)),
        Row(f"affinity.{field}.{PREFERRED}[].*", 2, other=1, given=preferred, names=("weight",)),
    )


def _patch(target: Mapping[str, str], **words: object) -> Mapping[str, Any]:
    return {"patches": [{"target": dict(target), **words}]}


def _operation(**words: object) -> Mapping[str, Any]:
    return _patch({"container": "train"}, json6902=[words])


def _container(field: str) -> tuple[Row, ...]:
    """Rows for the containers before or beside the training."""

    def given(**words: object) -> Mapping[str, Any]:
        return {field: [{"name": "helper", **words}]}

    def env(**variable: str) -> Mapping[str, Any]:
        return given(env={"A": variable})

    leaf, at = f"{field}[].", ("A",)
    return (
        Row(f"{leaf}name", "helper", other="other", given=given()),
        Row(f"{leaf}image", "registry.example.com/helper:1", given=given()),
        Row(f"{leaf}command[]", ["a", "b"], given=given()),
        Row(f"{leaf}args[]", ["a", "b"], given=given()),
        Row(f"{leaf}env.*.value", "x", other="y", given=given(), names=at),
        Row(f"{leaf}env.*.secret", "wandb", other="registry", given=env(key="k"), names=at),
        Row(f"{leaf}env.*.configMap", "settings", other="more", given=env(key="k"), names=at),
        Row(f"{leaf}env.*.key", "k", other="l", given=env(secret="wandb"), names=at),
        Row(f"{leaf}env.*.field", "status.podIP", other="status.hostIP", given=given(), names=at),
        Row(f"{leaf}mounts.*", "/a", other="/b", given={**given(), **SAVES}, names=("checkpoints",)),
        Row(f"{leaf}cpu", "200m", given=given()),
        Row(f"{leaf}memory", "300Mi", given=given()),
        Row(f"{leaf}securityContext.*", 1234, given=given(), names=("runAsUser",)),
    )


_TERMS = f"affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[]"
_ANNOTATED = {"annotations": {"patched": "yes"}}

EXTRA_ROWS: tuple[Row, ...] = (
    Row("tags[]", ["a", "b"]),
    Row("run.setup[]", ["true", "echo"]),
    Row("rendezvous.backend", "etcd-v2", other="c10d", given=STRETCHED, beside={"Cluster": ETCD}),
    Row("rendezvous.port", 29400, given=STRETCHED),
    Row("rendezvous.joinTimeout", "15m", given=STRETCHED),
    Row("rendezvous.lastCallTimeout", "45s", given=STRETCHED),
    Row("rendezvous.conf.*", "10", given=STRETCHED, names=("heartbeat",)),
    Row("nodeSelector.*", "r1", names=("rack",)),
    Row(
        f"{_TERMS}.matchExpressions[].*",
        ["b"],
        other=["a"],
        given=_nodes(matchExpressions=[EXPRESSION]),
        names=("values",),
    ),
    Row(
        f"{_TERMS}.matchFields[].*", ["b"], other=["a"], given=_nodes(matchFields=[FIELD]), names=("values",)
    ),
    Row(
        f"affinity.nodeAffinity.{PREFERRED}[].*",
        2,
        other=1,
        given={
            "affinity": {"nodeAffinity": {PREFERRED: [{"preference": {"matchExpressions": [EXPRESSION]}}]}}
        },
        names=("weight",),
    ),
    *_pod_affinity("podAffinity"),
    *_pod_affinity("podAntiAffinity"),
    Row("tolerations[].key", "a", other="b", given=_toleration(operator="Exists")),
    Row("tolerations[].operator", "Exists", other="Equal", given=_toleration(key="a")),
    Row("tolerations[].value", "x", given=_toleration(key="a")),
    Row("tolerations[].effect", "NoSchedule", given=_toleration(key="a")),
    Row("tolerations[].tolerationSeconds", 5, given=_toleration(key="a", effect="NoExecute")),
    Row("avoidNodes[]", ["node-7", "node-8"]),
    Row("scheduler", "bin-packing"),
    Row("ports.*", 5678, names=("debug",)),
    Row("namespace", "vision-eval", beside={"Team": {"namespaces": ["vision-eval"]}}),
    Row("preflight.gpus", True, given={"gpus": {"perNode": 1}}),
    Row("preflight.storage", True, given=SAVES),
    *_container("initContainers"),
    *_container("sidecars"),
    Row("patches[].target.kind", "Job", given=_patch({}, merge={"metadata": _ANNOTATED}), needed=True),
    Row(
        "patches[].target.name",
        "notes",
        given={
            "rawObjects": [NOTES, OTHER_NOTES],
            **_patch({"kind": "ConfigMap"}, merge={"metadata": _ANNOTATED}),
        },
    ),
    Row("patches[].target.role", "node", given=_patch({}, merge={"metadata": _ANNOTATED}), needed=True),
    Row("patches[].target.container", "train", given=_patch({}, merge={"tty": True}), needed=True),
    Row("patches[].merge.*", True, other=False, given=_patch({"container": "train"}), names=("tty",)),
    Row(
        "patches[].json6902[].op",
        "add",
        other="remove",
        given=_operation(path="/tty", value=True),
        needed=True,
    ),
    Row("patches[].json6902[].path", "/tty", other="/stdin", given=_operation(op="add", value=True)),
    Row(
        "patches[].json6902[].from",
        "/image",
        other="/name",
        given=_operation(op="copy", path="/terminationMessagePath"),
    ),
    Row("patches[].json6902[].value", True, other=False, given=_operation(op="add", path="/tty")),
    Row("rawObjects[].*", {"a": "b"}, other={"a": "c"}, given={"rawObjects": [NOTES]}, names=("data",)),
)
"""Leaves that a job, its parts, a preset, a team and a cluster have in common."""
