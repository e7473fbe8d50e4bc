"""The repository's own rules: CEL over every object and every made pod of the kinds that they name."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from trainshed.engine.client import Caller
from trainshed.engine.rules import Breach, Expression, evaluate
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.manifest import JsonObject
from trainshed.model.policy import HouseRule, severity_of
from trainshed.model.source import Source
from trainshed.validate.policy.reading.breach import excuse, layers_of
from trainshed.validate.view import ClusterView, Member

EVERY_POD = "Pod"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule looks at: an object, or a pod that is made from it; `words` say which."""

    owner: Member
    words: str
    kind: str
    body: JsonObject
    source: Source


def check_house_rules(view: ClusterView, rules: Sequence[HouseRule], engine: Caller) -> Iterator[Diagnostic]:
    """A finding for each object that breaks a rule, and for each rule that cannot be followed."""
    by_rules: dict[tuple[str, ...], list[Subject]] = {(rule.name,): [] for rule in rules}
    for subject in _subjects(view, {kind for rule in rules for kind in rule.kinds}):
        names = tuple(rule.name for rule in rules if subject.kind in rule.kinds)
        by_rules.setdefault(names, []).append(subject)
    known = {rule.name: rule for rule in rules}
    pods = _pods_by_owner(view)
    for names, subjects in by_rules.items():
        expressions = [_expression(known[name]) for name in names]
        objects = (_variables(view, subject, pods.get(id(subject.owner), [])) for subject in subjects)
        faults, broken = evaluate(expressions, objects, engine=engine)
        for fault in faults:
            summary = f'rule "{fault.rule}" is not CEL that makes sense here'
            yield error(Code.BAD_RULE, known[fault.rule].places["expression"], summary, fault.message)
        yield from _explain(view, known, zip(subjects, broken, strict=True))


def _subjects(view: ClusterView, kinds: Set[str]) -> Iterator[Subject]:
    """Objects and made pods of these kinds."""
    for member in view.members:
        if member.identity.kind in kinds - {EVERY_POD}:
            yield Subject(member, str(member.identity), member.identity.kind, member.body, member.at())
    for pod in view.pods if EVERY_POD in kinds else ():
        yield Subject(pod.owner, f"a pod of {pod.owner.identity}", EVERY_POD, pod.body, pod.at())


def _pods_by_owner(view: ClusterView) -> dict[int, list[JsonObject]]:
    pods: dict[int, list[JsonObject]] = {}
    for pod in view.pods:
        pods.setdefault(id(pod.owner), []).append(pod.body)
    return pods


def _expression(rule: HouseRule) -> Expression:
    return Expression(rule.name, rule.expression, rule.message, rule.message_expression)


def _variables(view: ClusterView, subject: Subject, pods: list[JsonObject]) -> JsonObject:
    """The words that expressions know; of what is not known, the fields are there and empty."""
    cluster = view.cluster
    team = next(iter(view.owners(subject.owner.namespace)), None)
    old = None if subject.kind == EVERY_POD else view.before.get(subject.owner.identity)
    return {
        "object": subject.body,
        "oldObject": old,
        "pods": [] if subject.kind == EVERY_POD else pods,
        "cluster": {
            "name": view.name,
            "kubernetes": cluster.kubernetes if cluster else "",
            "provider": cluster.provider.name if cluster else "",
            "region": cluster.region if cluster else "",
            "environment": cluster.environment if cluster else "",
        },
        "team": {
            "name": team.name if team else "",
            "owner": team.owner if team else "",
            "costCenter": team.cost_center if team else "",
        },
    }


def _explain(
    view: ClusterView, rules: dict[str, HouseRule], answers: Iterable[tuple[Subject, list[Breach]]]
) -> Iterator[Diagnostic]:
    failed: set[str] = set()
    for subject, breaches in answers:
        for breach in breaches:
            rule = rules[breach.rule]
            severity = severity_of(rule.name, rule.severity, layers_of(view, subject.owner))
            if severity is None or breach.rule in failed:
                continue
            if breach.error:
                failed.add(breach.rule)
                summary = f'rule "{rule.name}" cannot be evaluated for {subject.words}'
                related = [Related(subject.source, "the object")]
                yield error(Code.BAD_RULE, rule.places["expression"], summary, breach.error, related)
                continue
            finding = Diagnostic(
                code=Code.HOUSE_RULE,
                severity=severity,
                summary=f"{rule.name}: {subject.words} breaks a rule of this repository",
                source=subject.source,
                detail=breach.message,
                related=(Related(rule.source, "the rule"),),
            )
            yield excuse(view, subject.owner, rule.name, finding)
