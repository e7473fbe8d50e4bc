"""What Argo CD is told about each app: how to sync it, what to leave alone, what may be in it."""

from functools import cache
from typing import Any

import pytest
from kinds.frameworks import APP, OPERATORS, files
from ruamel.yaml import YAML
from stages import street

from trainshed.model.manifest import Manifests

JOB = "framework: pytorch\nrun: {script: train.py}\n"
CUSTOMIZATIONS = "resource.customizations."


@cache
def compiled() -> Manifests:
    return street.compile_files(files(JOB, OPERATORS))


def argocd(folder: str, kind: str, name: str) -> dict[str, Any]:
    """An object of Argo CD's own."""
    (found,) = (
        body
        for body in street.bodies(compiled(), [f"argocd/{folder}"])
        if (body["kind"], body["metadata"]["name"]) == (kind, name)
    )
    return found


def options(folder: str, name: str) -> list[str]:
    return argocd(folder, "Application", name)["spec"]["syncPolicy"].get("syncOptions", [])


def settings(what: str, kind: str) -> Any:
    text = argocd("root", "ConfigMap", "argocd-cm")["data"][f"{CUSTOMIZATIONS}{what}.{kind}"]
    return YAML(typ="safe").load(text)


def test_a_sync_of_a_job_leaves_its_other_runs_alone() -> None:
    """Whoever applies a RayJob or JobSet replaces its lists, with all that Kueue wrote there on admission."""
    assert options("runs", f"lab-{APP}") == [
        "ApplyOutOfSyncOnly=true",
        "FailOnSharedResource=true",
        "RespectIgnoreDifferences=true",
    ]


def test_nothing_that_kueue_writes_to_is_applied_on_the_servers_side() -> None:
    """A nodeSelector has one owner as a whole then, and the labels of a run's flavor would be taken away again."""
    for folder in ("root", "platform", "runs"):
        for body in street.bodies(compiled(), [f"argocd/{folder}"]):
            if body["kind"] == "Application" and "-operator-" not in body["metadata"]["name"]:
                options = body["spec"]["syncPolicy"].get("syncOptions", [])
                assert "ServerSideApply=true" not in options, body["metadata"]["name"]


def test_what_operators_bring_is_applied_and_compared_on_the_servers_side() -> None:
    operator = argocd("platform", "Application", "lab-operator-kueue")
    assert operator["spec"]["syncPolicy"]["syncOptions"] == ["CreateNamespace=true", "ServerSideApply=true"]
    assert operator["metadata"]["annotations"]["argocd.argoproj.io/compare-options"] == "ServerSideDiff=true"


def test_only_the_root_of_the_runs_skips_what_is_in_sync() -> None:
    """The platform's waits for its operators again at every try; the runs' has nothing to wait for."""
    assert options("root", "lab-platform") == []
    assert options("root", "lab-runs") == ["ApplyOutOfSyncOnly=true"]


def test_a_crd_that_is_away_does_not_hold_up_a_namespace() -> None:
    for name in ("lab-queues", "lab-team-shop"):
        assert options("platform", name) == ["FailOnSharedResource=true", "SkipDryRunOnMissingResource=true"]


def test_nothing_that_holds_data_is_pruned_or_deleted() -> None:
    kept = {
        "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
        "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
    }
    protected = [
        body
        for body in street.bodies(compiled())
        if body["kind"] in ("Namespace", "PersistentVolumeClaim", "PersistentVolume")
    ]
    assert protected
    for body in protected:
        annotations = body["metadata"].get("annotations", {})
        assert {key: annotations.get(key) for key in kept} == kept, body["metadata"]["name"]


def test_an_object_too_large_for_an_annotation_is_applied_on_the_servers_side() -> None:
    large = {**files(JOB), "specs/jobs/shop/train.py": "# " + "x" * 300_000 + "\n"}
    options = {
        body["metadata"]["name"]: body["metadata"]
        .get("annotations", {})
        .get("argocd.argoproj.io/sync-options")
        for body in street.bodies(street.compile_files(large), [APP])
        if body["kind"] == "ConfigMap"
    }
    assert list(options.values()) == ["ServerSideApply=true"]
    for body in street.bodies(compiled(), [APP]):
        assert "argocd.argoproj.io/sync-options" not in body["metadata"].get("annotations", {})


def test_a_team_sees_its_runs_and_changes_them_in_git() -> None:
    (role,) = argocd("runs", "AppProject", "lab-shop")["spec"]["roles"]
    assert role["groups"] == ["oidc:shop"]
    assert role["policies"] == [
        "p, proj:lab-shop:viewer, applications, get, lab-shop/*, allow",
        "p, proj:lab-shop:viewer, logs, get, lab-shop/*, allow",
    ]


def test_what_belongs_to_no_app_is_reported_but_for_claims_that_outlived_their_job() -> None:
    orphaned = argocd("runs", "AppProject", "lab-shop")["spec"]["orphanedResources"]
    assert orphaned["warn"] is True
    assert {"kind": "PersistentVolumeClaim"} in orphaned["ignore"]


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("kubeflow.org_PyTorchJob", "spec.pytorchReplicaSpecs.Worker.template.spec"),
        ("ray.io_RayJob", "spec.rayClusterSpec.workerGroupSpecs.template.spec"),
        ("jobset.x-k8s.io_JobSet", "spec.replicatedJobs.template.spec.template.spec"),
    ],
)
def test_pods_in_custom_resources_are_of_a_known_type(kind: str, field: str) -> None:
    assert {"field": field, "type": "core/v1/PodSpec"} in settings("knownTypeFields", kind)


def test_tolerations_are_ignored_where_kueue_appends_to_them() -> None:
    queued = 'select(.metadata.labels["kueue.x-k8s.io/queue-name"]) | '
    assert settings("ignoreDifferences", "jobset.x-k8s.io_JobSet") == {
        "jqPathExpressions": [f"{queued}.spec.replicatedJobs[]?.template.spec.template.spec.tolerations"]
    }


def test_nobody_ignores_suspend_for_it_is_not_in_git() -> None:
    data = argocd("root", "ConfigMap", "argocd-cm")["data"]
    ignored = [text for key, text in data.items() if key.startswith(f"{CUSTOMIZATIONS}ignoreDifferences.")]
    assert ignored
    assert not any("suspend" in text for text in ignored)


def test_keys_fit_into_a_config_map() -> None:
    for key in argocd("root", "ConfigMap", "argocd-cm")["data"]:
        assert len(key) <= 253
        assert all(letter.isalnum() or letter in "-_." for letter in key)
