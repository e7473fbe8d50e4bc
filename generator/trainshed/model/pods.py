"""The pods of a run: what is in them, how many there are, where they may go."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec import field as struct_field

from trainshed.model.catalog import Fabric, Taint
from trainshed.model.charges import SIDECAR_REQUESTS
from trainshed.model.cluster import Pool
from trainshed.model.quantity import add_quantities


class EnvVar(Struct, frozen=True):
    """One environment variable: plain text, or a key of a Secret or ConfigMap, or a field of the pod."""

    name: str
    kind: Literal["value", "secret", "configMap", "field"]
    value: str
    key: str = ""


MountKind: TypeAlias = Literal[
    "claim", "readOnlyClaim", "configMap", "secret", "hostPath", "folder", "source"
]


class Mount(Struct, frozen=True):
    """Something mounted into every pod.

    `kind` says what `origin` is: the name of an object (a readOnlyClaim is one that nobody can write to), a path of
    the node, the size of an empty folder, or a volume in Kubernetes' own words as canonical JSON.
    """

    name: str
    kind: MountKind
    origin: str
    mount_path: str
    sub_path: str
    read_only: bool
    field: tuple[str, ...]

    @property
    def is_writable_claim(self) -> bool:
        """Whether a run writes to it, and finds it again later."""
        return self.kind == "claim" and not self.read_only


class CodeFile(Struct, frozen=True):
    """A file that travels with the run, and the path below /code where it is mounted."""

    path: PurePosixPath
    mounted_as: str
    content: bytes


class GitCode(Struct, frozen=True):
    """A commit that an init container clones to /code; `depth` 0 is all of its history."""

    repo: str
    commit: str
    secret: str
    image: str
    submodules: bool
    depth: int


class Scratch(Struct, frozen=True):
    """Space that is gone when the pod is: of the node, or a volume of a StorageClass."""

    size: str
    mount_path: str
    medium: Literal["disk", "memory"]
    storage_class: str = ""


class PodGroup(Struct, frozen=True):
    """Like pods of a run: how many, what each asks for, where they may go.

    `requests` are canonical quantities by resource name, `limits` those that differ from them; `shm` is empty where
    there is none. `arch` is the nodes' architecture where it has to be said. `fabric` is what the pods need of the
    fast network between nodes, `network_env` the variables that choose the network. The pods go to nodes
    with the labels of any of the `node_terms`, or anywhere if there is none. `command` and `args` are empty where the
    kind starts the pods itself. `field` is the path in the spec that described the group: () for the job itself,
    ("roles", "head") for a role. `setup` are shell commands before the command; `beside` is what sidecars of the job
    ask for in all.
    """

    name: str
    min_pods: int
    max_pods: int
    gpus: int
    gpu_resource: str
    image: str
    command: tuple[str, ...]
    args: tuple[str, ...]
    requests: Mapping[str, str]
    limits: Mapping[str, str]
    shm: str
    env: tuple[EnvVar, ...]
    node_terms: tuple[Mapping[str, str], ...]
    arch: str
    fabric: Fabric | None
    network_env: Mapping[str, str]
    tolerations: tuple[Taint, ...]
    pools: tuple[Pool, ...]
    field: tuple[str, ...]
    setup: tuple[str, ...] = ()
    beside: Mapping[str, str] = struct_field(default_factory=dict[str, str])

    @property
    def charges(self) -> Mapping[str, str]:
        """What a pod asks for in all: its training container, and what runs beside it as long."""
        fabric = SIDECAR_REQUESTS if self.fabric is not None and self.fabric.sidecar is not None else {}
        total = dict(self.requests)
        for beside in (fabric, self.beside):
            total |= {name: add_quantities(total[name], amount) for name, amount in beside.items()}
        return total


class RunAs(Struct, frozen=True):
    """The user of a container; all None where the platform assigns a range of its own (OpenShift)."""

    user: int | None
    group: int | None
    fs_group: int | None
    supplemental_groups: tuple[int, ...]
