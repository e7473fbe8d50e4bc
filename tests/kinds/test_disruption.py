"""F4, node health and the mesh: what leaves pods alone, and what they keep away from."""

from typing import Any

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages.street import bodies, compile_files, resolve

QUIET = JOB + "doNotDisrupt: true\n"
KARPENTER = "karpenter.sh/do-not-disrupt"
AUTOSCALER = "cluster-autoscaler.kubernetes.io/safe-to-evict"
KINDS = {
    "job": ("", 1),
    "pytorchjob": ("framework: pytorch\nnodes: 3\n", 3),
    "elastic": ("framework: pytorch\nnodes: {min: 2, max: 4}\n", 2),
    "rayjob": ('framework: ray\nrayVersion: "2.40.0"\nnodes: 2\n', 4),
}
"""A job of each kind, and the pods that it cannot go on without: of Ray the head and the submitter as well."""


def on(job: str, cluster: str = CLUSTER) -> dict[str, str | bytes]:
    return {**SMALL, "specs/clusters/lab.yaml": cluster, "specs/jobs/vision/resnet.yaml": job}


def objects(job: str, cluster: str = CLUSTER) -> list[dict[str, Any]]:
    return bodies(compile_files(on(job, cluster)), ["job-vision-resnet"])


def templates(value: Any) -> list[dict[str, Any]]:
    """Every pod template in an object."""
    if isinstance(value, list):
        return [found for item in value for found in templates(item)]
    if not isinstance(value, dict):
        return []
    own = [value] if "metadata" in value and "containers" in value.get("spec", {}) else []
    return own + [found for item in value.values() for found in templates(item)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_holds_every_pod_that_the_run_needs(kind: str) -> None:
    job, least = KINDS[kind]
    found = objects(QUIET + job)
    (budget,) = (item for item in found if item["kind"] == "PodDisruptionBudget")
    assert budget["spec"]["minAvailable"] == least
    selected = budget["spec"]["selector"]["matchLabels"]
    run = next(item for item in found if item["kind"] not in ("PodDisruptionBudget", "NetworkPolicy"))
    assert templates(run)
    assert all(selected.items() <= template["metadata"]["labels"].items() for template in templates(run))


def test_nobody_gets_a_budget_without_asking() -> None:
    assert [item["kind"] for item in objects(JOB)] == ["Job"]
    assert AUTOSCALER not in str(objects(JOB))


@pytest.mark.parametrize(
    ("provider", "annotations"),
    [
        ("eks", {KARPENTER: "true", AUTOSCALER: "false"}),
        ("aks", {KARPENTER: "true", AUTOSCALER: "false"}),
        ("gke", {AUTOSCALER: "false"}),
        ("kind", {}),
    ],
)
def test_what_removes_nodes_is_told_in_its_own_words(provider: str, annotations: dict[str, str]) -> None:
    run, budget = objects(QUIET, CLUSTER.replace("provider: onprem", f"provider: {provider}"))
    (template,) = templates(run)
    assert template["metadata"].get("annotations", {}) == annotations
    assert budget["kind"] == "PodDisruptionBudget"


def test_a_teams_project_may_hold_budgets() -> None:
    items = bodies(compile_files(on(QUIET)), ["argocd/runs"])
    (project,) = (item for item in items if item["kind"] == "AppProject")
    assert {"group": "policy", "kind": "PodDisruptionBudget"} in project["spec"]["namespaceResourceWhitelist"]


HEALTH = CLUSTER + "nodeHealth: [{label: autopilot.ibm.com/gpuhealth, notIn: [ERR, EVICT]}]\n"
UNWELL = {"key": "autopilot.ibm.com/gpuhealth", "operator": "NotIn", "values": ["ERR", "EVICT"]}
ON_GPUS = JOB + "gpus: {type: h100, perNode: 8}\n"


def terms(job: str, cluster: str = HEALTH) -> list[dict[str, Any]]:
    (template,) = templates(objects(job, cluster)[0])
    node = template["spec"].get("affinity", {}).get("nodeAffinity", {})
    return node.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])


def test_pods_with_gpus_keep_off_nodes_that_are_unwell() -> None:
    assert terms(ON_GPUS) == [{"matchExpressions": [UNWELL]}]
    assert terms(JOB) == []
    assert terms(ON_GPUS, CLUSTER) == []


def test_every_term_of_several_pools_asks_for_healthy_nodes() -> None:
    two = HEALTH.replace(
        "  cpu: {machine",
        "  more: {machine: onprem/dgx-h100, nodes: 4, labels: {pool: more}}\n  cpu: {machine",
    )
    files = on(ON_GPUS + "queue: none\n", two)
    files["specs/teams/vision.yaml"] = TEAM.replace("h100: 4", "h100: 4, more: 4")
    (template,) = templates(bodies(compile_files(files), ["job-vision-resnet"])[0])
    node = template["spec"]["affinity"]["nodeAffinity"]
    found = node["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert len(found) == 2
    assert all(UNWELL in term["matchExpressions"] and len(term["matchExpressions"]) > 1 for term in found)


def test_a_label_that_no_node_can_have_is_refused() -> None:
    (said,) = resolve(on(JOB, CLUSTER + "nodeHealth: [{label: 'not a label', notIn: [x]}]\n")).said
    assert said.endswith('bad-label: "not a label" cannot be the key of a label')


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("mesh", "part", "key", "value"),
    [
        ("istio", "labels", "sidecar.istio.io/inject", "false"),
        ("linkerd", "annotations", "linkerd.io/inject", "disabled"),
    ],
)
def test_pods_stay_out_of_the_mesh(kind: str, mesh: str, part: str, key: str, value: str) -> None:
    found = templates(objects(JOB + KINDS[kind][0], f"{CLUSTER}mesh: {mesh}\n"))
    assert found
    assert {template["metadata"].get(part, {}).get(key) for template in found} == {value}
