"""How the NVIDIA GPU Operator cuts and shares the GPUs of a cluster.

Its chart makes the one ClusterPolicy that counts, and the operator ignores a second: so ours is the chart's, configured
by its values. What the policy points at, the layouts of slices and the ways of sharing by name, are ConfigMaps of ours.
A node takes the one that its label names. Forms: https://github.com/NVIDIA/mig-parted (README) and
https://github.com/NVIDIA/k8s-device-plugin (README, "Shared Access to GPUs").
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from trainshed.catalog import operators
from trainshed.compile.labels import MANAGED_BY
from trainshed.compile.plain import without_empty
from trainshed.model.catalog import OperatorRelease
from trainshed.model.cluster import Cluster, Pool
from trainshed.model.gpus import GPU_OPERATOR, MIG_LABEL, SHARED_SUFFIX, SHARING_LABEL
from trainshed.model.manifest import JsonObject
from trainshed.model.naming import content_name
from trainshed.model.source import Source
from trainshed.model.team import TeamOnCluster

WHOLE = "all-disabled"
"""The operator's own name of the layout without slices, which nodes without a label have."""

UNSHARED = "default"
"""The way of sharing of nodes without a label: none."""

MIG_STRATEGY = "mixed"
"""A resource for each profile: by the other strategy a slice is an `nvidia.com/gpu` like any other."""


def gpu_objects(cluster: Cluster, _: Iterable[TeamOnCluster]) -> Iterator[tuple[JsonObject, Source]]:
    """The ConfigMaps, each with the first pool that asks for it."""
    layouts, ways = _pools_by(cluster, MIG_LABEL), _pools_by(cluster, SHARING_LABEL)
    if layouts:
        yield _config_map(*_mig_config(layouts)), next(iter(layouts.values())).source
    if ways:
        yield _config_map(*_sharing_config(ways)), next(iter(ways.values())).source


def gpu_values(cluster: Cluster, release: OperatorRelease) -> Iterator[tuple[str, object]]:
    """The chart's values that point the ClusterPolicy at our ConfigMaps, by dotted path."""
    settings = release.settings
    layouts, ways = _pools_by(cluster, MIG_LABEL), _pools_by(cluster, SHARING_LABEL)
    if layouts:
        yield settings["mig-strategy-value"], MIG_STRATEGY
        yield settings["mig-manager-config-value"], _mig_config(layouts)[0]
    if ways:
        yield settings["device-plugin-config-value"], _sharing_config(ways)[0]
        yield settings["device-plugin-config-default-value"], UNSHARED


def _pools_by(cluster: Cluster, label: str) -> dict[str, Pool]:
    """The pools that are cut or shared, by what their label names: pools that agree come to one."""
    wanted = [
        pool
        for pool in cluster.pools.values()
        if pool.gpus and (pool.gpus.mig if label == MIG_LABEL else pool.gpus.sharing)
    ]
    return {pool.labels[label]: pool for pool in reversed(wanted) if label in pool.labels}


def _mig_config(layouts: Mapping[str, Pool]) -> tuple[str, Mapping[str, str]]:
    """Every GPU of a node is cut alike, into as many slices of the profile as it holds."""
    configs: dict[str, list[JsonObject]] = {WHOLE: [{"devices": "all", "mig-enabled": False}]}
    for name, pool in sorted(layouts.items()):
        accelerator, gpus = pool.machine.accelerator, pool.gpus
        slices = {gpus.mig: accelerator.mig[gpus.mig]} if accelerator and gpus else {}
        configs[name] = [{"devices": "all", "mig-enabled": True, "mig-devices": slices}]
    return _named("mig", {"config.yaml": _yaml({"version": "v1", "mig-configs": configs})})


def _sharing_config(ways: Mapping[str, Pool]) -> tuple[str, Mapping[str, str]]:
    """A key for each way of sharing. Nobody gets two parts of one GPU and takes them for two GPUs."""
    configs = {UNSHARED: _plugin_config({})}
    for name, pool in sorted(ways.items()):
        gpus = pool.gpus
        if gpus is not None:
            shared = {"name": gpus.resource.removesuffix(SHARED_SUFFIX), "replicas": gpus.replicas}
            way = {"renameByDefault": True, "failRequestsGreaterThanOne": True, "resources": [shared]}
            configs[name] = _plugin_config({gpus.sharing: way})
    return _named("device-plugin", configs)


def _plugin_config(sharing: JsonObject) -> str:
    return _yaml(without_empty({"version": "v1", "flags": {"migStrategy": MIG_STRATEGY}, "sharing": sharing}))


def _named(part: str, data: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    """Named by its content: the operator's pods do not look at a ConfigMap again, and a new name starts them anew."""
    return content_name("trainshed", part, json.dumps(data, sort_keys=True).encode()), data


def _yaml(body: JsonObject) -> str:
    """JSON is YAML, and what reads it is code."""
    return json.dumps(body, indent=2) + "\n"


def _config_map(name: str, data: Mapping[str, str]) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name,
            "namespace": operators()[GPU_OPERATOR].namespace,
            "labels": dict(MANAGED_BY),
        },
        "data": dict(data),
    }
