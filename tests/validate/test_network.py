"""Whether the pods of a run can reach each other past the policies of their namespace."""

import pytest
from validate.views import NAMESPACE, say, see

from trainshed.validate.policy import port_blocked

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: team-vision}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {metadata: {labels: {run: a, role: master}}, spec: {containers: [{name: pytorch, ports: [{name: meet, containerPort: 23456}]}]}}}
    Worker: {replicas: 2, template: {metadata: {labels: {run: a, role: worker}}, spec: {containers: [{name: pytorch, ports: [{name: meet, containerPort: 23456}]}]}}}
---
"""
POLICY = "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: NAME, namespace: team-vision}, spec: SPEC}\n---\n"


def policy(spec: str, name: str = "rule") -> str:
    return POLICY.replace("NAME", name).replace("SPEC", spec)


DENY = policy("{podSelector: {}, policyTypes: [Ingress, Egress]}", "deny")
PEERS = "{podSelector: {matchLabels: {run: a}}}"
IN = policy("{podSelector: {matchLabels: {run: a}}, ingress: [{from: [" + PEERS + "]}]}", "in")
OUT = policy(
    "{podSelector: {matchLabels: {run: a}}, policyTypes: [Egress], egress: [{to: [" + PEERS + "]}]}", "out"
)
NAMES = policy(
    "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {matchLabels: "
    "{kubernetes.io/metadata.name: kube-system}}}], ports: [{port: 53, protocol: UDP}]}]}",
    "names",
)


def said_of(*policies: str) -> list[str]:
    return say(port_blocked.check(see(NAMESPACE + JOB + "".join(policies))))


def test_without_policies_everything_is_open() -> None:
    assert said_of() == []


def test_policies_that_let_the_run_talk_are_enough() -> None:
    assert said_of(DENY, IN, OUT, NAMES) == []


def test_a_namespace_that_denies_all_blocks_the_run() -> None:
    assert said_of(DENY) == [
        "error at PyTorchJob train: port-blocked: "
        "PyTorchJob team-vision/train cannot work: no policy lets its Master ask the cluster's DNS"
    ]


def test_the_policy_that_isolates_is_named() -> None:
    (finding,) = port_blocked.check(see(NAMESPACE + JOB + DENY + OUT + NAMES))
    assert finding.summary.endswith("no policy lets its Master into its Worker on port 23456")
    assert [str(related.source.path) for related in finding.related] == ["NetworkPolicy deny/spec"]


def test_what_may_not_leave_does_not_arrive() -> None:
    (said,) = said_of(DENY, IN, NAMES)
    assert said.endswith("no policy lets its Master out to its Worker on port 23456")


def test_without_names_nobody_meets() -> None:
    (said,) = said_of(DENY, IN, OUT)
    assert said.endswith("ask the cluster's DNS")


@pytest.mark.parametrize(
    ("rule", "is_open"),
    [
        ("{}", True),
        ("{from: []}", True),
        ("{ports: []}", True),
        ("{ports: [{port: 23456}]}", True),
        ("{ports: [{port: 23456, protocol: TCP}]}", True),
        ("{ports: [{port: 23456, protocol: UDP}]}", False),
        ("{ports: [{port: 29500}]}", False),
        ("{ports: [{port: 23000, endPort: 24000}]}", True),
        ("{ports: [{port: 1000, endPort: 2000}]}", False),
        ("{ports: [{port: meet}]}", True),
        ("{ports: [{protocol: TCP}]}", True),
        ("{from: [{podSelector: {}}]}", True),
        ("{from: [{podSelector: {matchLabels: {run: b}}}]}", False),
        ("{from: [{podSelector: {matchLabels: {run: a, role: worker}}}]}", False),
        ("{from: [{podSelector: {matchExpressions: [{key: run, operator: In, values: [a, b]}]}}]}", True),
        ("{from: [{podSelector: {matchExpressions: [{key: run, operator: NotIn, values: [a]}]}}]}", False),
        ("{from: [{podSelector: {matchExpressions: [{key: run, operator: Exists}]}}]}", True),
        ("{from: [{podSelector: {matchExpressions: [{key: run, operator: DoesNotExist}]}}]}", False),
        ("{from: [{namespaceSelector: {}}]}", True),
        ("{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: team-vision}}}]}", True),
        ("{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}}]}", False),
        ("{from: [{namespaceSelector: {matchLabels: {team: vision}}}]}", False),
        ("{from: [{namespaceSelector: {}, podSelector: {matchLabels: {run: b}}}]}", False),
        ("{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}", True),
    ],
)
def test_rules_mean_what_kubernetes_says_they_mean(rule: str, is_open: bool) -> None:
    found = said_of(policy("{podSelector: {}, ingress: [" + rule + "]}"))
    assert (found == []) is is_open


@pytest.mark.parametrize(
    ("spec", "is_open"),
    [
        ("{podSelector: {matchLabels: {run: b}}}", True),
        ("{podSelector: {matchLabels: {run: a}}}", False),
        ("{podSelector: {matchLabels: {role: master}}}", False),
        ("{podSelector: {}, policyTypes: [Egress], egress: [{}]}", True),
        ("{podSelector: {}, policyTypes: [Egress]}", False),
        ("{podSelector: {}, egress: []}", False),
        ("{podSelector: {}, ingress: [{}]}", True),
        ("{podSelector: {}, ingress: [{}], egress: [{ports: [{port: 443}]}]}", False),
    ],
)
def test_a_policy_isolates_whom_it_selects_in_the_directions_that_it_names(spec: str, is_open: bool) -> None:
    assert (said_of(policy(spec)) == []) is is_open


def test_labels_of_a_namespace_that_is_not_known_may_be_the_right_ones() -> None:
    rule = policy(
        "{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: vision}}}]}]}"
    )
    assert say(port_blocked.check(see(JOB + rule))) == []


def test_one_pod_talks_to_nobody() -> None:
    alone = JOB.replace("replicas: 2", "replicas: 0")
    assert say(port_blocked.check(see(NAMESPACE + alone + DENY))) == []


def test_pods_on_their_nodes_network_are_out_of_reach() -> None:
    on_host = JOB.replace("spec: {containers", "spec: {hostNetwork: true, containers")
    assert say(port_blocked.check(see(NAMESPACE + on_host + DENY))) == []


def test_a_policy_of_another_namespace_means_nothing_here() -> None:
    assert said_of(DENY.replace("team-vision", "team-nlp")) == []


def test_mpi_reaches_its_workers_by_ssh() -> None:
    job = JOB.replace("PyTorchJob", "MPIJob").replace(
        "ports: [{name: meet, containerPort: 23456}]", "image: a"
    )
    assert say(port_blocked.check(see(NAMESPACE + job + DENY + IN + OUT + NAMES))) == []
    (said,) = say(port_blocked.check(see(NAMESPACE + job + DENY + OUT + NAMES)))
    assert said.endswith("into its Worker on port 22")


def test_where_metrics_are_read_is_no_meeting_point() -> None:
    job = JOB.replace("name: meet, containerPort: 23456", "name: metrics, containerPort: 8080")
    assert say(port_blocked.check(see(NAMESPACE + job + DENY + OUT + NAMES))) == []
