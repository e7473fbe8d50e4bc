"""What Argo CD would refuse to sync, and what it would wait for in vain."""

import pytest
from validate.views import NAMESPACE, lab, say, see

from trainshed.validate.policy import project_forbids, wave_deadlock

REPOSITORY = "https://git.example.com/ml/training.git"
APPLICATION = f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: run, namespace: argocd}}
spec:
  project: vision
  source: {{repoURL: "{REPOSITORY}", path: rendered/lab/job-vision-resnet}}
  destination: {{name: lab, namespace: team-vision}}
---
"""
PROJECT = f"""\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {{name: vision, namespace: argocd}}
spec:
  sourceRepos: ["{REPOSITORY}"]
  destinations: [{{name: lab, namespace: team-vision}}]
  namespaceResourceWhitelist: [{{group: batch, kind: Job}}]
---
"""
JOB = "{apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: team-vision}}\n---\n"
SECRET = "{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: team-vision}}\n---\n"


def forbidden(project: str = PROJECT, application: str = APPLICATION, objects: str = JOB) -> list[str]:
    return say(
        project_forbids.check(
            see({"argocd/runs": project + application, "job-vision-resnet": objects}, lab())
        )
    )


def test_what_the_project_lists_is_allowed() -> None:
    assert forbidden() == []


def test_a_kind_that_the_project_does_not_list_is_forbidden_at_the_object() -> None:
    assert forbidden(objects=JOB + SECRET) == [
        "error at Secret token: project-forbids: "
        "AppProject argocd/vision does not allow Secret team-vision/token in Application argocd/run"
    ]


def test_objects_of_another_app_are_not_its_business() -> None:
    view = see({"argocd/runs": PROJECT + APPLICATION, "team-vision": SECRET}, lab())
    assert say(project_forbids.check(view)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("namespaceResourceWhitelist: [{group: batch, kind: Job}]", "description: all"),
        ("kind: Job}]", 'kind: Job}, {group: "", kind: Secret}]'),
        ("{group: batch, kind: Job}", '{group: "*", kind: "*"}'),
    ],
)
def test_a_project_that_allows_more_allows_secrets(old: str, new: str) -> None:
    assert forbidden(PROJECT.replace(old, new), objects=JOB + SECRET) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[{group: batch, kind: Job}]", "[]"),
        ("namespaceResourceWhitelist", "namespaceResourceBlacklist"),
    ],
)
def test_an_empty_list_allows_nothing_and_a_black_one_all_else(old: str, new: str) -> None:
    (said,) = forbidden(PROJECT.replace(old, new))
    assert "does not allow Job team-vision/train" in said


def test_cluster_wide_objects_are_forbidden_unless_they_are_listed() -> None:
    (said,) = forbidden(objects=NAMESPACE)
    assert "does not allow Namespace team-vision" in said
    listed = PROJECT.replace(
        "  namespaceRes", '  clusterResourceWhitelist: [{group: "", kind: Namespace}]\n  namespaceRes'
    )
    assert forbidden(listed, objects=NAMESPACE) == []
    named = listed.replace("kind: Namespace}", "kind: Namespace, name: team-nlp}")
    assert len(forbidden(named, objects=NAMESPACE)) == 1


def test_an_object_in_a_namespace_of_others_is_forbidden() -> None:
    (said,) = forbidden(objects=JOB.replace("team-vision", "team-nlp"))
    assert said.startswith("error at Job train/metadata/namespace: project-forbids: ")


@pytest.mark.parametrize(
    ("repositories", "is_allowed"),
    [
        ('["*"]', True),
        ('["https://git.example.com/ml/*"]', True),
        ('["https://git.example.com/*"]', False),
        ('["https://git.example.com/**"]', True),
        ('["HTTPS://git.example.com/ml/training"]', True),
        ('["https://git.example.com/{ml,nlp}/training"]', True),
        ('["https://git.example.com/{ml"]', False),
        ('["*", "!https://git.example.com/ml/*"]', False),
        ("[]", False),
    ],
)
def test_repositories_are_compared_as_argo_cd_does(repositories: str, is_allowed: bool) -> None:
    said = forbidden(PROJECT.replace(f'["{REPOSITORY}"]', repositories))
    assert (said == []) is is_allowed
    assert all(
        one.startswith("error at Application run/spec/source/repoURL: project-forbids: ") for one in said
    )


@pytest.mark.parametrize(
    ("destinations", "is_allowed"),
    [
        ('[{name: lab, namespace: "team-*"}]', True),
        ('[{name: "*", namespace: "*"}]', True),
        ('[{name: edge, namespace: "*"}]', False),
        ("[{name: lab, namespace: team-nlp}]", False),
        ('[{server: "https://far.example.com", namespace: team-vision}]', True),
        ('[{name: lab, namespace: "*"}, {name: lab, namespace: "!team-vision"}]', False),
        ('[{name: "*", namespace: "*"}, {name: "!lab", namespace: team-vision}]', False),
        ("[]", False),
    ],
)
def test_destinations_are_compared_as_argo_cd_does(destinations: str, is_allowed: bool) -> None:
    said = forbidden(PROJECT.replace("[{name: lab, namespace: team-vision}]", destinations), objects="")
    assert (said == []) is is_allowed


def test_a_project_that_is_not_there_is_said() -> None:
    (said,) = forbidden(application=APPLICATION.replace("project: vision", "project: nlp"))
    assert (
        said
        == 'error at Application run/spec/project: project-forbids: Application argocd/run is in a project that is not there: "nlp"'
    )
    assert forbidden(application=APPLICATION.replace("project: vision", "project: default")) == []


CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: team-vision, annotations: {argocd.argoproj.io/sync-wave: "0"}}
spec: {storageClassName: local}
---
"""
LOCAL = "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, volumeBindingMode: WaitForFirstConsumer}\n---\n"
MOUNTS = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team-vision, annotations: {argocd.argoproj.io/sync-wave: "5"}}
spec: {template: {spec: {containers: [{name: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}}}
---
"""
ACCOUNT = """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: team-vision, annotations: {argocd.argoproj.io/sync-wave: "7"}}
---
"""


def test_a_claim_that_waits_for_its_consumer_in_an_earlier_wave_waits_for_ever() -> None:
    assert say(wave_deadlock.check(see({"run": LOCAL + CLAIM + MOUNTS}))) == [
        "error at PersistentVolumeClaim data/metadata/annotations/argocd.argoproj.io~1sync-wave: wave-deadlock: "
        "PersistentVolumeClaim team-vision/data is not bound before Job team-vision/train is there, "
        "which a later wave would bring"
    ]


@pytest.mark.parametrize(
    ("old", "new"), [('"5"', '"0"'), ("WaitForFirstConsumer", "Immediate"), ('"5"', '"-1"')]
)
def test_a_claim_is_bound_in_the_wave_of_its_consumer_or_at_once(old: str, new: str) -> None:
    objects = LOCAL + CLAIM + MOUNTS
    found = [
        one for one in say(wave_deadlock.check(see({"run": objects.replace(old, new)}))) if "not bound" in one
    ]
    assert found == []


def test_apps_side_by_side_do_not_wait_for_each_other() -> None:
    assert say(wave_deadlock.check(see({"team": LOCAL + CLAIM, "run": MOUNTS}))) == []


def test_a_wave_that_is_no_number_is_the_first() -> None:
    assert say(wave_deadlock.check(see({"run": LOCAL + CLAIM + MOUNTS.replace('"5"', '"last"')}))) == []


def test_a_job_that_needs_what_a_later_wave_brings_holds_up_its_own_wave() -> None:
    runs_as = MOUNTS.replace("spec: {containers", "spec: {serviceAccountName: robot, containers")
    (said,) = say(wave_deadlock.check(see({"run": runs_as + ACCOUNT})))
    assert "Job team-vision/train cannot start before ServiceAccount team-vision/robot is there" in said
    assert say(wave_deadlock.check(see({"run": runs_as + ACCOUNT.replace('"7"', '"5"')}))) == []


def test_nothing_waits_for_a_kind_without_a_health_rule() -> None:
    job = MOUNTS.replace("kind: Job", "kind: PyTorchJob").replace("batch/v1", "kubeflow.org/v1")
    runs_as = job.replace("spec: {containers", "spec: {serviceAccountName: robot, containers")
    assert say(wave_deadlock.check(see({"run": runs_as + ACCOUNT}))) == []
    rule = "{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm, namespace: argocd}, data: {resource.customizations.health.kubeflow.org_PyTorchJob: return}}\n---\n"
    assert len(say(wave_deadlock.check(see({"run": runs_as + ACCOUNT, "argocd/root": rule})))) == 1


def test_a_hook_before_the_sync_cannot_use_what_the_sync_brings() -> None:
    hook = MOUNTS.replace('argocd.argoproj.io/sync-wave: "5"', "argocd.argoproj.io/hook: PreSync")
    (said,) = say(wave_deadlock.check(see({"run": CLAIM + hook})))
    assert "Job team-vision/train cannot start before PersistentVolumeClaim team-vision/data is there" in said


def test_a_namespace_comes_before_what_is_in_it() -> None:
    late = NAMESPACE.replace(
        "name: team-vision", "name: team-vision, annotations: {argocd.argoproj.io/sync-wave: '9'}"
    )
    (said,) = say(wave_deadlock.check(see({"run": late + JOB})))
    assert "Job team-vision/train cannot be applied before Namespace team-vision is there" in said
    assert say(wave_deadlock.check(see({"run": late.replace("'9'", "'-9'") + JOB}))) == []


def test_a_definition_comes_before_its_objects() -> None:
    definition = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: rayjobs.ray.io, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec: {group: ray.io, names: {kind: RayJob}}
---
"""
    ray = "{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: a, namespace: team-vision}}\n---\n"
    assert len(say(wave_deadlock.check(see({"run": definition + ray})))) == 1
    assert say(wave_deadlock.check(see({"run": definition.replace('"1"', '"-1"') + ray}))) == []


def test_waves_cross_apps_through_the_application_that_brings_them() -> None:
    team = APPLICATION.replace(
        "name: run,", "name: team, annotations: {argocd.argoproj.io/sync-wave: '3'},"
    ).replace("job-vision-resnet", "team-vision")
    apps = {"argocd/platform": team + APPLICATION, "team-vision": NAMESPACE, "job-vision-resnet": JOB}
    (said,) = say(wave_deadlock.check(see(apps, lab())))
    assert "Job team-vision/train cannot be applied before Namespace team-vision is there" in said
    assert (
        say(
            wave_deadlock.check(
                see(apps | {"argocd/platform": team.replace("'3'", "'-3'") + APPLICATION}, lab())
            )
        )
        == []
    )
