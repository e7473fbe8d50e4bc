"""Rules of the repository's own: which objects they are asked about, and what becomes of the answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from repositories import JOB, SMALL, TEAM
from stages.street import resolve
from validate.views import lab, say, see

from trainshed.model.codes import Code
from trainshed.model.plan import Plan
from trainshed.validate.house_rules import check_house_rules

RULE_FILE = "specs/policies/small.yaml"
RULE = """\
apiVersion: trainshed/v1
kind: Policy
name: small
kinds: [Job]
expression: size(pods) < 3
message: this is large
"""
OBJECTS = """\
{apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: team-vision}, spec: {template: {spec: {containers: [{name: a}]}}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: code, namespace: team-vision}}
"""


@dataclass
class Cel:
    """An engine that knows one answer for every object, and remembers what it was asked."""

    answer: Sequence[Mapping[str, str]] = ()
    faults: Sequence[Mapping[str, str]] = ()
    asked: list[dict[str, Any]] = field(default_factory=list)

    def call_many(self, verb: str, bodies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        assert verb == "rules"
        self.asked += bodies
        return [
            {"faults": list(self.faults), "verdicts": [list(self.answer) for _ in body["objects"]]}
            for body in bodies
        ]


def plan(rule: str = RULE, job: str = "", team: str = "") -> Plan:
    return lab(
        {RULE_FILE: rule, "specs/jobs/vision/resnet.yaml": JOB + job, "specs/teams/vision.yaml": TEAM + team}
    )


def heard(cel: Cel, of: Plan) -> list[str]:
    return say(check_house_rules(see({"job-vision-resnet": OBJECTS}, of), of.rules, cel))


BROKEN = {"rule": "small", "message": "this is large"}


def test_a_rule_is_asked_about_the_objects_of_its_kinds() -> None:
    cel = Cel()
    assert heard(cel, plan(team="owner: alice\n")) == []
    (asked,) = [body for body in cel.asked if body["objects"]]
    assert asked["rules"] == [
        {"name": "small", "expression": "size(pods) < 3", "message": "this is large", "messageExpression": ""}
    ]
    (one,) = asked["objects"]
    assert (one["object"]["metadata"]["name"], one["oldObject"]) == ("train", None)
    assert one["pods"] == [{"spec": {"containers": [{"name": "a"}]}}]
    assert one["cluster"] == {
        "name": "lab",
        "kubernetes": "1.36",
        "provider": "onprem",
        "region": "",
        "environment": "",
    }
    assert one["team"] == {"name": "vision", "owner": "alice", "costCenter": ""}


def test_a_rule_about_pods_is_asked_about_every_pod_that_is_made() -> None:
    cel = Cel()
    heard(cel, plan(RULE.replace("[Job]", "[Pod]")))
    (asked,) = [body for body in cel.asked if body["objects"]]
    assert [one["object"] for one in asked["objects"]] == [{"spec": {"containers": [{"name": "a"}]}}]


def test_an_object_that_breaks_a_rule_is_said_in_the_rules_words() -> None:
    of = plan()
    (finding,) = check_house_rules(see({"job-vision-resnet": OBJECTS}, of), of.rules, Cel([BROKEN]))
    assert say([finding]) == [
        "error at Job train: house-rule: small: Job team-vision/train breaks a rule of this repository"
    ]
    assert finding.detail == "this is large"
    assert [str(one.source) for one in finding.related] == [f"{RULE_FILE}:3:7"]


@pytest.mark.parametrize(
    ("rule", "team", "severity"),
    [
        (RULE, "", "error"),
        (RULE + "severity: note\n", "", "note"),
        (RULE + "severity: note\n", "policies: {small: warning}\n", "warning"),
    ],
)
def test_a_rule_weighs_what_it_says_unless_the_team_says_otherwise(
    rule: str, team: str, severity: str
) -> None:
    (said,) = heard(Cel([BROKEN]), plan(rule, team=team))
    assert said.startswith(f"{severity} at Job train: house-rule: ")


def test_a_rule_can_be_turned_off() -> None:
    assert heard(Cel([BROKEN]), plan(team="policies: {small: off}\n")) == []


def test_a_rule_can_be_waived_by_its_name() -> None:
    (said,) = heard(Cel([BROKEN]), plan(job="waive: [{rule: small, because: a benchmark}]\n"))
    assert said.startswith("note at Job train: house-rule: ")


def test_a_rule_that_does_not_compile_is_said_once_at_its_expression() -> None:
    of = plan()
    cel = Cel(faults=[{"rule": "small", "message": "Syntax error: mismatched input"}])
    found = set(check_house_rules(see({"job-vision-resnet": OBJECTS}, of), of.rules, cel))
    (finding,) = found
    assert (finding.code, str(finding.source)) == (Code.BAD_RULE, f"{RULE_FILE}:5:13")
    assert finding.detail == "Syntax error: mismatched input"


def test_a_rule_that_cannot_be_evaluated_is_no_pass() -> None:
    (said,) = heard(Cel([{"rule": "small", "message": "", "error": "no such key: foo"}]), plan())
    assert (
        said
        == 'error at specs/policies/small.yaml: bad-rule: rule "small" cannot be evaluated for Job team-vision/train'
    )


def test_without_rules_nothing_is_asked() -> None:
    cel = Cel([BROKEN])
    assert heard(cel, lab()) == []
    assert cel.asked == []


def test_a_rule_of_a_name_that_is_ours_is_refused() -> None:
    (said,) = resolve({**SMALL, RULE_FILE: RULE.replace("name: small", "name: privileged")}).said
    assert said == f'{RULE_FILE}:3:7 name-taken: "privileged" is a finding of ours'


def test_two_rules_of_one_name_are_refused() -> None:
    (said,) = resolve({**SMALL, RULE_FILE: RULE, "specs/policies/zwei.yaml": RULE}).said
    assert said == 'specs/policies/zwei.yaml:3:7 name-taken: policy "small" is described twice'
