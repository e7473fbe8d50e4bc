"""Each rule of risk by itself: a body before and after in, sentences out."""

from pathlib import PurePosixPath
from typing import Any

import pytest

from trainshed.model.manifest import AppId, identify
from trainshed.model.review import RiskKind, Verb
from trainshed.review.pairs import Pair
from trainshed.review.risks import RULES
from trainshed.review.sides import Standing

Body = dict[str, Any]
KEPT = {"argocd.argoproj.io/sync-options": "Prune=false,Delete=false"}


def body(kind: str, annotations: Any = None, labels: Any = None, **fields: Any) -> Body:
    metadata = {"name": "it", "namespace": "team", "annotations": annotations or {}, "labels": labels or {}}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}


def standing(body: Body | None) -> Standing | None:
    return body and Standing(
        AppId("lab", "team-x"), PurePosixPath("rendered/lab/team-x/it.yaml"), identify(body), body
    )


def risks(before: Body | None, after: Body | None) -> set[tuple[RiskKind, str]]:
    old, new = standing(before), standing(after)
    verb = Verb.CHANGED if old and new else Verb.CREATED if new else Verb.DELETED
    pair = Pair(verb, AppId("lab", "team-x"), old, new)
    rows = [row for row in RULES if not row.looks_at or pair.kind in row.looks_at]
    return {(row.kind, sentence) for row in rows for sentence, _ in row.rule(pair)}


def pod(**spec: Any) -> Body:
    return body("Pod", spec={"containers": [{"name": "train", "image": "a/b:1@sha256:0"}], **spec})


def container(**fields: Any) -> Body:
    return pod(containers=[{"name": "train", "image": "a/b:1@sha256:0", **fields}])


def role(*verbs: str) -> Body:
    return body("Role", rules=[{"apiGroups": ["batch"], "resources": ["jobs"], "verbs": list(verbs)}])


CLAIM = body(
    "PersistentVolumeClaim", spec={"storageClassName": "nfs", "resources": {"requests": {"storage": "2Ti"}}}
)
KEPT_CLAIM = body("PersistentVolumeClaim", KEPT, spec=CLAIM["spec"])
OPEN, SHUT = {"from": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}, {"from": [{"podSelector": {}}]}

CASES: tuple[tuple[str, Body | None, Body | None, RiskKind, str], ...] = (
    ("claim goes", CLAIM, None, RiskKind.DATA, "is deleted, and what becomes of its data"),
    (
        "claim leaves Git",
        KEPT_CLAIM,
        None,
        RiskKind.DATA,
        "leaves Git and stays in the cluster with its data",
    ),
    ("claim is no longer protected", KEPT_CLAIM, CLAIM, RiskKind.DATA, "loses Prune=false"),
    (
        "claim of another class",
        CLAIM,
        body("PersistentVolumeClaim", spec={**CLAIM["spec"], "storageClassName": "ssd"}),
        RiskKind.DATA,
        "changes its storageClassName",
    ),
    (
        "claim shrinks",
        CLAIM,
        body("PersistentVolumeClaim", spec={**CLAIM["spec"], "resources": {"requests": {"storage": "1Ti"}}}),
        RiskKind.DATA,
        "shrinks",
    ),
    (
        "volume no longer retains",
        body("PersistentVolume", spec={"persistentVolumeReclaimPolicy": "Retain"}),
        body("PersistentVolume", spec={"persistentVolumeReclaimPolicy": "Delete"}),
        RiskKind.DATA,
        "deletes data when its claim goes",
    ),
    ("namespace goes", body("Namespace"), None, RiskKind.NAMESPACE, "goes with all in it"),
    ("role grants more", role("get"), role("get", "delete"), RiskKind.RIGHTS, "grants more: delete jobs"),
    ("new role that writes", None, role("get", "create"), RiskKind.RIGHTS, "grants more: create jobs"),
    (
        "binding to one more",
        body("RoleBinding", roleRef={"name": "viewer"}, subjects=[]),
        body("RoleBinding", roleRef={"name": "viewer"}, subjects=[{"kind": "Group", "name": "all"}]),
        RiskKind.RIGHTS,
        "gives viewer to Group all",
    ),
    (
        "account becomes another role",
        body("ServiceAccount", {"eks.amazonaws.com/role-arn": "arn:one"}),
        body("ServiceAccount", {"eks.amazonaws.com/role-arn": "arn:two"}),
        RiskKind.RIGHTS,
        "becomes the AWS role arn:two",
    ),
    (
        "project may deploy elsewhere",
        body("AppProject", spec={"destinations": [{"namespace": "a"}]}),
        body("AppProject", spec={"destinations": [{"namespace": "a"}, {"namespace": "kube-system"}]}),
        RiskKind.RIGHTS,
        "may deploy to kube-system",
    ),
    (
        "network opens",
        body("NetworkPolicy", spec={"ingress": [SHUT]}),
        body("NetworkPolicy", spec={"ingress": [SHUT, OPEN]}),
        RiskKind.RIGHTS,
        "lets other traffic in",
    ),
    ("policy goes", body("NetworkPolicy", spec={}), None, RiskKind.RIGHTS, "nothing holds back"),
    (
        "Pod Security drops",
        body("Namespace", labels={"pod-security.kubernetes.io/enforce": "restricted"}),
        body("Namespace", labels={"pod-security.kubernetes.io/enforce": "privileged"}),
        RiskKind.RIGHTS,
        "lets pods in that are privileged, not restricted",
    ),
    ("token", pod(), pod(automountServiceAccountToken=True), RiskKind.RIGHTS, "may speak to the API server"),
    ("host network", pod(), pod(hostNetwork=True), RiskKind.PRIVILEGED, "use the network of their node"),
    (
        "host path",
        pod(),
        pod(volumes=[{"name": "sys", "hostPath": {"path": "/sys"}}]),
        RiskKind.PRIVILEGED,
        "pods see /sys of their node",
    ),
    ("root", pod(), pod(securityContext={"runAsUser": 0}), RiskKind.PRIVILEGED, "pods run as root"),
    (
        "privileged",
        container(),
        container(securityContext={"privileged": True}),
        RiskKind.PRIVILEGED,
        "container train is privileged",
    ),
    (
        "capability",
        container(),
        container(securityContext={"capabilities": {"add": ["SYS_ADMIN"]}}),
        RiskKind.PRIVILEGED,
        "has the capability SYS_ADMIN",
    ),
    (
        "tag moves",
        container(),
        container(image="a/b:1@sha256:1"),
        RiskKind.IMAGE,
        "a/b:1 moves to other bits under the same tag",
    ),
    ("digest dropped", container(), container(image="a/b:1"), RiskKind.IMAGE, "no longer pinned by a digest"),
    ("no digest", container(), container(image="a/b:2"), RiskKind.IMAGE, "a/b:2 is pinned by no digest"),
    (
        "ceiling grows",
        body("ResourceQuota", spec={"hard": {"pods": "10"}}),
        body("ResourceQuota", spec={"hard": {"pods": "20"}}),
        RiskKind.QUOTA,
        "lets pods grow from 10 to 20",
    ),
    (
        "definition goes",
        body("CustomResourceDefinition"),
        None,
        RiskKind.OPERATOR,
        "every object of its kind",
    ),
)


@pytest.mark.parametrize(
    ("before", "after", "kind", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_risk_is_told(before: Body | None, after: Body | None, kind: RiskKind, words: str) -> None:
    assert [sentence for risk, sentence in risks(before, after) if risk is kind and words in sentence], risks(
        before, after
    )


BOTH_WAYS = {"claim of another class", "tag moves"}
ONE_WAY = [case for case in CASES if case[1] and case[2] and case[0] not in BOTH_WAYS]


@pytest.mark.parametrize(
    ("before", "after"), [case[1:3] for case in ONE_WAY], ids=[case[0] for case in ONE_WAY]
)
def test_the_way_back_is_another_matter(before: Body, after: Body) -> None:
    forward, back = risks(before, after), risks(after, before)
    assert not forward & back


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_what_stays_as_it_was_is_no_risk(case: tuple[str, Body | None, Body | None, RiskKind, str]) -> None:
    _, before, after, *_ = case
    same = after or before
    assert risks(same, same) == set()


@pytest.mark.parametrize(
    "odd", [3, "text", [1], [{"a": 1}], {"a": [None, 1]}, [[]], {"spec": {"containers": [1, {}]}}]
)
@pytest.mark.parametrize("kind", sorted({kind for row in RULES for kind in row.looks_at} | {"Pod"}))
def test_objects_of_odd_shapes_break_no_rule(kind: str, odd: Any) -> None:
    fields = ("spec", "rules", "roleRef", "subjects", "reclaimPolicy", "status")
    strange = [body(kind, **dict.fromkeys(fields, odd)), body(kind, odd, odd), body(kind, spec=_of_all(odd))]
    for one in strange:
        for other in (*strange, body(kind), None):
            risks(one, other)
            risks(other, one)


def _of_all(odd: Any) -> Body:
    """A spec whose every field that a rule looks at is odd."""
    fields = (
        "resourceGroups",
        "hard",
        "source",
        "sources",
        "ingress",
        "egress",
        "policyTypes",
        "destinations",
    )
    return dict.fromkeys(
        (*fields, "containers", "securityContext", "volumes", "resources", "accessModes"), odd
    )


def test_every_class_has_a_rule_but_that_of_runs() -> None:
    assert {row.kind for row in RULES} == set(RiskKind) - {RiskKind.ENDS_RUN}
