"""What only all objects of a cluster show, asked so that an answer holds as long as what was looked at stays."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from trainshed.engine.admission import Court, admit_together
from trainshed.engine.client import Caller
from trainshed.engine.messages import JsonObject, QueueVerdict, Refusal, Together
from trainshed.model.backend import Backend
from trainshed.model.manifest import canonical_json, hash_text
from trainshed.model.remember import Remember
from trainshed.validate.judges import is_setting
from trainshed.validate.view import Member

QUEUES, QUOTAS = "admission", "resource-quota"
"""The judges who look at all objects at once, as the engine calls them."""

ALONE = frozenset(backend.kind for backend in Backend) - {"RayCluster"}
"""The kinds that wait in queues, each as if nothing else did, and that no other workload refers to."""

UNSEEN = frozenset(
    {
        "AppProject",
        "Application",
        "NetworkPolicy",
        "PersistentVolumeClaim",
        "PodDisruptionBudget",
        "PodGroup",
        "Secret",
        "Service",
        "ServiceAccount",
    }
)
"""The kinds that Kueue never reads (`generator/engine/admission/kueue`)."""

MEASURED = frozenset({"PersistentVolumeClaim", "Pod", "Service"})
"""The kinds of which a ResourceQuota counts more than their number (kubernetes.io/docs/concepts/policy)."""


def hear_together(members: Sequence[Member], court: Court, engine: Caller, remember: Remember) -> Together:
    """What the judges say about all objects of one cluster at once."""
    setting = hash_text(canonical_json(court.to_json()))
    return Together(
        runs=tuple(_ask_queues(members, court, setting, engine, remember)),
        refusals=_ask_quotas(members, court, setting, engine, remember),
    )


def _ask_queues(
    members: Sequence[Member], court: Court, setting: str, engine: Caller, remember: Remember
) -> Iterator[QueueVerdict]:
    """Of each workload whether its queue could ever admit it: what else waits there makes no difference."""
    if QUEUES in court.without:
        return
    seen = [index for index, member in enumerate(members) if _is_seen(member)]
    runs = [index for index, member in enumerate(members) if member.identity.kind in ALONE]
    groups = [seen, *([run] for run in runs)]
    looked_at = hash_text("\n".join(members[index].text for index in seen))

    def ask(new: list[int]) -> Iterator[list[QueueVerdict]]:
        indexes = [*seen, *(index for place in new if place for index in groups[place])]
        only = replace(court, without=[*court.without, QUOTAS])
        heard = admit_together([members[index].body for index in indexes], only, engine=engine)
        verdicts = {indexes[verdict.index]: verdict for verdict in heard.runs}
        for place in new:
            found = [(at, verdicts.get(index)) for at, index in enumerate(groups[place])]
            yield [replace(verdict, index=at) for at, verdict in found if verdict is not None]

    questions = [(setting, looked_at), *((setting, looked_at, members[run].text) for run in runs)]
    for group, verdicts in zip(groups, remember("queues", questions, ask), strict=True):
        yield from (replace(verdict, index=group[verdict.index]) for verdict in verdicts)


def _is_seen(member: Member) -> bool:
    """Whether Kueue may look at the object beside another."""
    kind = member.identity.kind
    return kind not in ALONE and kind not in UNSEEN and (kind != "ConfigMap" or is_setting(member))


def _ask_quotas(
    members: Sequence[Member], court: Court, setting: str, engine: Caller, remember: Remember
) -> tuple[tuple[int, Refusal], ...]:
    """The refusals of ResourceQuotas, by the object's index.

    Whether all is within them is found by what is counted. Where it is not, they are asked again about the objects
    themselves, whose names they say.
    """
    only = replace(court, without=[*court.without, QUEUES])

    def are_within(_: list[int]) -> list[bool]:
        return [not admit_together([*map(_counted, members)], only, engine=engine).refusals]

    counted = Counter(map(_what_counts, members))
    question = (setting, *(word for what in sorted(counted) for word in (*what, str(counted[what]))))
    if remember("quotas", [question], are_within) == [True]:
        return ()
    return admit_together([member.body for member in members], only, engine=engine).refusals


def _what_counts(member: Member) -> tuple[str, str, str, str]:
    """What tells one object from another for a ResourceQuota: of most kinds it counts the number in a namespace."""
    identity = member.identity
    measured = member.text if identity.kind in MEASURED else ""
    return identity.api_version, identity.kind, identity.namespace, measured


def _counted(member: Member) -> JsonObject:
    """As much of an object as that says."""
    identity = member.identity
    if identity.kind in MEASURED:
        return member.body
    metadata = {"name": "counted"} | ({"namespace": identity.namespace} if identity.namespace else {})
    return {"apiVersion": identity.api_version, "kind": identity.kind, "metadata": metadata}
