"""One cluster's objects before all their judges, in the order in which a cluster would ask them."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from trainshed.engine.admission import Court
from trainshed.engine.client import Caller
from trainshed.engine.messages import Admission, JsonObject, Status, Verdict
from trainshed.model.cluster import Cluster
from trainshed.model.diagnostic import Diagnostic
from trainshed.model.manifest import ObjectId, canonical_json, hash_text
from trainshed.model.plan import Target
from trainshed.model.policy import HouseRule
from trainshed.model.remember import Remember, make_anew
from trainshed.model.seal import fold
from trainshed.model.team import TeamOnCluster
from trainshed.validate.house_rules import check_house_rules
from trainshed.validate.judges import (
    ask_judges,
    convene,
    explain_refusals,
    explain_together,
    note_releases,
    pods_of,
)
from trainshed.validate.nodes import imagine_nodes
from trainshed.validate.policy import check_rules
from trainshed.validate.schemas import (
    ask_schemas,
    explain_verdict,
    explain_version,
    has_kubernetes,
    newest_folders,
    schema_folders,
)
from trainshed.validate.sealed import sealed_files, settle_sealed
from trainshed.validate.together import QUEUES, hear_together
from trainshed.validate.view import ClusterView, Member

FEW = 16
"""As many objects as a run has, and more: what is made together is asked, and known, together."""

SHAPE = frozenset({"decoding", "schema"})
"""Judges of an object's shape: kubeconform says the same, and says it first."""


def _ask_at_once(members: Sequence[Member]) -> Iterator[list[Member]]:
    """The objects of an app, but each by itself where an app has many, of which most stay as they are."""
    for _, group in groupby(members, key=attrgetter("app")):
        objects = list(group)
        yield from [objects] if len(objects) <= FEW else ([one] for one in objects)


class Answer(NamedTuple):
    """What was said about one object: by its schema, and by everybody else."""

    member: Member
    verdict: Verdict
    admission: Admission


@dataclass(frozen=True, slots=True)
class Hearing:
    """The objects that are judged, what is known of their cluster (None: any), and what stands beside them.

    `without` names judges that are not asked.
    """

    cluster: Cluster | None
    members: tuple[Member, ...]
    teams: tuple[TeamOnCluster, ...] = ()
    targets: Mapping[str, Target] = field(default_factory=dict[str, Target])
    before: Mapping[ObjectId, JsonObject] = field(default_factory=dict[ObjectId, JsonObject])
    beside: tuple[Member, ...] = ()
    rules: tuple[HouseRule, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The cluster's name, or nothing."""
        return self.cluster.name if self.cluster else ""

    def judge(
        self, root: Path, releases: Mapping[str, str], engine: Caller, remember: Remember = make_anew
    ) -> Iterator[Diagnostic]:
        """Everything that is wrong, judge by judge, then rule by rule; sealed runs stay as they are."""
        found = self._judge(root, releases, engine, remember)
        yield from fold(settle_sealed(found, sealed_files(self.targets.values())))

    def _judge(
        self, root: Path, releases: Mapping[str, str], engine: Caller, remember: Remember
    ) -> Iterator[Diagnostic]:
        folders = schema_folders(self.cluster, root) if self.cluster else newest_folders(root)
        if self.cluster and not has_kubernetes(folders):
            yield explain_version(self.cluster, root)
            return
        if self.cluster:
            yield from note_releases(self.cluster, releases)
        court = convene((*self.members, *self.beside), self.cluster, folders, self.without)
        answers = list(self._ask(court, folders, engine, remember))
        for answer in answers:
            yield from self._explain(answer, releases)
        together = court if self._knows_queues else replace(court, without=(*court.without, QUEUES))
        together = replace(together, around=[*together.around, *imagine_nodes(self.cluster)])
        everything = (*self.members, *self.beside)
        refused = {answer.member.identity for answer in answers if answer.admission.refusals}
        with ThreadPoolExecutor(1) as other:  # the queues are the engine's work, the rules are ours
            heard = other.submit(hear_together, everything, together, engine, remember)
            view = self._view(answers)
            rules = list(check_rules(view))
        yield from explain_together(heard.result(), everything, refused, together, self.name, releases)
        judged = {member.path for member in self.members}
        yield from (finding for finding in rules if not self.beside or finding.source.path in judged)
        yield from check_house_rules(view, self.rules, engine)

    @property
    def _knows_queues(self) -> bool:
        """Whether a queue that is not there is missing, and not merely unknown."""
        return self.cluster is not None or any(one.identity.kind == "LocalQueue" for one in self.members)

    def _ask(self, court: Court, folders: list[Path], engine: Caller, remember: Remember) -> Iterator[Answer]:
        setting = hash_text(canonical_json([court.to_json(), list(map(str, folders))]))
        before = {identity: canonical_json(body) for identity, body in self.before.items()}

        def ask(new: list[int]) -> Iterator[list[tuple[Verdict, Admission]]]:
            members = [member for index in new for member in asked[index]]
            verdicts = ask_schemas(members, folders, engine)
            answers = zip(verdicts, ask_judges(members, self.before, court, engine), strict=True)
            return (list(islice(answers, len(asked[index]))) for index in new)

        asked = list(_ask_at_once(self.members))
        said = (
            (word for one in members for word in (one.text, before.get(one.identity, "")))
            for members in asked
        )
        questions = [(setting, *words) for words in said]
        for members, answers in zip(asked, remember("objects", questions, ask), strict=True):
            yield from (Answer(member, *answer) for member, answer in zip(members, answers, strict=True))

    def _explain(self, answer: Answer, releases: Mapping[str, str]) -> Iterator[Diagnostic]:
        yield from explain_verdict(answer.member, answer.verdict, self.name)
        hushed = frozenset[str]() if answer.verdict.status is Status.VALID else SHAPE
        yield from explain_refusals(answer.member, answer.admission, self.name, releases, hushed)

    def _view(self, answers: Sequence[Answer]) -> ClusterView:
        return ClusterView(
            name=self.name,
            cluster=self.cluster,
            teams=self.teams,
            targets=self.targets,
            members=(*self.members, *self.beside),
            pods=tuple(pod for answer in answers for pod in pods_of(answer.member, answer.admission)),
            before=self.before,
        )
