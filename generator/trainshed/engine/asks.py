"""What every workload of a cluster asks for, by the code that counts it: Kueue's own, or the API server's."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from trainshed.engine.admission import Court
from trainshed.engine.client import Caller, lent
from trainshed.engine.messages import JsonObject


class PodsAsked(Struct, frozen=True):
    """Like pods of a workload. Quantities are of all of them, by resource, and as Kubernetes writes them.

    `least` is how few Kueue may start them with. `flavors` are those of Kueue, by resource; `pools` those on whose
    nodes pods may run that Kueue does not place; `queue` is the one of Volcano that they name.
    """

    role: str
    count: int
    requests: Mapping[str, str]
    least: int
    flavors: Mapping[str, str]
    pools: tuple[str, ...] = ()
    queue: str = ""


class Lacking(Struct, frozen=True):
    """A resource of which a workload asks for more than is free, or than its queue could ever give."""

    flavor: str
    resource: str
    asked: str
    free: str


class Workload(Struct, frozen=True):
    """One workload by its index among the objects. Without a queue of Kueue, `queue` and `verdict` are empty."""

    index: int
    pods: tuple[PodsAsked, ...]
    queue: str = ""
    verdict: str = ""
    reason: str = ""
    lacking: Lacking | None = None


class QueueQuota(Struct, frozen=True):
    """What a ClusterQueue has of a resource, and the most it could ever hold; empty for no limit."""

    queue: str
    cohort: str
    flavor: str
    resource: str
    nominal: str
    ceiling: str


class Line(Struct, frozen=True):
    """The workloads of one cluster, each behind those before it, and the quotas of Kueue's queues."""

    workloads: tuple[Workload, ...]
    quotas: tuple[QueueQuota, ...]

    @classmethod
    def from_json(cls, body: JsonObject) -> "Line":
        """Read the reply to `asks`."""
        queued = [_read_queued(one) for one in body["queued"]]
        others = [Workload(one["index"], tuple(map(_read_pods, one["pods"]))) for one in body["others"]]
        quotas = tuple(QueueQuota(**quota) for quota in body["quotas"])
        return cls(tuple(sorted(queued + others, key=lambda one: one.index)), quotas)


class Gathering(Struct, frozen=True):
    """All objects of one cluster in the order in which its workloads stand in line, and a Node for each pool."""

    objects: Sequence[JsonObject]
    pools: Sequence[JsonObject]
    court: Court


def stand_in_line(gatherings: Sequence[Gathering], *, engine: Caller | None = None) -> list[Line]:
    """What the workloads of each cluster ask for, and what becomes of them."""
    bodies = [
        each.court.to_json() | {"objects": list(each.objects), "pools": list(each.pools)}
        for each in gatherings
    ]
    with lent(engine) as caller:
        return [Line.from_json(reply) for reply in caller.call_many("asks", bodies)]


def _read_queued(body: JsonObject) -> Workload:
    short = body.get("short")
    return Workload(
        index=body["index"],
        pods=tuple(
            PodsAsked(part["role"], part["count"], part["requests"], part["least"], part["flavors"])
            for part in body["podSets"]
        ),
        queue=body["queue"],
        verdict=body["verdict"],
        reason=body.get("reason", ""),
        lacking=Lacking(**short) if short else None,
    )


def _read_pods(body: JsonObject) -> PodsAsked:
    count = body["count"]
    return PodsAsked(body["role"], count, body["requests"], count, {}, tuple(body["pools"]), body["queue"])
