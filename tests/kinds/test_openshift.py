"""F2: on OpenShift the platform assigns users, and a constraint admits what is privileged."""

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages.street import bodies, compile_files, plan, resolve

from trainshed.model.manifest import JsonObject

OPENSHIFT = CLUSTER.replace("provider: onprem", "provider: openshift") + "security: {privileged: [vision]}\n"
APPROVED = TEAM.replace(
    "secrets: [wandb]\n",
    "secrets: [wandb]\nserviceAccounts: [robot]\nprivileged: {namespace: vision-free, why: locked memory}\n",
)


def on(cluster: str = OPENSHIFT, job: str = JOB, team: str = APPROVED) -> dict[str, str | bytes]:
    files = {"specs/clusters/lab.yaml": cluster, "specs/teams/vision.yaml": team}
    return {**SMALL, **files, "specs/jobs/vision/resnet.yaml": job}


def team_objects(kind: str, cluster: str = OPENSHIFT, team: str = APPROVED) -> dict[str, JsonObject]:
    found = bodies(compile_files(on(cluster, team=team)), ["team-vision"])
    return {item["metadata"]["name"]: item for item in found if item["kind"] == kind}


def test_a_pod_names_no_user_where_the_namespace_has_a_range() -> None:
    run_as = plan(on()).targets[0].run_as
    assert (run_as.user, run_as.group, run_as.fs_group) == (None, None, None)


@pytest.mark.parametrize("framework", ["generic", "pytorch", "jax", "xgboost"])
def test_no_framework_brings_a_user_along(framework: str) -> None:
    (run,) = (
        item
        for item in bodies(compile_files(on(job=f"{JOB}framework: {framework}\n")), ["job-vision-resnet"])
        if "spec" in item
    )
    assert "runAsUser" not in str(run)
    assert "fsGroup" not in str(run)
    assert "runAsNonRoot" in str(run)


@pytest.mark.parametrize(("field", "column"), [("user", 26), ("fsGroup", 29)])
def test_an_id_of_ones_own_is_refused_where_it_is_written(field: str, column: int) -> None:
    (said,) = resolve(on(job=f"{JOB}security: {{runAs: {{{field}: 1000}}}}\n")).said
    assert said == (
        f"specs/jobs/vision/resnet.yaml:7:{column} bad-value: Red Hat OpenShift gives each namespace a range of ids,"
        " and refuses others"
    )


def test_an_id_of_ones_own_is_taken_elsewhere_and_in_the_approved_namespace() -> None:
    written = f"{JOB}security: {{runAs: {{user: 1000}}}}\n"
    assert resolve(on(CLUSTER, written, TEAM)).said == []
    approved = f"{JOB}security: {{level: privileged, why: locked memory, runAs: {{user: 1000}}}}\n"
    target = resolve(on(job=approved)).target()
    assert (target.namespace, target.run_as.user) == ("vision-free", 1000)


def test_supplemental_groups_are_nobodys_range() -> None:
    assert resolve(on(job=f"{JOB}security: {{runAs: {{supplementalGroups: [7]}}}}\n")).said == []


def test_the_second_namespace_is_admitted_by_a_constraint() -> None:
    binding = team_objects("RoleBinding")["scc-privileged"]
    assert binding["metadata"]["namespace"] == "vision-free"
    assert binding["roleRef"] == {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "system:openshift:scc:privileged",
    }
    assert [subject["name"] for subject in binding["subjects"]] == ["robot", "train"]
    assert {subject["namespace"] for subject in binding["subjects"]} == {"vision-free"}


def test_no_constraint_is_bound_without_an_approval_or_elsewhere() -> None:
    assert "scc-privileged" not in team_objects("RoleBinding", team=TEAM)
    plain = OPENSHIFT.replace("provider: openshift", "provider: onprem")
    assert "scc-privileged" not in team_objects("RoleBinding", plain)


def test_openshift_leaves_the_levels_of_our_namespaces_alone() -> None:
    label = "security.openshift.io/scc.podSecurityLabelSync"
    namespaces = team_objects("Namespace")
    assert {item["metadata"]["labels"][label] for item in namespaces.values()} == {"false"}
    assert set(namespaces) == {"team-vision", "vision-free"}
    elsewhere = team_objects("Namespace", CLUSTER, TEAM)["team-vision"]
    assert label not in elsewhere["metadata"]["labels"]


def test_names_are_asked_of_openshifts_own_dns() -> None:
    policies = team_objects("NetworkPolicy")
    assert "'openshift-dns'" in str(policies["allow-egress"])
