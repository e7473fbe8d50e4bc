"""What a job may say of its pods and nodes, at the edges of the grammar: legal, absurd, or refused."""

from typing import Any

from hypothesis import strategies as st

LEVELS = st.sampled_from(["rack", "host", "block", "kubernetes.io/hostname"])
CONTAINERS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["helper", "train", "pytorch", "preflight", "fetch", "a" * 63, "a" * 64]),
            "image": st.sampled_from(["busybox:1", "a", "registry.example.com:5000/a/b"]),
        },
        optional={
            "command": st.sampled_from([["true"], [], ["sh", "-c", "$(A)"]]),
            "args": st.sampled_from([["a"], [""]]),
            "env": st.sampled_from([{"A": "b"}, {"RANK": "0"}, {"A": {"secret": "wandb", "key": "k"}}]),
            "cpu": st.sampled_from(["0", "100m", 64, "1n"]),
            "memory": st.sampled_from(["64Mi", "0", "999Ti"]),
            "mounts": st.sampled_from(
                [{"data": "/a"}, {"shm": "/dev/shm"}, {"scratch": "/"}, {"none": "/a"}]
            ),
            "securityContext": st.sampled_from(
                [
                    {"runAsUser": 0},
                    {"runAsUser": 7},
                    {"privileged": True},
                    {"capabilities": {"add": ["NET_ADMIN"]}},
                ]
            ),
        },
    ),
    max_size=2,
)
TERMS = st.sampled_from(
    [
        {"matchExpressions": [{"key": "rack", "operator": "In", "values": ["a"]}]},
        {"matchExpressions": [{"key": "rack", "operator": "Exists", "values": ["a"]}]},
        {"matchExpressions": [{"key": "rack", "operator": "Gt", "values": ["a"]}]},
        {"matchExpressions": [{"key": "a b", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "rack", "operator": "Near"}]},
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]},
        {"matchFields": [{"key": "spec.nodeName", "operator": "In", "values": ["node-1"]}]},
        {},
    ]
)
BESIDE = {"topologyKey": "example.com/rack", "labelSelector": {"matchLabels": {"a": "b"}}}
AFFINITY = st.one_of(
    TERMS.map(
        lambda term: {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        }
    ),
    st.sampled_from([0, 1, 100, 101]).map(
        lambda weight: {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": weight, "podAffinityTerm": BESIDE}
                ]
            }
        }
    ),
    st.just({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [BESIDE]}}),
    st.just({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}),
)
TOLERATIONS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "key": st.sampled_from(["a", "example.com/kept", "", "a b"]),
            "operator": st.sampled_from(["Exists", "Equal"]),
            "value": st.sampled_from(["", "x", "a b"]),
            "effect": st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"]),
            "tolerationSeconds": st.sampled_from([0, 5, 2**40]),
        },
    ),
    max_size=2,
)
ODD_PODS: dict[str, st.SearchStrategy[Any]] = {
    "nodeSelector": st.dictionaries(
        st.sampled_from(["example.com/rack", "pool", "kubernetes.io/arch", "a b", "nvidia.com/gpu.product"]),
        st.sampled_from(["a", "", "arm64"]),
        max_size=2,
    ),
    "affinity": AFFINITY,
    "tolerations": TOLERATIONS,
    "avoidNodes": st.sampled_from([["node-7"], [], [""], ["a b"], ["n"] * 2]),
    "scheduler": st.sampled_from(["volcano", "default-scheduler", "bin-packing"]),
    "ports": st.dictionaries(
        st.sampled_from(["debug", "metrics", "pytorchjob-port", "http", "dashboard", "a-b"]),
        st.sampled_from([1, 22, 5678, 8265, 9400, 23456, 65535]),
        max_size=2,
    ),
    "initContainers": CONTAINERS,
    "sidecars": CONTAINERS,
    "preflight": st.fixed_dictionaries({}, optional={"gpus": st.booleans(), "storage": st.booleans()}),
    "limits": st.fixed_dictionaries(
        {},
        optional={"cpu": st.sampled_from(["1m", "64"]), "memory": st.sampled_from(["1Mi", "64Gi", "900Gi"])},
    ),
    "ephemeralStorage": st.sampled_from(["20Gi", "0", "1m"]),
    "platform": st.sampled_from(["amd64", "arm64"]),
    "topology": st.one_of(
        st.fixed_dictionaries({}, optional={"required": LEVELS, "preferred": LEVELS}),
        st.fixed_dictionaries(
            {"slice": st.fixed_dictionaries({"size": st.sampled_from([1, 2, 3]), "required": LEVELS})}
        ),
    ),
    "exclusive": LEVELS,
    "capacity": st.lists(st.sampled_from(["on-demand", "spot", "reserved"]), min_size=1, max_size=3),
    "caBundle": st.sampled_from([{"configMap": "settings"}, {"configMap": "settings", "key": "a b"}]),
    "doNotDisrupt": st.booleans(),
    "resources": st.dictionaries(
        st.sampled_from(["example.com/fpga", "nvidia.com/gpu", "cpu", "fpga"]), st.integers(0, 2), max_size=1
    ),
}
"""By field of a job."""
