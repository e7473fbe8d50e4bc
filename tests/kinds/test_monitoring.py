"""F5: what is scraped, when somebody is called, and what the dashboard shows."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM, write_project
from ruamel.yaml import YAML
from stages.street import bodies, body, compile_files, resolve

WATCHED = (
    CLUSTER.replace(
        "  kueue: v0.19.2\n",
        "  kueue: v0.19.2\n  trainer: v2.3.0\n  jobset: v0.12.0\n  gpu-operator: v1.11.1\n"
        "  prometheus-operator: v0.85.0\n",
    )
    + "monitoring: {namespace: watch, serviceAccount: prometheus, labels: {release: kube-prometheus}}\n"
    + "security: {privileged: [vision]}\n"
)
OLD = WATCHED.replace("training-operator: v1.9.4", "training-operator: v1.8.1").replace("v1.6.2", "v1.2.2")
SHOWN = JOB + "metrics: {port: 9400, path: /stats}\n"
PRIVILEGED = TEAM.replace("secrets", "privileged: {namespace: vision-free, why: locked memory}\nsecrets")


def on(cluster: str = WATCHED, job: str = SHOWN, team: str = TEAM) -> dict[str, str | bytes]:
    files = {"specs/clusters/lab.yaml": cluster, "specs/teams/vision.yaml": team}
    return {**SMALL, **files, "specs/jobs/vision/resnet.yaml": job}


def watched(kind: str, cluster: str = WATCHED, team: str = TEAM) -> dict[str, Any]:
    found = bodies(compile_files(on(cluster, team=team)), ["monitoring"])
    return {item["metadata"]["name"]: item for item in found if item["kind"] == kind}


def test_monitors_and_rules_carry_the_labels_by_which_prometheus_picks_them() -> None:
    found = bodies(compile_files(on()), ["monitoring"])
    picked = [item for item in found if item["apiVersion"].startswith("monitoring.coreos.com")]
    assert {item["kind"] for item in picked} == {"PodMonitor", "ServiceMonitor", "PrometheusRule"}
    assert {item["metadata"]["labels"]["release"] for item in picked} == {"kube-prometheus"}
    assert {item["metadata"]["namespace"] for item in picked} == {"watch"}


def test_each_operator_that_shows_metrics_is_scraped_where_it_is() -> None:
    pods, services = watched("PodMonitor"), watched("ServiceMonitor")
    place = {
        name: (
            item["spec"]["namespaceSelector"]["matchNames"],
            item["spec"]["podMetricsEndpoints"][0]["portNumber"],
        )
        for name, item in pods.items()
        if name != "team-vision"
    }
    assert place == {
        "training-operator": (["kubeflow"], 8080),
        "kuberay": (["ray-system"], 8080),
        "gpu-operator": (["gpu-operator"], 9400),
    }
    assert set(services) == {"kueue", "trainer"}
    (kueue,) = services["kueue"]["spec"]["endpoints"]
    assert (kueue["scheme"], kueue["port"]) == ("https", "https")
    assert "app.kubernetes.io/component" in services["kueue"]["spec"]["selector"]["matchLabels"]


def test_prometheus_may_read_what_answers_only_to_those_who_may() -> None:
    (role,) = watched("ClusterRole").values()
    (binding,) = watched("ClusterRoleBinding").values()
    assert {"nonResourceURLs": ["/metrics"], "verbs": ["get"]} in role["rules"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "prometheus", "namespace": "watch"}]


def test_the_job_and_not_the_operator_is_the_namespace_of_a_metric() -> None:
    """Without honorLabels a series of a run in team-vision would say that it is in the operator's namespace."""
    monitors = {**watched("PodMonitor"), **watched("ServiceMonitor")}
    del monitors["team-vision"]
    for item in monitors.values():
        (endpoint,) = item["spec"].get("endpoints") or item["spec"]["podMetricsEndpoints"]
        assert endpoint["honorLabels"] is True


def test_pods_with_metrics_are_found_by_a_label_at_a_named_port_and_their_own_path() -> None:
    run = body(compile_files(on()), "Job", "job-vision-resnet")
    template = run["spec"]["template"]
    assert template["metadata"]["labels"]["trainshed.dev/metrics"] == "true"
    assert template["metadata"]["annotations"]["prometheus.io/path"] == "/stats"
    assert template["spec"]["containers"][0]["ports"] == [
        {"name": "metrics", "containerPort": 9400, "protocol": "TCP"}
    ]
    monitor = watched("PodMonitor", team=PRIVILEGED)["team-vision"]["spec"]
    assert monitor["selector"] == {"matchLabels": {"trainshed.dev/metrics": "true"}}
    assert monitor["namespaceSelector"] == {"matchNames": ["team-vision", "vision-free"]}
    (endpoint,) = monitor["podMetricsEndpoints"]
    assert endpoint["port"] == "metrics"
    assert endpoint["relabelings"] == [
        {
            "sourceLabels": ["__meta_kubernetes_pod_annotation_prometheus_io_path"],
            "regex": "(.+)",
            "targetLabel": "__metrics_path__",
        }
    ]


def test_the_network_lets_prometheus_in_at_that_port_only() -> None:
    policies = {
        item["metadata"]["name"]: item["spec"]
        for item in bodies(compile_files(on()), ["team-vision"])
        if item["kind"] == "NetworkPolicy"
    }
    watch = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "watch"}}}
    (rule,) = policies["allow-scrape"]["ingress"]
    assert rule == {"from": [watch], "ports": [{"port": "metrics", "protocol": "TCP"}]}
    assert policies["allow-scrape"]["podSelector"] == {"matchLabels": {"trainshed.dev/metrics": "true"}}


def alerts(cluster: str = WATCHED) -> dict[str, Any]:
    (rules,) = watched("PrometheusRule", cluster).values()
    (group,) = rules["spec"]["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def test_somebody_is_called_for_stuck_failed_and_idle_runs() -> None:
    assert set(alerts()) == {
        "TrainingPodPending",
        "TrainingQueueStalled",
        "TrainingJobFailed",
        "TrainingRunFailed",
        "RayJobFailed",
        "TrainingGpuIdle",
    }
    assert all(rule["annotations"]["summary"] for rule in alerts().values())
    assert {rule["labels"]["severity"] for rule in alerts().values()} == {"warning", "critical"}


def test_no_alert_looks_for_a_metric_that_a_release_does_not_have() -> None:
    assert "RayJobFailed" not in alerts(OLD)
    assert "TrainingRunFailed" in alerts(OLD)


def test_alerts_look_at_the_namespaces_and_queues_of_teams_only() -> None:
    assert 'namespace=~"team-vision"' in alerts()["TrainingGpuIdle"]["expr"]
    assert 'cluster_queue=~"vision"' in alerts()["TrainingQueueStalled"]["expr"]
    expressions = "".join(rule["expr"] for rule in alerts().values())
    assert "NAMESPACES" not in expressions
    assert "QUEUES" not in expressions


def test_a_stalled_queue_of_what_is_guaranteed_is_told_as_well() -> None:
    team = TEAM.replace("{h100: 4,", "{h100: {nodes: 4, guaranteed: 2},")
    (rules,) = watched("PrometheusRule", team=team).values()
    assert 'cluster_queue=~"vision|vision-guaranteed"' in json.dumps(rules).replace('\\"', '"')


@pytest.mark.parametrize("opening", ["()", "{}", "[]"])
def test_expressions_are_balanced(opening: str) -> None:
    board = json.loads(next(iter(watched("ConfigMap").values()))["data"]["training-lab.json"])
    shown = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    for expression in [*shown, *(rule["expr"] for rule in alerts().values())]:
        bare = re.sub(r'"[^"]*"', "", expression)
        assert bare.count(opening[0]) == bare.count(opening[1])
        assert '"' not in bare


def test_the_dashboard_is_one_that_grafana_picks_up_and_can_read() -> None:
    (config,) = watched("ConfigMap").values()
    assert config["metadata"]["labels"]["grafana_dashboard"] == "1"
    board = json.loads(config["data"]["training-lab.json"])
    titles = [panel["title"] for panel in board["panels"]]
    assert titles[:3] == ["GPU utilisation by run", "Use of quota by team", "Runs that wait"]
    assert {"Failed Jobs", "Failed runs in a day"} < set(titles)
    assert len({panel["id"] for panel in board["panels"]}) == len(titles)
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]}
    assert len(places) == len(titles)
    (variable,) = board["templating"]["list"]
    assert {panel["datasource"]["uid"] for panel in board["panels"]} == {f"${{{variable['name']}}}"}
    assert "uid" in board
    assert board["schemaVersion"]


@pytest.mark.parametrize(
    ("pod", "run"),
    [
        ("resnet-0a1b2c3d-worker-0", "resnet-0a1b2c3d"),
        ("resnet-0a1b2c3d-2-worker-0", "resnet-0a1b2c3d"),
        ("my-net-0a1b2c3d-0-abcde", "my-net-0a1b2c3d"),
    ],
)
def test_the_dashboard_reads_the_run_from_the_name_of_a_pod(pod: str, run: str) -> None:
    board = json.loads(next(iter(watched("ConfigMap").values()))["data"]["training-lab.json"])
    pattern = re.findall(r'"pod", "([^"]*)"', board["panels"][0]["targets"][0]["expr"])[-1]
    found = re.fullmatch(pattern, pod)
    assert found is not None
    assert found[1] == run


def test_kueue_tells_the_use_of_each_queue_where_somebody_looks() -> None:
    def configuration(cluster: str) -> Any:
        items = bodies(compile_files(on(cluster, JOB)), ["argocd/platform"])
        (found,) = (item for item in items if item["metadata"]["name"] == "lab-operator-kueue")
        values = found["spec"]["sources"][0]["helm"]["valuesObject"]
        return YAML(typ="safe").load(values["managerConfig"]["controllerManagerConfigYaml"])

    assert configuration(WATCHED)["metrics"]["enableClusterQueueResources"] is True
    assert "enableClusterQueueResources" not in configuration(CLUSTER)["metrics"]


def test_the_app_comes_last_into_a_namespace_that_may_not_be_there_yet() -> None:
    items = bodies(compile_files(on()), ["argocd/platform"])
    (found,) = (item for item in items if item["metadata"]["name"] == "lab-monitoring")
    assert found["spec"]["destination"]["namespace"] == "watch"
    assert "CreateNamespace=true" in found["spec"]["syncPolicy"]["syncOptions"]
    waves = {item["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"] for item in items}
    assert max(waves, key=int) == found["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]


def test_monitoring_without_its_operator_is_refused() -> None:
    (said,) = resolve(on(CLUSTER + "monitoring: {}\n", JOB)).said
    assert "specs/clusters/lab.yaml:" in said
    assert "missing-operator: monitors and alerts are for prometheus-operator" in said


def test_metrics_that_nobody_scrapes_are_refused() -> None:
    (said,) = resolve(on(CLUSTER)).said
    assert (
        said == 'specs/jobs/vision/resnet.yaml:7:1 missing-operator: nothing on cluster "lab" scrapes metrics'
    )


def test_the_judges_accept_all_of_it(tmp_path: Path) -> None:
    done = write_project(tmp_path, on(team=PRIVILEGED)).run("render")
    assert "error" not in done.out + done.err, done.out + done.err
    assert done.code == 0
