"""What a hearing says beyond single refusals: queues, quotas of a whole namespace, judges that could not be asked."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from msgspec.structs import replace

from trainshed.engine.admission import read_releases
from trainshed.engine.pool import EnginePool
from trainshed.load.manifests import read_manifest
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity
from trainshed.model.manifest import AppId
from trainshed.model.remember import Question, make_anew
from trainshed.validate.hearing import FEW, Hearing
from trainshed.validate.judges import convene
from trainshed.validate.members import members_by_cluster
from trainshed.validate.view import Member

ROOT = Path(__file__).parents[2]

QUEUES = """\
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: any
      resources: [{name: cpu, nominalQuota: 4}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: team}
spec: {clusterQueue: team}
---
"""

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: team
  labels: {kueue.x-k8s.io/queue-name: team}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: train
        image: "registry.example.com/train:1.0"
        resources: {requests: {cpu: CPU}}
"""

CLAIMS = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: storage, namespace: team}
spec: {hard: {requests.storage: 10Gi}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: one, namespace: team}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 6Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: two, namespace: team}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: SIZE}}}
"""

ENDLESS_JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: team}
spec:
  replicatedJobs:
  - name: workers
    replicas: 1000000
    template:
      spec:
        template:
          spec:
            restartPolicy: Never
            containers: [{name: train, image: "registry.example.com/train:1.0"}]
"""


def read(text: str, path: str) -> tuple[Member, ...]:
    objects, wrong = read_manifest(text, PurePosixPath(path), AppId("", ""))
    assert not wrong
    return tuple(member for _, group in members_by_cluster(objects) for member in group)


def hear(text: str, beside: str = "") -> list[Diagnostic]:
    hearing = Hearing(
        cluster=None,
        members=read(text, "given.yaml"),
        beside=read(beside, "beside.yaml") if beside else (),
    )
    with EnginePool(1) as engine:
        return list(hearing.judge(ROOT, read_releases(engine), engine))


def place(text: str, word: str) -> tuple[int, int]:
    """Line and column of the only place where the word stands."""
    before, found, after = text.partition(word)
    assert found and word not in after
    return before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1


def errors(text: str) -> list[tuple[Code, int]]:
    return [(one.code, one.source.line) for one in hear(text) if one.severity is Severity.ERROR]


def test_a_run_that_is_larger_than_its_queue_waits_for_ever() -> None:
    text = QUEUES + JOB.replace("CPU", "3")
    assert errors(text) == [(Code.NEVER_ADMITTED, place(text, "cpu: 3")[0])]


def test_a_run_that_just_fits_its_queue_is_admitted() -> None:
    assert errors(QUEUES + JOB.replace("CPU", "2")) == []


def test_a_run_that_is_refused_is_not_also_said_to_wait() -> None:
    text = QUEUES + JOB.replace("CPU", "3").replace("Never", "Always")
    assert errors(text) == [(Code.REFUSED_KUBERNETES, place(text, "restartPolicy")[0])]


def test_what_stands_beside_is_known_and_not_judged() -> None:
    flavorless = QUEUES.replace("{name: any}", "{name: other}")
    assert Code.NO_SUCH_FLAVOR in {one.code for one in hear(flavorless + JOB.replace("CPU", "1"))}
    given = hear("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: team}\n", beside=flavorless)
    assert given == []


def test_kueues_settings_are_found_in_the_application_that_installs_it() -> None:
    (installed,) = (
        member
        for path in sorted((ROOT / "rendered/aws-prod/argocd").rglob("application-*kueue.yaml"))
        for member in read(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    )
    (settings,) = convene([installed], None, []).around
    assert "kubeflow.org/pytorchjob" in settings["data"]["controller_manager_config.yaml"]


def test_a_queue_that_was_not_handed_in_is_not_called_missing() -> None:
    assert errors(JOB.replace("CPU", "2")) == []


def test_claims_of_one_namespace_are_charged_together() -> None:
    text = CLAIMS.replace("SIZE", "5Gi")
    assert errors(text) == [(Code.RESOURCE_QUOTA, place(text, "storage: 5Gi")[0])]
    assert errors(CLAIMS.replace("SIZE", "4Gi")) == []


def test_a_judge_that_cannot_be_asked_is_said_and_is_no_pass() -> None:
    (finding,) = [one for one in hear(ENDLESS_JOBSET) if one.severity is Severity.ERROR]
    assert finding.code is Code.UNJUDGED
    assert finding.summary == "JobSet could not be asked about JobSet team/train"
    assert "10000" in finding.detail.replace(",", "")


@pytest.mark.parametrize("judge", ["kueue", "kubernetes"])
def test_the_release_that_speaks_is_named(judge: str) -> None:
    with EnginePool(1) as engine:
        assert read_releases(engine)[judge].startswith("v")


def test_an_app_is_asked_about_at_once_unless_it_has_many_objects() -> None:
    few, many = (
        "---\n".join(
            f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\n" for number in range(size)
        )
        for size in (FEW, FEW + 1)
    )
    members = [
        replace(member, app=app)
        for app, text in (("few", few), ("many", many))
        for member in read(text, f"{app}.yaml")
    ]
    asked: list[int] = []

    def listen(
        about: str,
        questions: Sequence[Question],
        make: Callable[[list[int]], Iterable[Any]],
        around: object = (),
    ) -> list[Any]:
        asked.extend(len(question) for question in questions if about == "objects")
        return make_anew(about, questions, make)

    with EnginePool(1) as engine:
        list(Hearing(None, tuple(members)).judge(ROOT, read_releases(engine), engine, listen))
    words_of_one = 2  # itself, and what it was before
    assert asked == [1 + words_of_one * FEW, *[1 + words_of_one] * (FEW + 1)]
