"""Single rows of the catalogue, as the stages read them."""

from trainshed import catalog
from trainshed.model.catalog import (
    Accelerator,
    AccessMode,
    BindingMode,
    Capacity,
    IdentityForm,
    Install,
    InstallForm,
    MachineFabric,
    NodeResources,
    PodSecurity,
    ServedKind,
    Taint,
)

GIB = 1024**3
MIB = 1024**2


def test_a_p5_has_eight_h100_and_32_efa_devices() -> None:
    machine = catalog.machines()["aws/p5.48xlarge"]
    assert machine.provider == "eks"
    assert machine.capacity == NodeResources(192_000, 2048 * GIB)
    assert machine.allocatable == NodeResources(191_450, 1_938_410 * MIB)
    assert machine.accelerator == Accelerator("h100", 8, "nvidia.com/gpu", 80 * GIB)
    assert machine.fabric == MachineFabric("efa", 32)
    assert machine.labels == {"node.kubernetes.io/instance-type": "p5.48xlarge"}
    assert machine.taints == ()


def test_a_gke_gpu_machine_is_tainted_and_labelled_by_its_accelerator() -> None:
    machine = catalog.machines()["gcp/a3-megagpu-8g"]
    assert machine.taints == (Taint("nvidia.com/gpu", "present", "NoSchedule"),)
    assert machine.labels == {
        "node.kubernetes.io/instance-type": "a3-megagpu-8g",
        "cloud.google.com/gke-accelerator": "nvidia-h100-mega-80gb",
    }


def test_a_plain_machine_has_no_gpus_and_no_fabric() -> None:
    machine = catalog.machines()["aws/m7i.8xlarge"]
    assert (machine.accelerator, machine.fabric) == (None, None)


def test_all_twenty_machines_are_there() -> None:
    assert sorted(catalog.machines()) == [
        "aws/g5.12xlarge",
        "aws/g5.xlarge",
        "aws/g6.12xlarge",
        "aws/m7i.2xlarge",
        "aws/m7i.8xlarge",
        "aws/p4d.24xlarge",
        "aws/p5.48xlarge",
        "azure/D32s_v5",
        "azure/ND96asr_v4",
        "azure/ND96isr_H100_v5",
        "gcp/a2-highgpu-4g",
        "gcp/a2-highgpu-8g",
        "gcp/a3-highgpu-8g",
        "gcp/a3-megagpu-8g",
        "gcp/g2-standard-48",
        "gcp/n2-standard-32",
        "laptop/kind-4",
        "onprem/cpu-64",
        "onprem/dgx-a100",
        "onprem/dgx-h100",
    ]


def test_what_daemons_take_never_leaves_less_than_nothing() -> None:
    assert NodeResources(500, 10).less(NodeResources(800, 4)) == NodeResources(0, 6)


def test_spot_on_eks_is_told_apart_by_the_label_of_either_provisioner() -> None:
    assert catalog.providers()["eks"].capacities["spot"] == Capacity(
        labels={"eks.amazonaws.com/capacityType": "SPOT"},
        taints=(),
        variants={"karpenter": {"karpenter.sh/capacity-type": "spot"}},
        notice_seconds=120,
    )


def test_spot_on_aks_is_tainted() -> None:
    spot = catalog.providers()["aks"].capacities["spot"]
    assert spot.taints == (Taint("kubernetes.azure.com/scalesetpriority", "spot", "NoSchedule"),)


def test_training_pods_on_gke_have_half_of_the_thirty_seconds() -> None:
    assert catalog.providers()["gke"].capacities["spot"].notice_seconds == 15


def test_only_openshift_chooses_the_user_id_itself() -> None:
    assert [name for name, provider in catalog.providers().items() if not provider.fixed_uid] == ["openshift"]


def test_identity_on_aks_wants_a_label_on_every_pod() -> None:
    assert catalog.providers()["aks"].identities == (
        IdentityForm(
            key="clientId",
            annotation="azure.workload.identity/client-id",
            pod_labels={"azure.workload.identity/use": "true"},
        ),
    )


def test_infiniband_needs_a_capability_that_only_privileged_admits() -> None:
    fabric = catalog.fabrics()["infiniband"]
    assert (fabric.resource, fabric.capabilities) == ("rdma/ib", ("IPC_LOCK",))
    assert fabric.pod_security is PodSecurity.PRIVILEGED


def test_efa_is_fit_for_restricted() -> None:
    fabric = catalog.fabrics()["efa"]
    assert (fabric.resource, fabric.pod_security) == ("vpc.amazonaws.com/efa", PodSecurity.RESTRICTED)


def test_fabrics_of_gke_are_known_and_not_carried() -> None:
    assert [name for name, fabric in catalog.fabrics().items() if not fabric.carried] == [
        "tcpx",
        "tcpxo",
        "gib",
    ]


def test_fsx_comes_in_steps_and_takes_no_snapshots() -> None:
    driver = catalog.storage_drivers()["fsx.csi.aws.com"]
    assert (driver.min_bytes, driver.step_bytes) == (1200 * GIB, 2400 * GIB)
    assert AccessMode.READ_WRITE_MANY in driver.access_modes
    assert driver.snapshots is False


def test_a_block_device_waits_for_the_node_that_mounts_it() -> None:
    driver = catalog.storage_drivers()["ebs.csi.aws.com"]
    assert driver.access_modes == (AccessMode.READ_WRITE_ONCE,)
    assert driver.binding is BindingMode.FIRST_CONSUMER


def test_jaxjob_came_with_training_operator_1_9() -> None:
    releases = catalog.operators()["training-operator"].releases
    assert releases["v1.8.1"].serves("JAXJob") is None
    assert releases["v1.9.4"].serves("JAXJob") == ServedKind(
        "JAXJob", "kubeflow.org/v1", "kubeflow.org/jaxjob"
    )


def test_kueue_integrates_the_mpijob_of_the_mpi_operator_alone() -> None:
    operators = catalog.operators()
    assert operators["training-operator"].newest.serves("MPIJob") == ServedKind("MPIJob", "kubeflow.org/v1")
    assert operators["mpi-operator"].newest.serves("MPIJob") == ServedKind(
        "MPIJob", "kubeflow.org/v2beta1", "kubeflow.org/mpijob"
    )


def test_an_older_kueue_is_written_and_configured_in_v1beta1() -> None:
    old, new = catalog.operators()["kueue"].releases.values()
    assert (old.version, new.version) == ("v0.14.0", "v0.19.2")
    assert old.serves("ClusterQueue") == ServedKind("ClusterQueue", "kueue.x-k8s.io/v1beta1")
    assert new.serves("ClusterQueue") == ServedKind("ClusterQueue", "kueue.x-k8s.io/v1beta2")
    assert old.settings["config-api-version"] == "config.kueue.x-k8s.io/v1beta1"
    assert new.settings["config-api-version"] == "config.kueue.x-k8s.io/v1beta2"
    assert {"elastic-rayjob", "cohort-name"} <= new.features - old.features


def test_kueue_is_installed_from_its_chart_at_the_tag() -> None:
    assert catalog.operators()["kueue"].newest.install == Install(
        repo_url="https://github.com/kubernetes-sigs/kueue",
        revision="v0.19.2",
        path="charts/kueue",
        form=InstallForm.HELM,
    )


def test_a_table_is_read_once_and_cannot_be_changed() -> None:
    assert catalog.machines() is catalog.machines()
    assert not hasattr(catalog.machines(), "__setitem__")
