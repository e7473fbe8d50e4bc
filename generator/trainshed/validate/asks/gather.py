"""One side of one cluster, as the engine is asked about it: its objects in line, its pools, its judges."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from trainshed.engine.asks import Gathering
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Plan
from trainshed.model.team import TeamOnCluster
from trainshed.validate.asks.bodies import is_paused, priorities_of, read_priority
from trainshed.validate.judges import convene
from trainshed.validate.nodes import imagine_nodes, pool_nodes
from trainshed.validate.schemas import newest_folders, schema_folders
from trainshed.validate.view import Member

ASK_NOTHING = frozenset(
    {
        "Application",
        "AppProject",
        "ConfigMap",
        "CustomResourceDefinition",
        "NetworkPolicy",
        "PersistentVolumeClaim",
        "PrometheusRule",
        "Role",
        "RoleBinding",
        "Secret",
        "ServiceAccount",
    }
)
"""Kinds of which there are many, that ask for nothing, and that no queue looks at."""


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """`members` are those of the gathering's objects, in their order. `cluster` is None where no spec describes it."""

    name: str
    cluster: Cluster | None
    teams: tuple[TeamOnCluster, ...]
    members: tuple[Member, ...]
    gathering: Gathering


def gather(name: str, members: Sequence[Member], other: Sequence[Member], plan: Plan, root: Path) -> Gathered:
    """What the engine is asked about one side; `other` are the objects of the other."""
    cluster = plan.clusters.get(name)
    folders = schema_folders(cluster, root) if cluster else newest_folders(root)
    court = convene(members, cluster, folders)
    court = replace(court, around=[*court.around, *imagine_nodes(cluster)])
    line = tuple(_in_line([one for one in members if one.identity.kind not in ASK_NOTHING], other))
    return Gathered(
        name=name,
        cluster=cluster,
        teams=tuple(team for team in plan.teams if team.cluster.name == name),
        members=line,
        gathering=Gathering([one.body for one in line], list(_pools(cluster)), court),
    )


def _pools(cluster: Cluster | None) -> Iterator[JsonObject]:
    if cluster is not None:
        yield from pool_nodes(cluster)


def _in_line(members: list[Member], other: Sequence[Member]) -> list[Member]:
    """Who is the same on both sides first; then by priority and name."""
    stays = {one.identity: one.body for one in other}
    values = priorities_of(tuple(members))
    return sorted(
        (one for one in members if not is_paused(one.body)),
        key=lambda one: (
            stays.get(one.identity) != one.body,
            -read_priority(one, values),
            one.app,
            one.identity,
        ),
    )
