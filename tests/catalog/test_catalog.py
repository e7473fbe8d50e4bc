"""Single rows of the catalogue, as the stages read them."""

import pytest

from trainshed import catalog
from trainshed.model.catalog import (
    Accelerator,
    AccessMode,
    BindingMode,
    BucketForm,
    Capacity,
    HostPath,
    IdentityForm,
    Install,
    InstallForm,
    MachineFabric,
    MountFor,
    NodeResources,
    PodSecurity,
    ServedKind,
    Sidecar,
    Taint,
)

GIB = 1024**3
MIB = 1024**2


def test_a_p5_has_eight_h100_and_32_efa_devices() -> None:
    machine = catalog.machines()["aws/p5.48xlarge"]
    assert machine.provider == "eks"
    assert machine.capacity == NodeResources(192_000, 2048 * GIB)
    assert machine.allocatable == NodeResources(191_450, 1_938_410 * MIB)
    assert machine.accelerator == Accelerator(
        "h100",
        8,
        "nvidia.com/gpu",
        80 * GIB,
        {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1, "7g.80gb": 1},
    )
    assert machine.fabric == MachineFabric("efa", 32, {})
    assert machine.arch == "amd64"
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


def test_an_arm_machine_says_so_beside_its_labels() -> None:
    machine = catalog.machines()["aws/c7g.8xlarge"]
    assert machine.arch == "arm64"
    assert "kubernetes.io/arch" not in machine.labels


def test_the_two_machines_of_gib_bring_their_own_tuning_table() -> None:
    tables = {
        name: machine.fabric.env["NCCL_TUNER_CONFIG_PATH"].rpartition("/")[2]
        for name, machine in catalog.machines().items()
        if machine.fabric and machine.fabric.name == "gib"
    }
    assert tables == {
        "gcp/a3-ultragpu-8g": "tuner_config_a3u.txtpb",
        "gcp/a4-highgpu-8g": "tuner_config_a4.txtpb",
    }


def test_a_gpu_without_mig_has_no_slices() -> None:
    whole = {
        machine.accelerator.type
        for machine in catalog.machines().values()
        if machine.accelerator and not machine.accelerator.mig
    }
    assert whole == {"a10g", "l4", "l40s", "t4"}


def test_all_thirty_machines_are_there() -> None:
    assert sorted(catalog.machines()) == [
        "aws/c7g.8xlarge",
        "aws/g5.12xlarge",
        "aws/g5.xlarge",
        "aws/g6.12xlarge",
        "aws/m7i.2xlarge",
        "aws/m7i.8xlarge",
        "aws/p4d.24xlarge",
        "aws/p5.48xlarge",
        "aws/p5en.48xlarge",
        "azure/D32s_v5",
        "azure/NC16as_T4_v3",
        "azure/NC24ads_A100_v4",
        "azure/ND96amsr_A100_v4",
        "azure/ND96asr_v4",
        "azure/ND96isr_H100_v5",
        "gcp/a2-highgpu-4g",
        "gcp/a2-highgpu-8g",
        "gcp/a3-highgpu-8g",
        "gcp/a3-megagpu-8g",
        "gcp/a3-ultragpu-8g",
        "gcp/a4-highgpu-8g",
        "gcp/g2-standard-48",
        "gcp/n2-standard-32",
        "laptop/kind-4",
        "onprem/cpu-64",
        "onprem/dgx-a100",
        "onprem/dgx-h100",
        "onprem/hgx-a100",
        "onprem/hgx-h100",
        "onprem/l40s",
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


def test_a_capacity_block_on_eks_ends_with_a_notice() -> None:
    assert catalog.providers()["eks"].capacities["reserved"] == Capacity(
        labels={"eks.amazonaws.com/capacityType": "CAPACITY_BLOCK"},
        taints=(),
        variants={"karpenter": {"karpenter.sh/capacity-type": "reserved"}},
        notice_seconds=600,
    )


@pytest.mark.parametrize("name", ["gke", "aks"])
def test_reserved_nodes_of_gke_and_aks_have_no_label_of_their_own(name: str) -> None:
    reserved = catalog.providers()[name].capacities["reserved"]
    assert reserved == Capacity(labels={}, taints=(), variants={}, notice_seconds=None)


def test_pod_identity_on_eks_writes_nothing_into_the_cluster() -> None:
    forms = {form.key: form for form in catalog.providers()["eks"].identities}
    assert forms == {
        "roleArn": IdentityForm(key="roleArn", annotation="eks.amazonaws.com/role-arn", pod_labels={}),
        "podIdentity": IdentityForm(key="podIdentity", annotation="", pod_labels={}),
    }


def test_only_openshift_has_a_constraint_for_privileged_pods() -> None:
    assert {name: provider.scc for name, provider in catalog.providers().items() if provider.scc} == {
        "openshift": "privileged"
    }


def test_only_openshift_chooses_the_user_id_itself() -> None:
    assert [name for name, provider in catalog.providers().items() if not provider.fixed_uid] == ["openshift"]


def test_identity_on_aks_wants_a_label_on_every_pod() -> None:
    assert catalog.providers()["aks"].identities == (
        IdentityForm(
            key="clientId",
            annotation="azure.workload.identity/client-id",
            pod_labels={"azure.workload.identity/use": "true"},
        ),
        IdentityForm(key="tenantId", annotation="azure.workload.identity/tenant-id", pod_labels={}),
    )


def test_infiniband_needs_a_capability_that_only_privileged_admits() -> None:
    fabric = catalog.fabrics()["infiniband"]
    assert (fabric.resource, fabric.capabilities) == ("rdma/ib", ("IPC_LOCK",))
    assert fabric.pod_security is PodSecurity.PRIVILEGED


def test_efa_is_fit_for_restricted() -> None:
    fabric = catalog.fabrics()["efa"]
    assert (fabric.resource, fabric.pod_security) == ("vpc.amazonaws.com/efa", PodSecurity.RESTRICTED)


def test_every_fabric_but_ethernet_is_guarded_by_the_name_nccl_knows_it_by() -> None:
    assert {name: fabric.guard for name, fabric in catalog.fabrics().items()} == {
        "efa": "AWS Libfabric",
        "infiniband": "IB",
        "roce": "IB",
        "ethernet": "",
        "tcpx": "GPUDirectTCPX_v7",
        "tcpxo": "FasTrak",
        "gib": "gIB",
    }


def test_tcpx_runs_a_daemon_beside_the_training_container() -> None:
    fabric = catalog.fabrics()["tcpx"]
    assert fabric.carried is True
    assert fabric.host_paths["tcpx-socket"] == HostPath("/run/tcpx", "/run/tcpx", read_only=False)
    assert fabric.host_paths["sys"] == HostPath("/sys", "", read_only=False)
    assert fabric.sidecar == Sidecar(
        name="tcpx-daemon",
        image="us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.15",
        command=("/tcpgpudmarxd/build/app/tcpgpudmarxd",),
        args=(
            "--gpu_nic_preset",
            "a3vm",
            "--gpu_shmem_type",
            "fd",
            "--uds_path",
            "/run/tcpx",
            "--setup_param",
            '"--verbose 128 2 0 "',
        ),
        capabilities=("NET_ADMIN",),
        env={"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64"},
        mounts={
            "nvidia-libraries": "/usr/local/nvidia/lib64",
            "tcpx-socket": "/run/tcpx",
            "sys": "/hostsysfs",
            "proc-sys": "/hostprocsysfs",
        },
    )


def test_gib_needs_no_daemon_and_no_capability() -> None:
    fabric = catalog.fabrics()["gib"]
    assert (fabric.carried, fabric.sidecar, fabric.capabilities) == (True, None, ())
    assert fabric.pod_security is PodSecurity.PRIVILEGED


def test_fsx_comes_in_steps_and_takes_no_snapshots() -> None:
    driver = catalog.storage_drivers()["fsx.csi.aws.com"]
    assert (driver.min_bytes, driver.step_bytes) == (1200 * GIB, 2400 * GIB)
    assert AccessMode.READ_WRITE_MANY in driver.access_modes
    assert driver.snapshots is False


def test_a_bucket_of_s3_is_mounted_by_name_prefix_and_endpoint() -> None:
    driver = catalog.storage_drivers()["s3.csi.aws.com"]
    assert driver.static_only is True
    assert driver.bucket == BucketForm(
        scheme="s3",
        volume_handle="{volume}",
        attributes={"bucketName": "{bucket}"},
        identity_attributes={"authenticationSource": "pod"},
        inline_attributes={},
        mount_options={
            MountFor.ALWAYS: (),
            MountFor.WRITE: ("allow-delete", "allow-overwrite"),
            MountFor.USER: ("uid={user}", "gid={group}", "allow-other"),
            MountFor.PREFIX: ("prefix {prefix}/",),
            MountFor.CACHE: (),
            MountFor.REGION: ("region {region}",),
            MountFor.ENDPOINT: ("endpoint-url {endpoint}", "force-path-style"),
        },
        pod_annotations={},
        cache_attributes={"cache": "emptyDir", "cacheEmptyDirSizeLimit": "{cache}"},
        cache_annotations={},
    )


def test_a_bucket_of_google_wants_an_annotation_on_its_pods() -> None:
    bucket = catalog.storage_drivers()["gcsfuse.csi.storage.gke.io"].bucket
    assert bucket is not None
    assert bucket.pod_annotations == {"gke-gcsfuse/volumes": "true"}
    assert bucket.mount_options[MountFor.PREFIX] == ("only-dir={prefix}",)


def test_one_driver_serves_each_scheme_of_buckets() -> None:
    schemes = {
        driver.bucket.scheme: name
        for name, driver in catalog.storage_drivers().items()
        if driver.bucket is not None
    }
    assert schemes == {
        "s3": "s3.csi.aws.com",
        "gs": "gcsfuse.csi.storage.gke.io",
        "az": "blob.csi.azure.com",
    }


def test_no_snapshots_where_the_driver_cannot_make_them() -> None:
    cannot = {name for name, driver in catalog.storage_drivers().items() if not driver.snapshots}
    assert {
        "efs.csi.aws.com",
        "fsx.csi.aws.com",
        "s3.csi.aws.com",
        "gcsfuse.csi.storage.gke.io",
        "blob.csi.azure.com",
    } <= cannot
    assert not cannot & {"disk.csi.azure.com", "cephfs.csi.ceph.com", "spectrumscale.csi.ibm.com"}


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
