"""What a pod needs to use the fast network between nodes: its devices are among the group's requests."""

from collections.abc import Iterator

from trainshed.compile.plain import without_empty
from trainshed.compile.pod.part import PodPart
from trainshed.compile.pod.resources import resources
from trainshed.compile.said import said
from trainshed.model.catalog import Fabric, Sidecar
from trainshed.model.charges import SIDECAR_REQUESTS
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import EnvVar, PodGroup

NETWORKS = "k8s.v1.cni.cncf.io/networks"
"""Multus attaches these networks to the pod."""


def fabric(target: Target, group: PodGroup) -> PodPart:
    """Variables, networks, paths of the node, and the daemon that runs beside the training container."""
    env = tuple(EnvVar(name, "value", value) for name, value in group.network_env.items())
    asked = said(target, group, ("fabric",), ("nodes",), ("gpus",))
    known = group.fabric
    if known is None:
        return PodPart(env=env, source=asked)
    return PodPart(
        annotations=without_empty({**known.annotations, NETWORKS: known.networks}),
        env=env,
        volumes=tuple(_volumes(known)),
        mounts=tuple(_mounts(known)),
        inits=(_sidecar(target, known, known.sidecar),) if known.sidecar else (),
        source=asked,
    )


def _volumes(known: Fabric) -> Iterator[JsonObject]:
    for name, path in known.host_paths.items():
        yield {"name": _volume_name(name), "hostPath": {"path": path.path}}


def _mounts(known: Fabric) -> Iterator[JsonObject]:
    for name, path in known.host_paths.items():
        if path.mount_path:
            yield _mount(name, path.mount_path, path.read_only)


def _mount(name: str, mount_path: str, read_only: bool) -> JsonObject:
    return without_empty({"name": _volume_name(name), "mountPath": mount_path, "readOnly": read_only or None})


def _volume_name(name: str) -> str:
    """A name that no data of the job has."""
    return f"fabric-{name}"


def _sidecar(target: Target, known: Fabric, sidecar: Sidecar) -> JsonObject:
    """A native sidecar: it starts first, and ends by itself when the training container has.

    It is root whoever the pod is, with the capabilities that its vendor's sample gives it and all that root has there.
    """
    return {
        "name": sidecar.name,
        "image": target.cluster.mirror.image(sidecar.image),
        "restartPolicy": "Always",
        "command": list(sidecar.command),
        "args": list(sidecar.args),
        "env": [{"name": name, "value": value} for name, value in sidecar.env.items()],
        "resources": resources(SIDECAR_REQUESTS),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "runAsNonRoot": False,
            "runAsUser": 0,
            "runAsGroup": 0,
            "capabilities": {"add": list(sidecar.capabilities)},
        },
        "volumeMounts": [
            _mount(name, place, known.host_paths[name].read_only) for name, place in sidecar.mounts.items()
        ],
    }
