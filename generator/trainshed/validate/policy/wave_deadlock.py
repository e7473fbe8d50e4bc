"""No sync wave waits for what only a later wave, or a later hook, would bring."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.manifest import ObjectId
from trainshed.validate.policy.reading.argo import ANNOTATION, Timetable
from trainshed.validate.policy.reading.needs import (
    is_waited_for,
    needs_to_apply,
    needs_to_start,
    pending_claims,
)
from trainshed.validate.view import ClusterView, Member

WAVE = f"/metadata/annotations/{ANNOTATION.replace('/', '~1')}sync-wave"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each object whose wave would never be over."""
    times = Timetable.of(view)
    for member in view.members:
        for needed in needs_to_apply(view, member):
            if needed is not None and times.is_later(needed, member):
                yield _deadlock(member, needed, "cannot be applied")
    said: set[tuple[ObjectId, ObjectId]] = set()
    for pod in view.pods:
        owner = pod.owner
        for needed in needs_to_start(view, pod):
            if needed is None or (owner.identity, needed.identity) in said:
                continue
            if times.is_later(needed, owner) and is_waited_for(view, owner):
                said.add((owner.identity, needed.identity))
                yield _deadlock(owner, needed, "cannot start")
    for claim, consumers in pending_claims(view):
        if all(times.is_later(consumer, claim) for consumer in consumers):
            yield _deadlock(claim, consumers[0], "is not bound")


def _deadlock(member: Member, needed: Member, verdict: str) -> Diagnostic:
    return error(
        Code.WAVE_DEADLOCK,
        member.at(WAVE),
        f"{member.identity} {verdict} before {needed.identity} is there, which a later wave would bring",
        "give both one wave, or the one that is needed an earlier one: Argo CD waits for each wave to be healthy",
        [Related(needed.at(WAVE), "the later wave")],
    )
