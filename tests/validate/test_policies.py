"""What an organisation asks of pods and jobs, how gravely, and who is excused."""

from collections.abc import Mapping

import pytest
from repositories import CLUSTER, JOB, TEAM
from stages.street import resolve
from validate.views import Rule, lab, say, see

from trainshed.model.codes import Code
from trainshed.validate.policy import (
    POLICIES,
    checkpoint_missing,
    deadline_missing,
    gpu_request,
    host_network,
    host_path,
    image_digest,
    image_tag,
    over_budget,
    owner_missing,
    privileged,
    runs_as_root,
)
from trainshed.validate.waivers import unused_waivers

JOB_FILE, TEAM_FILE, CLUSTER_FILE = (
    "specs/jobs/vision/resnet.yaml",
    "specs/teams/vision.yaml",
    "specs/clusters/lab.yaml",
)
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: team-vision}
spec:
  FIELD
  containers:
  - name: train
    image: registry.example.com/train:1.0
    CONTAINER
"""
DIGEST = "sha256:" + "0" * 64


def pod(field: str = "securityContext: {runAsNonRoot: true}", container: str = "tty: false") -> str:
    return POD.replace("FIELD", field).replace("CONTAINER", container)


def specs(job: str = "", team: str = "", cluster: str = "") -> Mapping[str, str]:
    return {JOB_FILE: JOB + job, TEAM_FILE: TEAM + team, CLUSTER_FILE: CLUSTER + cluster}


def heard(rule: Rule, job: str = "", team: str = "", cluster: str = "") -> list[str]:
    """What a rule says of a job, as `severity place summary`."""
    plan = lab(specs(job, team, cluster))
    return [f"{one.severity} {one.source}: {one.summary}" for one in rule(see("", plan))]


PODS: list[tuple[Rule, Code, str, str, str]] = [
    (privileged.check, Code.PRIVILEGED, pod(container="securityContext: {privileged: true}"), "containers/0/securityContext/privileged", "is privileged"),
    (host_path.check, Code.HOST_PATH, pod("volumes: [{name: a, hostPath: {path: /mnt}}]"), "volumes/0/hostPath", "mount /mnt of their node"),
    (host_network.check, Code.HOST_NETWORK, pod("hostNetwork: true"), "hostNetwork", "use the network of their node"),
    (host_network.check, Code.HOST_NETWORK, pod("hostPID: true"), "hostPID", "use the processes of their node"),
    (runs_as_root.check, Code.RUNS_AS_ROOT, pod("dnsPolicy: Default"), "containers/0", "runs as root if its image does"),
    (runs_as_root.check, Code.RUNS_AS_ROOT, pod("dnsPolicy: Default", "securityContext: {runAsUser: 0}"), "containers/0/securityContext", "runs as root"),
    (runs_as_root.check, Code.RUNS_AS_ROOT, pod(container="securityContext: {runAsNonRoot: false}"), "containers/0/securityContext", "runs as root if its image does"),
    (image_tag.check, Code.IMAGE_TAG, pod().replace(":1.0", ""), "containers/0/image", "may be another image tomorrow"),
    (image_tag.check, Code.IMAGE_TAG, pod().replace(":1.0", ":latest"), "containers/0/image", "may be another image tomorrow"),
    (gpu_request.check, Code.GPU_REQUEST, pod(container="resources: {requests: {nvidia.com/gpu: 1}}"), "containers/0/resources/requests/nvidia.com~1gpu", "requests 1 nvidia.com/gpu without a limit"),
    (gpu_request.check, Code.GPU_REQUEST, pod(container="resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}"), "containers/0/resources/limits/nvidia.com~1gpu", "requests 1 nvidia.com/gpu with a limit of 2"),
    (gpu_request.check, Code.GPU_REQUEST, pod(container="resources: {limits: {nvidia.com/gpu: 0.5}}"), "containers/0/resources/limits/nvidia.com~1gpu", "cannot be divided like that"),
    (gpu_request.check, Code.GPU_REQUEST, pod("initContainers: [{name: i, resources: {limits: {nvidia.com/gpu: 1}}}]"), "initContainers/0/resources/limits/nvidia.com~1gpu", "in an init container only"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "code", "broken", "pointer", "words"), PODS)
def test_bare_pods_are_warned_at_the_word(
    rule: Rule, code: Code, broken: str, pointer: str, words: str
) -> None:
    (said,) = say(rule(see(broken)))
    assert said.startswith(f"warning at Pod train/spec/{pointer}: {code}: ")
    assert words in said


@pytest.mark.parametrize("rule", POLICIES)
def test_a_pod_that_keeps_to_the_policies_is_left_alone(rule: Rule) -> None:
    good = pod(container="resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 1}}")
    assert say(rule(see(good))) == []
    with_user = pod("securityContext: {runAsUser: 1000}")
    assert say(rule(see(with_user))) == []


def test_digests_are_asked_for_where_somebody_asks() -> None:
    assert say(image_digest.check(see(pod(), lab()))) == []
    plan = lab(specs(cluster="policies: {image-digest: note}\n"))
    (said,) = say(image_digest.check(see(pod(), plan)))
    assert said.startswith(
        "note at Pod train/spec/containers/0/image: image-digest: Pod team-vision/train runs"
    )
    assert say(image_digest.check(see(pod().replace(":1.0", f"@{DIGEST}"), plan))) == []


def test_an_image_that_the_operator_brings_along_is_said_where_the_rule_is_asked_for() -> None:
    brought = {"initContainers": [{"name": "init", "image": "alpine:3.10"}]}
    files = specs(cluster="policies: {image-digest: error}\n")
    plan = lab({**files, JOB_FILE: JOB.replace(":1.0", f"@{DIGEST}")})
    own = pod().replace(":1.0", f"@{DIGEST}")
    (finding,) = image_digest.check(see(own, plan, brought))
    assert say([finding]) == [
        "warning at specs/clusters/lab.yaml: image-digest: "
        'the operator of Pods runs "alpine:3.10" in their pods, which is not pinned by digest'
    ]
    assert finding.source.line == 16


def test_a_deadline_is_missed_where_one_is_asked_for() -> None:
    assert heard(deadline_missing.check) == []
    asked = "policies: {deadline-missing: error}\n"
    assert heard(deadline_missing.check, "deadline: 8h\n", asked) == []
    assert heard(deadline_missing.check, team=asked) == [
        'error specs/jobs/vision/resnet.yaml:3:7: job "resnet" has no deadline'
    ]


def test_the_teams_word_is_heard_before_the_clusters() -> None:
    strict, mild = "policies: {deadline-missing: error}\n", "policies: {deadline-missing: note}\n"
    (said,) = heard(deadline_missing.check, cluster=strict, team=mild)
    assert said.startswith("note ")
    (said,) = heard(deadline_missing.check, cluster=mild, team=strict)
    assert said.startswith("error ")
    assert heard(deadline_missing.check, cluster=strict, team="policies: {deadline-missing: off}\n") == []


def test_an_owner_is_missed_where_one_is_asked_for() -> None:
    asked = "policies: {owner-missing: warning}\n"
    (said,) = heard(owner_missing.check, cluster=asked)
    assert said.startswith('warning specs/jobs/vision/resnet.yaml:3:7: nobody answers for job "resnet"')
    assert heard(owner_missing.check, "owner: alice\n", cluster=asked) == []
    assert heard(owner_missing.check, team="owner: alice\n", cluster=asked) == []


CHECKPOINTS = "policies: {checkpoint-missing: {severity: error, aboveGpuHours: 16}}\n"
SAVES = "checkpoint: {volume: checkpoints}\n"


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        ("gpus: 8\ndeadline: 3h\n", "may take 24 GPU hours"),
        ("gpus: 8\n", "may take GPU hours without end"),
        ("gpus: 8\ndeadline: 2h\n", ""),
        ("gpus: 8\ndeadline: 3h\n" + SAVES, ""),
        ("", ""),
    ],
)
def test_a_long_run_saves_checkpoints(job: str, reason: str) -> None:
    said = heard(checkpoint_missing.check, job, cluster=CHECKPOINTS)
    assert [one.partition("saves no checkpoint, and ")[2] for one in said] == ([reason] if reason else [])


def test_a_run_that_can_lose_its_nodes_saves_checkpoints() -> None:
    cluster = CLUSTER.replace("provider: onprem", "provider: eks").replace(
        "onprem/cpu-64, nodes: 4,", "aws/m7i.8xlarge, capacity: spot, nodes: 4,"
    )
    files = specs("capacity: spot\n") | {CLUSTER_FILE: cluster + CHECKPOINTS}
    (said,) = say(checkpoint_missing.check(see("", lab(files))))
    assert said.endswith("saves no checkpoint, and its nodes can be taken away")
    assert (
        say(checkpoint_missing.check(see("", lab(files | {JOB_FILE: JOB + "capacity: spot\n" + SAVES}))))
        == []
    )


BUDGET = "policies: {over-budget: {severity: error, gpuHours: 20}}\n"


@pytest.mark.parametrize(
    ("job", "place", "words"),
    [
        ("gpus: 8\ndeadline: 3h\n", "8:11", "may take 24 GPU hours, and the budget is 20"),
        ("gpus: 8\n", "3:7", "may take GPU hours without end, and the budget is 20"),
    ],
)
def test_a_run_that_could_use_more_than_the_budget_is_said(job: str, place: str, words: str) -> None:
    (said,) = heard(over_budget.check, job, BUDGET)
    assert said == f'error specs/jobs/vision/resnet.yaml:{place}: job "resnet" {words}'


def test_a_run_within_the_budget_is_left_alone() -> None:
    assert heard(over_budget.check, "gpus: 8\ndeadline: 2h\n", BUDGET) == []
    assert heard(over_budget.check, "", BUDGET) == []
    assert heard(over_budget.check, "gpus: 8\n") == []


def test_the_budget_may_be_the_clusters_and_its_weight_the_teams() -> None:
    (said,) = heard(over_budget.check, "gpus: 8\n", "policies: {over-budget: warning}\n", BUDGET)
    assert said.startswith("warning ")


WAIVED = "waive: [{rule: deadline-missing, because: streaming evaluation}]\n"
ASKED = "policies: {deadline-missing: error}\n"


def test_what_is_waived_is_a_note_with_the_reason() -> None:
    plan = lab(specs(WAIVED, ASKED))
    (finding,) = deadline_missing.check(see("", plan))
    assert say([finding]) == [
        'note at specs/jobs/vision/resnet.yaml: deadline-missing: job "resnet" has no deadline'
    ]
    assert finding.detail == "waived: streaming evaluation"
    assert [(str(one.source), one.text) for one in finding.related] == [
        ("specs/jobs/vision/resnet.yaml:7:16", "the waiver")
    ]
    assert list(unused_waivers(plan.targets, [finding])) == []


def test_a_waiver_of_a_job_excuses_its_pods() -> None:
    plan = lab(specs("waive: [{rule: privileged, because: perf counters}]\n"))
    broken = pod(container="securityContext: {privileged: true}")
    assert [one.severity for one in privileged.check(see({"job-vision-resnet": broken}, plan))] == ["note"]
    assert [one.severity for one in privileged.check(see({"job-vision-other": broken}, plan))] == ["warning"]


def test_a_waiver_that_waives_nothing_is_said() -> None:
    plan = lab(specs("deadline: 8h\n" + WAIVED, ASKED))
    (said,) = unused_waivers(plan.targets, deadline_missing.check(see("", plan)))
    assert (said.code, said.severity) == (Code.WAIVER_UNUSED, "warning")
    assert str(said.source) == "specs/jobs/vision/resnet.yaml:8:16"
    assert said.summary == 'job "resnet" is excused from deadline-missing, which it does not break'


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            specs("waive: [{rule: deadline-misssing, because: x}]\n"),
            'specs/jobs/vision/resnet.yaml:7:16 unknown-value: there is no policy "deadline-misssing"',
        ),
        (
            specs("waive: [{rule: no-such-claim, because: x}]\n"),
            'specs/jobs/vision/resnet.yaml:7:16 unknown-value: "no-such-claim" cannot be waived',
        ),
        (
            specs(team="policies: {deadlines: error}\n"),
            'specs/teams/vision.yaml:11:12 unknown-value: there is no policy "deadlines"',
        ),
        (
            specs(cluster="policies: {no-such-queue: off}\n"),
            'specs/clusters/lab.yaml:16:12 unknown-value: there is no policy "no-such-queue"',
        ),
        (
            specs(cluster="policies: {deadline-missing: {gpuHours: 3}}\n"),
            'specs/clusters/lab.yaml:16:31 unknown-field: policy "deadline-missing" takes no gpuHours',
        ),
        (
            specs(cluster="policies: {over-budget: error}\n"),
            "specs/clusters/lab.yaml:16:12 missing-field: the budget has no size",
        ),
    ],
)
def test_words_about_rules_that_mean_nothing_are_said(files: Mapping[str, str], said: str) -> None:
    assert resolve(files).said == [said]


LATEST = JOB.replace("train:1.0", "train:latest")


@pytest.mark.parametrize(
    "files",
    [
        {JOB_FILE: LATEST + "waive: [{rule: image-tag, because: a nightly build}]\n"},
        {JOB_FILE: LATEST, TEAM_FILE: TEAM + "policies: {image-tag: warning}\n"},
        {JOB_FILE: LATEST, CLUSTER_FILE: CLUSTER + "policies: {image-tag: off}\n"},
    ],
)
def test_a_moving_tag_stops_nothing_where_it_is_excused(files: Mapping[str, str]) -> None:
    assert resolve(specs()).said == []
    assert resolve({**specs(), **files}).said == []
    assert len(resolve({**specs(), JOB_FILE: LATEST}).said) == 1


def test_a_required_digest_is_the_policy_by_another_name() -> None:
    required = "images: {digest: required}\n"
    assert len(resolve(specs(cluster=required)).said) == 1
    assert resolve(specs(cluster=required, team="policies: {image-digest: off}\n")).said == []
    (said,) = resolve(specs(team="policies: {image-digest: error}\n")).findings
    assert said.detail.startswith('team "vision" demands it')
