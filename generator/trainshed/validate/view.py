"""Everything that one cluster will hold, decoded once, for the rules that look at more than one object."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from msgspec import Struct

from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject, ObjectId, Origins, canonical_json
from trainshed.model.plan import Target
from trainshed.model.source import Source
from trainshed.model.team import TeamOnCluster


class Member(Struct, frozen=True):
    """One object of a cluster: its app ("" for manifests of any origin), its file, and its content, never changed.

    `canonical` is the content as canonical JSON, empty where nobody has that at hand.
    """

    app: str
    path: PurePosixPath
    identity: ObjectId
    body: JsonObject
    origins: Origins
    canonical: str = ""

    @property
    def text(self) -> str:
        """The body as canonical JSON."""
        return self.canonical or canonical_json(self.body)

    def at(self, pointer: str = "") -> Source:
        """The line that caused what stands at a JSON pointer."""
        return self.origins.find(pointer)

    @property
    def namespace(self) -> str:
        """The namespace, empty for cluster scope."""
        return self.identity.namespace


class MadePod(Struct, frozen=True, eq=False):
    """A pod that a controller will make, by the controller's own code: `count` alike, in a role of their owner.

    `places` pairs JSON pointers, of the pod and of its owner; `fallback` is the owner's where none fits, as for a
    container that the operator brings along. Each is only equal to itself.
    """

    owner: Member
    role: str
    count: int
    body: JsonObject
    places: tuple[tuple[str, str], ...]
    fallback: str

    def trace(self, pointer: str) -> str:
        """The pointer into the owner for one into the pod."""
        fits = [
            (len(inside), outside + pointer[len(inside) :])
            for inside, outside in self.places
            if pointer == inside or pointer.startswith(inside + "/")
        ]
        return max(fits)[1] if fits else self.fallback

    def at(self, pointer: str = "") -> Source:
        """The line that caused what stands at a JSON pointer into the pod."""
        return self.owner.at(self.trace(pointer))


@dataclass(frozen=True, slots=True)
class ClusterView:
    """All objects of one cluster and the pods that will be made from them.

    `cluster` is None where only manifests are known; teams and targets are empty then. Targets are by app. `before`
    holds what the base branch has in place of those objects that changed, moved or went.
    """

    name: str
    cluster: Cluster | None
    teams: tuple[TeamOnCluster, ...]
    targets: Mapping[str, Target]
    members: tuple[Member, ...]
    pods: tuple[MadePod, ...]
    before: Mapping[ObjectId, JsonObject] = field(default_factory=dict[ObjectId, JsonObject])
    _owners: Mapping[str, tuple[TeamOnCluster, ...]] = field(init=False, repr=False, compare=False)
    _by_kind: Mapping[str, tuple[Member, ...]] = field(init=False, repr=False, compare=False)
    _by_identity: Mapping[tuple[str, str, str], Member] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_kind: dict[str, list[Member]] = {}
        by_identity: dict[tuple[str, str, str], Member] = {}
        for member in self.members:
            by_kind.setdefault(member.identity.kind, []).append(member)
            identity = member.identity
            by_identity.setdefault((identity.kind, identity.namespace, identity.name), member)
        owners: dict[str, list[TeamOnCluster]] = {}
        for team in self.teams:
            for namespace in dict.fromkeys(team.all_namespaces):
                owners.setdefault(namespace, []).append(team)
        object.__setattr__(self, "_owners", {name: tuple(teams) for name, teams in owners.items()})
        object.__setattr__(self, "_by_kind", {kind: tuple(members) for kind, members in by_kind.items()})
        object.__setattr__(self, "_by_identity", by_identity)

    def running(self) -> Iterator[Target]:
        """The jobs whose runs are to run, sealed or not: neither stopped nor archived."""
        return (target for target in self.targets.values() if not target.is_over)

    def owners(self, namespace: str) -> tuple[TeamOnCluster, ...]:
        """The teams that own a namespace, and say what else exists there."""
        return self._owners.get(namespace, ())

    def of_kind(self, *kinds: str) -> Iterator[Member]:
        """The objects of some kinds, in the order of their files."""
        for kind in kinds:
            yield from self._by_kind.get(kind, ())

    def find(self, kind: str, namespace: str, name: str) -> Member | None:
        """The object of that name, if the cluster has one from us; namespace is empty for cluster scope."""
        return self._by_identity.get((kind, namespace, name))
