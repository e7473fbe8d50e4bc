"""A5, A6, F1 and F6: operators, the order of a new cluster, what a team gets, and several clusters at once."""

import json
from itertools import pairwise
from typing import Any

import pytest
from ruamel.yaml import YAML
from scenarios.rendered import ROOT, Rendered

ENVIRONMENTS = {
    "aks-west": "prod",
    "aws-prod": "prod",
    "campus": "lab",
    "gke-research": "research",
    "kind": "laptop",
    "onprem-hpc": "prod",
    "openshift-lab": "lab",
}
CLUSTERS = list(ENVIRONMENTS)
WITH_KUEUE = ["aks-west", "aws-prod", "gke-research", "kind", "onprem-hpc"]
APPROVED = {"aks-west", "gke-research", "onprem-hpc", "openshift-lab"}
"""Where team nlp may run privileged."""
PLATFORM = "argocd/platform"
ORDER = ("operator-", "gpus", "queues", "team-", "monitoring")
"""Apps of the platform, by what each needs: the next part is synced when this one is healthy."""


def operator(rendered: Rendered, cluster: str, name: str) -> dict[str, Any]:
    return rendered.find(cluster, PLATFORM, "Application", f"{cluster}-operator-{name}")


def apps(rendered: Rendered, cluster: str) -> list[dict[str, Any]]:
    return [item for item in rendered.objects(cluster, PLATFORM) if item["kind"] == "Application"]


def wave(item: dict[str, Any]) -> int:
    return int(item["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"])


@pytest.mark.parametrize(
    ("name", "namespace", "revision"),
    [
        ("training-operator", "kubeflow", "v1.8.1"),
        ("kuberay", "ray-system", "ray-operator/v1.2.2"),
        ("kueue", "kueue-system", "v0.19.2"),
        ("jobset", "jobset-system", "v0.12.0"),
    ],
)
def test_operators_of_the_laptop_are_pinned_in_namespaces_of_their_own(
    rendered: Rendered, name: str, namespace: str, revision: str
) -> None:
    spec = operator(rendered, "kind", name)["spec"]
    assert spec["sources"][0]["targetRevision"] == revision
    assert spec["destination"]["namespace"] == namespace
    assert {"CreateNamespace=true", "ServerSideApply=true"} <= set(spec["syncPolicy"]["syncOptions"])


@pytest.mark.parametrize("cluster", WITH_KUEUE)
def test_kueue_takes_in_every_kind_that_runs_there(rendered: Rendered, cluster: str) -> None:
    values = operator(rendered, cluster, "kueue")["spec"]["sources"][0]["helm"]["valuesObject"]
    text = values["managerConfig"]["controllerManagerConfigYaml"]
    frameworks = set(YAML(typ="safe").load(text)["integrations"]["frameworks"])
    assert {"batch/job", "kubeflow.org/pytorchjob", "ray.io/rayjob", "jobset.x-k8s.io/jobset"} <= frameworks


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_init_container_of_workers_is_restricted(rendered: Rendered, cluster: str) -> None:
    """Its own has no security context, and every worker beside a master would be refused.

    Whether it may be root is left to its pod: one that runs as root for its fabric would never start otherwise.
    """
    config = rendered.find(cluster, "operator-training-operator", "ConfigMap")
    application = operator(rendered, cluster, "training-operator")["spec"]
    assert application["sources"][1]["path"] == f"rendered/{cluster}/operator-training-operator"
    template = config["data"]["initContainer.yaml"].replace("{{", "<").replace("}}", ">")
    (container,) = YAML(typ="safe").load(template)
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    patch, protection = application["sources"][0]["kustomize"]["patches"][:2]
    assert protection["target"] == {"kind": "CustomResourceDefinition"}
    assert "Prune=false,Delete=false" in protection["patch"]
    mounted = [edit["value"] for edit in json.loads(patch["patch"]) if "volumes" in edit["path"]]
    assert mounted == [{"name": "init-container", "configMap": {"name": config["metadata"]["name"]}}]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_new_cluster_gets_operators_queues_and_teams_in_this_order(rendered: Rendered, cluster: str) -> None:
    found = {
        item["metadata"]["name"].removeprefix(f"{cluster}-"): wave(item) for item in apps(rendered, cluster)
    }
    waves = [{number for name, number in found.items() if name.startswith(part)} for part in ORDER]
    assert set().union(*waves) == set(found.values())
    assert waves[0] and waves[ORDER.index("team-")], "no cluster is without operators and teams"
    for earlier, later in pairwise(filter(None, waves)):
        assert max(earlier) < min(later)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_waves_wait_because_applications_have_a_health_rule(rendered: Rendered, cluster: str) -> None:
    settings = rendered.find(cluster, "argocd/root", "ConfigMap", "argocd-cm")["data"]
    assert "operationState" in settings["resource.customizations.health.argoproj.io_Application"]


def test_settings_of_argo_cd_are_those_of_every_cluster(rendered: Rendered) -> None:
    """One Argo CD may serve them all, and has one argocd-cm."""
    found = [rendered.find(cluster, "argocd/root", "ConfigMap", "argocd-cm")["data"] for cluster in CLUSTERS]
    assert all(data == found[0] for data in found)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_one_failed_run_holds_up_no_other(rendered: Rendered, cluster: str) -> None:
    """Projects come before everything, so that they are pruned after it; the runs themselves have no order."""
    for application in rendered.objects(cluster, "argocd/runs"):
        if application["kind"] == "AppProject":
            assert wave(application) < 0
            continue
        assert "argocd.argoproj.io/sync-wave" not in application["metadata"]["annotations"]
        assert application["spec"]["syncPolicy"]["retry"]["refresh"] is True
        assert application["spec"]["syncPolicy"]["retry"]["limit"] == -1
        assert application["metadata"]["finalizers"] == ["resources-finalizer.argocd.argoproj.io"]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_app_has_an_application_and_every_application_an_app(rendered: Rendered, cluster: str) -> None:
    sources = [
        source
        for root in ("argocd/root", PLATFORM, "argocd/runs")
        for item in rendered.objects(cluster, root)
        if item["kind"] == "Application"
        for source in item["spec"].get("sources", [item["spec"].get("source", {})])
    ]
    synced = {source["path"] for source in sources if source["path"].startswith("rendered/")}
    roots = {f"rendered/{cluster}/argocd/platform", f"rendered/{cluster}/argocd/runs"}
    assert synced - roots == {f"rendered/{cluster}/{app}" for app in rendered.apps(cluster)}
    assert roots <= synced


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_namespaces_are_restricted_but_for_the_approved_one(rendered: Rendered, cluster: str) -> None:
    levels = {
        item["metadata"]["name"]: item["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        for app in rendered.apps(cluster, "team-")
        for item in rendered.objects(cluster, app)
        if item["kind"] == "Namespace"
    }
    approved = {"team-nlp-fabric"} if cluster in APPROVED else set[str]()
    assert {name for name, level in levels.items() if level == "privileged"} == approved
    assert {level for name, level in levels.items() if name not in approved} == {"restricted"}


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_each_team_namespace_denies_by_default_and_has_its_ceilings(rendered: Rendered, cluster: str) -> None:
    for app in rendered.apps(cluster, "team-"):
        objects = rendered.objects(cluster, app)
        for namespace in (item["metadata"]["name"] for item in objects if item["kind"] == "Namespace"):
            inside = [item for item in objects if item["metadata"].get("namespace") == namespace]
            deny = next(item for item in inside if item["metadata"]["name"] == "default-deny")
            assert deny["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
            kinds = {item["kind"] for item in inside}
            assert {"ResourceQuota", "LimitRange", "ServiceAccount", "Role", "RoleBinding"} <= kinds


def test_members_of_a_team_look_and_do_not_touch(rendered: Rendered) -> None:
    role = rendered.find("aws-prod", "team-vision", "Role")
    binding = rendered.find("aws-prod", "team-vision", "RoleBinding")
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list", "watch"}
    assert not any("secrets" in rule["resources"] for rule in role["rules"])
    assert [subject["name"] for subject in binding["subjects"]] == ["vision-engineers", "vision-interns"]


def test_cloud_identity_is_an_annotation_and_never_a_key(rendered: Rendered) -> None:
    eks = rendered.find("aws-prod", "team-fraud", "ServiceAccount")["metadata"]["annotations"]
    gke = rendered.find("gke-research", "team-fraud", "ServiceAccount")["metadata"]["annotations"]
    assert eks == {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/fraud-train"}
    assert gke == {"iam.gke.io/gcp-service-account": "fraud-train@example-research.iam.gserviceaccount.com"}


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_nothing_rendered_is_a_secret(rendered: Rendered, cluster: str) -> None:
    for app in rendered.apps(cluster):
        assert "Secret" not in rendered.kinds(cluster, app)


def test_clusters_of_several_environments_live_side_by_side(rendered: Rendered) -> None:
    assert rendered.clusters() == CLUSTERS
    environments = {
        cluster: rendered.find(cluster, "argocd/root", "AppProject")["metadata"]["labels"][
            "trainshed.dev/environment"
        ]
        for cluster in CLUSTERS
    }
    assert environments == ENVIRONMENTS


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_project_of_a_team_reaches_its_own_namespaces_only(rendered: Rendered, cluster: str) -> None:
    projects = [item for item in rendered.objects(cluster, "argocd/runs") if item["kind"] == "AppProject"]
    assert projects
    for item in projects:
        if item["kind"] == "AppProject":
            team = item["metadata"]["name"].removeprefix(f"{cluster}-")
            for destination in item["spec"]["destinations"]:
                assert destination["namespace"] in (f"team-{team}", f"team-{team}-fabric")
            assert "clusterResourceWhitelist" not in item["spec"]
            kinds = {allowed["kind"] for allowed in item["spec"]["namespaceResourceWhitelist"]}
            assert not kinds & {"Role", "RoleBinding", "Secret", "ServiceAccount", "*"}


def test_specs_name_their_schema() -> None:
    for path in sorted((ROOT / "specs").rglob("*.yaml")):
        first = path.read_text("utf-8").splitlines()[0]
        kind = {
            "clusters": "cluster",
            "teams": "team",
            "presets": "preset",
            "jobs": "trainingjob",
            "policies": "policy",
        }
        folder = path.relative_to(ROOT / "specs").parts[0]
        up = "../" * len(path.relative_to(ROOT).parts[:-1])
        assert first == (f"# yaml-language-server: $schema={up}schemas/trainshed/{kind[folder]}.json"), path
