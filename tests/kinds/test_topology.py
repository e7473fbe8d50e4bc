"""D6: all pods in one rack, required or preferred, and racks that no other run shares."""

from typing import Any

import pytest
from kinds.queued import JOB, KUEUE, OLD_KUEUE, TOPOLOGY, VOLCANO, cluster, files, one, run, said, team
from repositories import write_project

OWNER = team("{h100: 8, cpu: 4}")
NEAR = JOB + "topology: {required: rack}\n"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def made(words: str = NEAR, operators: str = KUEUE) -> dict[str, str]:
    return dict(files(words, made=cluster(operators + TOPOLOGY), owner=OWNER))


def templates(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [replica["template"] for replica in body["spec"]["pytorchReplicaSpecs"].values()]


def podsets(template: dict[str, Any]) -> dict[str, str]:
    annotations = template["metadata"]["annotations"]
    return {key.removeprefix("kueue.x-k8s.io/podset-"): value for key, value in annotations.items()}


@pytest.mark.parametrize(
    ("operators", "version"), [(KUEUE, "kueue.x-k8s.io/v1beta2"), (OLD_KUEUE, "kueue.x-k8s.io/v1beta1")]
)
def test_kueue_knows_the_levels_from_the_widest_and_every_flavor_has_them(
    operators: str, version: str
) -> None:
    topology = one(made(operators=operators), "Topology")

    assert topology["apiVersion"] == version
    assert [level["nodeLabel"] for level in topology["spec"]["levels"]] == [
        "example.com/block",
        "example.com/rack",
        "kubernetes.io/hostname",
    ]
    for pool in ("cpu", "h100"):
        flavor = one(made(operators=operators), "ResourceFlavor", pool)
        assert flavor["spec"]["topologyName"] == topology["metadata"]["name"]


def test_master_and_workers_are_placed_as_one_group() -> None:
    master, worker = templates(run(made()))

    assert (
        podsets(master) == podsets(worker) == {"required-topology": "example.com/rack", "group-name": "near"}
    )


def test_a_preferred_level_is_a_wish() -> None:
    words = JOB + "topology: {preferred: block}\nbackend: jobset\n"
    (job,) = run(made(words))["spec"]["replicatedJobs"]

    assert podsets(job["template"]["spec"]["template"]) == {"preferred-topology": "example.com/block"}


def test_parts_of_a_run_are_each_in_one_rack() -> None:
    words = JOB + "backend: jobset\ntopology: {preferred: block, slice: {size: 2, required: rack}}\n"
    (job,) = run(made(words))["spec"]["replicatedJobs"]

    assert podsets(job["template"]["spec"]["template"]) == {
        "preferred-topology": "example.com/block",
        "slice-required-topology": "example.com/rack",
        "slice-size": "2",
    }


def test_a_part_that_does_not_divide_the_pods_is_refused() -> None:
    words = JOB + "backend: jobset\ntopology: {slice: {size: 3, required: rack}}\n"

    (finding,) = said(made(words))

    assert finding.endswith("backend-cannot: 4 pods of role node cannot be cut into parts of 3")


def test_kueue_places_three_roles_far_from_one_another() -> None:
    words = (
        "framework: tensorflow\nrun: {command: [train]}\ngpus: {type: h100, perNode: 8}\nfabric: none\n"
        "roles: {chief: {}, worker: {nodes: 2}, ps: {nodes: 2}}\ntopology: {required: rack}\n"
    )

    (finding,) = said(made(words))

    assert finding.endswith(
        "backend-cannot: Kueue places each of the 3 roles by itself, and may put them far from one another"
    )


def test_an_unknown_level_suggests_the_nearest() -> None:
    (found,) = said(made(JOB + "topology: {required: rakc}\n"))

    assert found.endswith('unknown-value: cluster "lab" has no level "rakc" in its topology')


def test_volcano_counts_tiers_from_the_narrowest() -> None:
    rack, block = (
        one(made(JOB + f"backend: jobset\ntopology: {wish}\n", VOLCANO), "PodGroup")["spec"][
            "networkTopology"
        ]
        for wish in ("{required: rack}", "{preferred: block}")
    )

    assert rack == {"mode": "hard", "highestTierAllowed": 1}
    assert block == {"mode": "soft", "highestTierAllowed": 2}


def test_volcano_finds_the_tiers_by_the_same_labels() -> None:
    (upstream, *_) = one(made(operators=VOLCANO), "Application", "lab-operator-volcano")["spec"]["sources"]
    config = upstream["helm"]["valuesObject"]["custom"]["controller_config_override"]

    labels = [line.split()[-1] for line in config.splitlines() if "nodeLabel" in line]
    assert labels == ["example.com/block", "example.com/rack", "kubernetes.io/hostname"]


@pytest.mark.parametrize(
    ("wish", "how"),
    [("required: rack", REQUIRED), ("preferred: rack", PREFERRED)],
)
def test_where_no_queue_places_them_pods_look_for_one_another(wish: str, how: str) -> None:
    body = run(made(f"{JOB}queue: none\ngang: none\ntopology: {{{wish}}}\n"))
    for template in templates(body):
        (term,) = template["spec"]["affinity"]["podAffinity"][how]
        term = term.get("podAffinityTerm", term)
        assert term["topologyKey"] == "example.com/rack"
        assert term["labelSelector"]["matchLabels"] == {"trainshed.dev/run": body["metadata"]["name"]}
        assert template["metadata"]["labels"]["trainshed.dev/run"] == body["metadata"]["name"]


def test_an_exclusive_rack_holds_no_pod_of_another_run() -> None:
    body = run(made(f"{JOB}queue: none\ngang: none\nexclusive: rack\n"))
    for template in templates(body):
        (term,) = template["spec"]["affinity"]["podAntiAffinity"][REQUIRED]
        assert term["topologyKey"] == "example.com/rack"
        assert term["namespaceSelector"] == {}
        assert term["labelSelector"]["matchExpressions"] == [
            {"key": "trainshed.dev/run", "operator": "Exists"},
            {"key": "trainshed.dev/run", "operator": "NotIn", "values": [body["metadata"]["name"]]},
        ]


def test_kueue_would_put_a_run_beside_others_all_the_same() -> None:
    (finding,) = said(made(JOB + "exclusive: rack\n"))

    assert "backend-cannot: Kueue picks the nodes of runs on lab by their topology" in finding


def test_every_cluster_has_hosts() -> None:
    body = run(files("run: {command: [train]}\nexclusive: host\n", owner=OWNER))

    (term,) = body["spec"]["template"]["spec"]["affinity"]["podAntiAffinity"][REQUIRED]
    assert term["topologyKey"] == "kubernetes.io/hostname"


@pytest.mark.parametrize(
    ("levels", "summary"),
    [
        ("{host: kubernetes.io/hostname, rack: example.com/rack}", "nothing is narrower than a host"),
        ("{rack: example.com/rack, row: example.com/rack}", 'two levels have the label "example.com/rack"'),
        ("{rack: a b}", '"a b" is not a key that Kubernetes takes'),
    ],
)
def test_levels_that_kueue_would_refuse_are_refused_at_the_cluster(levels: str, summary: str) -> None:
    (finding, *_) = said(files(JOB, made=cluster(f"{KUEUE}topology: {{levels: {levels}}}\n"), owner=OWNER))

    assert finding.startswith("specs/clusters/lab.yaml:")
    assert summary in finding


@pytest.mark.parametrize("operators", [KUEUE, OLD_KUEUE])
def test_the_real_judges_accept_it_and_say_that_they_know_no_nodes(tmp_path: Any, operators: str) -> None:
    result = write_project(tmp_path, made(operators=operators)).run("render")

    assert result.code == 0, result.out + result.err
