"""The fast network between nodes, whole, and never TCP in silence. Facts I.2; scenario B10; traps 16, 18 and 19."""

import json
from pathlib import Path

import pytest
from kinds.fabrics import APP, AWS, FREE, LAB, LLM, MEGA, PLACE, container, files, said, variables, worker
from repositories import write_project
from stages import street

INTERFACES = "networking.gke.io/interfaces"
SOCKETS = {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"}


@pytest.mark.parametrize(
    ("name", "resource", "devices", "guard", "added"),
    [
        ("aws", "vpc.amazonaws.com/efa", "32", "AWS Libfabric", None),
        ("lab", "rdma/ib", "8", "IB", ["IPC_LOCK"]),
        ("roce", "rdma/roce_gdr", "8", "IB", ["IPC_LOCK"]),
    ],
)
def test_whole_nodes_get_all_devices_and_a_guard(
    name: str, resource: str, devices: str, guard: str, added: list[str] | None
) -> None:
    pod = worker(LLM + ("" if name == "aws" else FREE), name)
    resources = container(pod)["resources"]
    assert resources["requests"][resource] == resources["limits"][resource] == devices
    assert container(pod)["securityContext"]["capabilities"].get("add") == added
    assert variables(pod)["NCCL_NET"] == guard


@pytest.mark.parametrize(
    ("name", "daemon", "guard"), [("high", "tcpx", "GPUDirectTCPX_v7"), ("mega", "tcpxo", "FasTrak")]
)
def test_the_daemon_of_gpudirect_starts_first_and_runs_beside(name: str, daemon: str, guard: str) -> None:
    pod = worker(LLM + FREE, name)
    (sidecar,) = pod["spec"]["initContainers"]
    assert (sidecar["name"], sidecar["restartPolicy"]) == (f"{daemon}-daemon", "Always")
    assert sidecar["securityContext"]["runAsUser"] == 0
    assert "NET_ADMIN" in sidecar["securityContext"]["capabilities"]["add"]
    assert {"sys", "proc-sys"} <= {mount["name"].removeprefix("fabric-") for mount in sidecar["volumeMounts"]}
    assert f"devices.gke.io/container.{daemon}-daemon" in pod["metadata"]["annotations"]
    mounted = {mount["mountPath"] for mount in container(pod)["volumeMounts"]}
    assert not {"/hostsysfs", "/sys", "/proc/sys"} & mounted, "only the daemon sees the node's settings"
    assert variables(pod)["NCCL_NET"] == guard
    assert variables(pod)["NCCL_SOCKET_IFNAME"] == "eth0", "the vendor's whole set"


def test_the_daemon_and_the_training_container_fit_into_one_node_and_one_quota() -> None:
    manifests = street.compile_files(files(LLM + FREE, "mega"))
    (queue,) = (b for b in street.bodies(manifests, ["queues"]) if b["kind"] == "ClusterQueue")
    ((flavor,),) = (group["flavors"] for group in queue["spec"]["resourceGroups"])
    quota = {item["name"]: item["nominalQuota"] for item in flavor["resources"]}
    pod = worker(LLM + FREE, "mega")
    (sidecar,) = pod["spec"]["initContainers"]
    asked = int(container(pod)["resources"]["requests"]["cpu"]) + int(sidecar["resources"]["requests"]["cpu"])
    assert 8 * asked <= float(quota["cpu"].removesuffix("m")) / (1000 if quota["cpu"].endswith("m") else 1)
    assert sidecar["resources"]["limits"]["memory"] == sidecar["resources"]["requests"]["memory"]


def test_rdma_of_google_brings_its_libraries_from_the_node_and_the_table_of_the_machine() -> None:
    pod = worker(LLM + FREE, "ultra")
    assert "initContainers" not in pod["spec"]
    paths = {volume["hostPath"]["path"] for volume in pod["spec"]["volumes"] if "hostPath" in volume}
    assert paths == {"/home/kubernetes/bin/nvidia", "/home/kubernetes/bin/gib"}
    assert all(m["readOnly"] for m in container(pod)["volumeMounts"] if m["name"].startswith("fabric-"))
    env = variables(pod)
    assert (env["NCCL_NET"], env["NCCL_TUNER_CONFIG_PATH"]) == (
        "gIB",
        "/usr/local/gib/configs/tuner_config_a3u.txtpb",
    )
    assert pod["spec"]["securityContext"]["runAsUser"] == 0, "as root, like the vendor's samples"


@pytest.mark.parametrize("name", ["aws", "lab", "ultra"])
def test_no_interface_is_named_unless_the_job_names_one(name: str) -> None:
    job = LLM + ("" if name == "aws" else FREE)
    assert not SOCKETS & {*variables(worker(job, name))}
    env = variables(worker(job + "fabric: {interface: ens3}\n", name))
    assert {env[variable] for variable in SOCKETS} == {"ens3"}


def test_an_interface_is_named_without_a_fabric_too() -> None:
    env = variables(worker(LLM + "fabric: {name: none, interface: ens3}\n", "aws"))
    assert {env[variable] for variable in SOCKETS} == {"ens3"}
    assert "NCCL_NET" not in env


def test_the_guard_can_be_left_out() -> None:
    env = variables(worker(LLM + "fabric: {name: efa, verify: off}\n".replace("off", '"off"'), "aws"))
    assert "NCCL_NET" not in env
    assert env["FI_EFA_USE_HUGE_PAGE"] == "0"


def test_one_node_asks_for_no_fabric_and_goes_to_the_first_namespace() -> None:
    manifests = street.compile_files(files(LLM.replace("nodes: 8", "nodes: 1"), "aws"))
    job = street.body(manifests, "Job", APP, "aws")
    (only,) = job["spec"]["template"]["spec"]["containers"]
    assert "vpc.amazonaws.com/efa" not in only["resources"]["requests"]
    assert "NCCL_NET" not in {entry["name"] for entry in only["env"]}
    assert job["metadata"]["namespace"] == "team-nlp"


def test_what_needs_more_than_restricted_goes_to_the_second_namespace() -> None:
    manifests = street.compile_files(files(LLM + FREE, "mega"))
    assert street.body(manifests, "PyTorchJob", APP, "mega")["metadata"]["namespace"] == "nlp-free"


def test_without_approval_tcp_is_said_aloud() -> None:
    summary = "GPUDirect-TCPXO of GKE A3 Mega is not used: NCCL falls back to TCP between nodes"
    assert said(LLM, "mega") == [f"{PLACE}:10:1 fabric-unused: {summary}"]


def test_a_part_of_a_node_gets_the_devices_that_the_job_counts() -> None:
    half = LLM.replace("gpus: 8", "gpus: 4")
    assert len(said(half, "aws")) == 1
    requests = container(worker(half + "fabric: {devices: 16}\n", "aws"))["resources"]["requests"]
    assert requests["vpc.amazonaws.com/efa"] == "16"


def test_a_master_and_its_workers_both_use_the_fabric() -> None:
    roles = LLM.replace("nodes: 8\n", "roles: {master: {}, worker: {nodes: 3}}\n")
    job = street.body(street.compile_files(files(roles, "aws")), "PyTorchJob", APP, "aws")
    for replica in job["spec"]["pytorchReplicaSpecs"].values():
        assert container(replica["template"])["resources"]["requests"]["vpc.amazonaws.com/efa"] == "32"


def test_a_site_names_its_own_devices_networks_and_adapters() -> None:
    site = (
        "fabrics:\n"
        "  infiniband:\n"
        "    {resource: rdma/hca_shared, devices: 1, networks: [nlp/ib0, ib1], env: {NCCL_IB_HCA: mlx5}}\n"
    )
    manifests = street.compile_files(files(LLM + FREE, lab=LAB.replace("argocd", site + "argocd")))
    job = street.body(manifests, "PyTorchJob", APP, "lab")
    pod = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    requests = container(pod)["resources"]["requests"]
    assert requests["rdma/hca_shared"] == "1"
    assert "rdma/ib" not in requests
    assert pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"] == "nlp/ib0, ib1"
    assert variables(pod)["NCCL_IB_HCA"] == "mlx5"
    (queue,) = (b for b in street.bodies(manifests, ["queues"]) if b["kind"] == "ClusterQueue")
    (group,) = queue["spec"]["resourceGroups"]
    assert {*requests} <= {*group["coveredResources"]}, "what a queue does not cover is never admitted"


def test_huge_pages_are_asked_for_and_counted_where_the_site_says_so() -> None:
    site = "fabrics: {efa: {hugepages: 5Gi, env: {FI_EFA_USE_HUGE_PAGE: null}}}\n"
    specs = files(LLM, aws=AWS.replace("argocd", site + "argocd"))
    manifests = street.compile_files(specs)
    job = street.body(manifests, "PyTorchJob", APP, "aws")
    pod = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    assert container(pod)["resources"]["requests"]["hugepages-2Mi"] == "5Gi"
    assert "FI_EFA_USE_HUGE_PAGE" not in variables(pod)
    (queue,) = (b for b in street.bodies(manifests, ["queues"]) if b["kind"] == "ClusterQueue")
    ((flavor,),) = (group["flavors"] for group in queue["spec"]["resourceGroups"])
    assert {"name": "hugepages-2Mi", "nominalQuota": "40Gi"} in flavor["resources"]


def test_networks_of_gke_take_the_places_of_the_samples() -> None:
    names = [f"gpu-{number}" for number in range(8)]
    site = f"fabrics: {{tcpxo: {{networks: [{', '.join(names)}]}}}}\n"
    pod = worker(LLM + FREE, "mega", mega=MEGA.replace("argocd", site + "argocd"))
    interfaces = json.loads(pod["metadata"]["annotations"][INTERFACES])
    assert [item["network"] for item in interfaces] == ["default", *names]
    assert [item["interfaceName"] for item in interfaces] == [f"eth{number}" for number in range(9)]


@pytest.mark.parametrize(
    ("more", "name", "finding"),
    [
        (
            "env: {NCCL_NET: Socket}\n",
            "aws",
            "12:7 reserved-env: NCCL_NET replaces what the job's fabric sets",
        ),
        ("fabric: {devices: 33}\n", "aws", "12:19 too-large-for-node: 33 vpc.amazonaws.com/efa"),
        (FREE + "fabric: {devices: 4}\n", "mega", "13:19 conflicting-choice: no device plugin hands out"),
        (FREE + "fabric: {networks: [a, b]}\n", "mega", "13:10 bad-value: pods join 8 networks"),
        ("fabric: {name: none, devices: 4}\n", "aws", "12:31 fabric-unused: devices means nothing here"),
        (FREE + "cpu: 206\n", "mega", "13:6 too-large-for-node: 206 CPUs leave none"),
        (
            FREE + f"annotations: {{{INTERFACES}: '[]'}}\n",
            "mega",
            f"13:15 conflicting-choice: GPUDirect-TCPXO of GKE A3 Mega sets {INTERFACES}",
        ),
    ],
)
def test_words_that_do_not_fit_are_findings(more: str, name: str, finding: str) -> None:
    (found,) = said(LLM + more, name)
    assert found.startswith(f"{PLACE}:{finding}")


@pytest.mark.parametrize(
    ("site", "finding"),
    [
        ("fabrics: {infiniban: {}}\n", '10:11 unknown-fabric: fabric "infiniban" is not in the catalogue'),
        ("fabrics: {efa: {}}\n", '10:11 unknown-fabric: no machine of cluster "lab" has fabric "efa"'),
    ],
)
def test_a_site_speaks_of_fabrics_that_it_has(site: str, finding: str) -> None:
    found = said(LLM + FREE, "lab", lab=LAB.replace("argocd", site + "argocd"))
    assert found == [f"specs/clusters/lab.yaml:{finding}"]


def test_machines_without_a_fabric_in_common_are_not_mixed() -> None:
    pools = "  h100: {machine: gcp/a3-megagpu-8g, nodes: 8}\n  high: {machine: gcp/a3-highgpu-8g, nodes: 8}\n"
    both = MEGA.replace("  h100: {machine: gcp/a3-megagpu-8g, nodes: 8}\n", pools)
    specs = files(LLM + FREE, mega=both)
    specs["specs/teams/nlp.yaml"] = specs["specs/teams/nlp.yaml"].replace("h100: 8", "h100: 8, high: 8")
    (found,) = street.resolve(specs).said
    assert "fabric-unused" in found
    specs[PLACE] += "pool: h100\n"
    assert street.resolve(specs).said == []


def test_one_spec_on_five_clusters_passes_every_judge(tmp_path: Path) -> None:
    project = write_project(tmp_path, files(LLM + FREE, "aws", "mega", "high", "ultra", "lab"))
    assert project.run("render").code == 0
    done = project.run("check")
    assert "error[" not in done.out + done.err
    assert done.code == 0
