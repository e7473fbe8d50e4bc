"""`kind: Cluster`: one Kubernetes API server and all that jobs can count on there."""

from typing import Annotated, Literal

from pydantic import Field, Strict

from trainshed.model.spec.fabric import SiteFabric
from trainshed.model.spec.job import Capacity, JobBody
from trainshed.model.spec.policy import Policies
from trainshed.model.spec.queueing import KueueSettings, Topology
from trainshed.model.spec.scalars import (
    Count,
    Image,
    KubernetesMinor,
    LabelValue,
    Name,
    Names,
    ResourceName,
    Text,
    Texts,
)
from trainshed.model.spec.site import Monitoring, NodeHealth
from trainshed.model.spec.size import Extra, MigProfile
from trainshed.model.spec.written import Lift, Written

ProviderName = Literal["kind", "eks", "gke", "aks", "openshift", "onprem"]
OperatorName = Literal[
    "training-operator",
    "kuberay",
    "kueue",
    "jobset",
    "mpi-operator",
    "trainer",
    "volcano",
    "scheduler-plugins",
    "gpu-operator",
    "snapscheduler",
    "prometheus-operator",
    "external-secrets",
]


Replicas = Annotated[int, Field(ge=2, le=64)]


class Operator(Written):
    """An operator that is installed on the cluster, pinned to a release."""

    release: str | None = None
    """The upstream release, such as v1.9.4."""
    kinds: Texts | None = None
    """The kinds that it serves; all that nothing else serves unless said otherwise."""


class Taint(Written):
    """A taint of the pool's nodes."""

    key: str
    """Its key."""
    value: str | None = None
    """Its value."""
    effect: Literal["NoSchedule", "NoExecute", "PreferNoSchedule"]
    """What it does."""


class Sharing(Written):
    """How several pods use one GPU at once: they take turns, or run together by NVIDIA's MPS."""

    time_slicing: Replicas | None = None
    """They take turns; this many to a GPU."""
    mps: Replicas | None = None
    """They run together, each with its part of the memory; this many to a GPU."""


class Pool(Written):
    """A group of like machines."""

    machine: str | None = None
    """A machine type of the catalogue, such as aws/p5.48xlarge."""
    nodes: Count | None = None
    """How many there are at most."""
    capacity: Capacity | None = None
    """on-demand unless said otherwise."""
    labels: dict[str, LabelValue | None] | None = None
    """Labels of its nodes, on top of the machine's."""
    taints: Annotated[tuple[Taint, ...], Strict(False)] | None = None
    """Taints of its nodes, in place of the machine's."""
    mig: MigProfile | None = None
    """Its GPUs are cut into slices of this profile: 3g.40gb."""
    sharing: Sharing | None = None
    """Its GPUs are used by several pods at once."""
    resource: ResourceName | None = None
    """The resource that its GPUs are asked for by, where it is not the machine's: amd.com/gpu."""
    resources: Extra | None = None
    """What each node has besides: {example.com/fpga: 2}."""


class Storage(Written):
    """A kind of storage that claims can ask for."""

    storage_class: str | None = Field(None, alias="class")
    """The StorageClass; always named, for defaults differ between clusters."""
    driver: str | None = None
    """Its CSI driver: what it can do follows from the catalogue."""
    region: LabelValue | None = None
    """Of an object store: the region of its buckets; the cluster's own unless said otherwise."""
    endpoint: Annotated[str, Field(pattern=r"^https?://[A-Za-z0-9.:/_-]+$")] | None = None
    """Of an object store that is not the cloud's own: its address, such as https://minio.example.com."""
    reclaim: Literal["retain", "delete"] | None = None
    """What its class does with data whose claim is gone. delete: no job may keep checkpoints there."""
    snapshot_class: str | None = None
    """An existing VolumeSnapshotClass; one that keeps its snapshots is made unless said otherwise."""


class ImagePolicy(Written):
    """What images jobs may run."""

    digest: Literal["required", "optional"] | None = None
    """required: every image is pinned by digest."""
    git: Image | None = None
    """The image with git 2.49 or newer that clones code."""
    init: Image | None = None
    """The image in which the workers of a PyTorchJob wait for their master; the Training Operator's own if not said."""
    mirror: dict[Text, Text | None] | None = None
    """Where images come from instead, by registry: {docker.io: mirror.example.com/hub, "*": mirror.example.com}."""
    fetch: dict[Literal["s3", "gs", "az", "hf", "oci"], Image | None] | None = None
    """Images of the tools that fetch data before a run, by scheme: {hf: registry.example.com/hf:1.0}."""


class SecurityPolicy(Written):
    """What the cluster lets teams do."""

    privileged: Names | None = None
    """Teams that may run privileged jobs in a second namespace."""


class Destination(Written):
    """How Argo CD names the cluster."""

    name: str | None = None
    """By the name it was registered with."""
    server: str | None = None
    """By the address of its API server."""


class Etcd(Written):
    """An etcd that elastic jobs may meet at."""

    endpoint: Annotated[str, Field(pattern=r"^[a-z0-9]([-.a-z0-9]*[a-z0-9])?:[0-9]{1,5}$")]
    """Host and port: etcd.example.com:2379."""
    version: Annotated[str, Field(pattern=r"^[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,3})?$")] | None = None
    """Its release, in quotes: "3.5". From 3.6 on it no longer has the API that torchrun speaks."""


class ArgoCD(Written):
    """Where Argo CD finds what is rendered, and where it syncs it to."""

    repo_url: str | None = Field(None, alias="repoURL")
    """This repository, as Argo CD reaches it."""
    revision: str | None = None
    """The branch that it follows; main unless said otherwise."""
    namespace: Name | None = None
    """The namespace that Argo CD itself runs in; argocd unless said otherwise."""
    mirrors: dict[Text, Text | None] | None = None
    """Where repositories of operators come from instead, by how their addresses begin."""
    destination: Annotated[Destination | None, Lift(("name",), ("string",))] = None
    """The cluster; the one that Argo CD runs on unless said otherwise."""


class ClusterSpec(Written):
    """A cluster: its version, operators, machines, storage, and how Argo CD reaches it."""

    api_version: Literal["trainshed/v1"]
    """The version of this grammar."""
    kind: Literal["Cluster"]
    """This is a cluster."""
    name: Name
    """The cluster's name."""
    kubernetes: KubernetesMinor
    """Its Kubernetes minor version, such as "1.36"."""
    provider: ProviderName
    """Who runs it."""
    region: LabelValue | None = None
    """Where it is."""
    environment: LabelValue | None = None
    """What it is for: dev, staging, prod."""
    operators: dict[OperatorName, Annotated[Operator, Lift(("release",), ("string",))] | None] | None = None
    """What is installed, by release: {kueue: v0.19.2}."""
    gang: Literal["kueue", "volcano", "coscheduling", "none"] | None = None
    """What starts all pods of a job together; Kueue where it is installed, else Volcano, else scheduler-plugins."""
    kueue: KueueSettings | None = None
    """How Kueue is set up."""
    topology: Topology | None = None
    """How far apart its nodes are: blocks, racks, hosts."""
    cohort: Name | None = None
    """The cohort in which teams borrow from one another."""
    priorities: dict[Name, Annotated[int, Field(ge=-1_000_000_000, le=1_000_000_000)] | None] | None = None
    """Priorities by name; low, normal and high unless said otherwise."""
    pools: dict[Name, Pool | None] | None = None
    """Its machines."""
    fabrics: dict[Name, SiteFabric | None] | None = None
    """What this site calls the devices and networks of its fabrics, over the catalogue's words."""
    storage: dict[Name, Annotated[Storage, Lift(("class",), ("string",))] | None] | None = None
    """Its storage, by the names that teams use."""
    images: ImagePolicy | None = None
    """What images jobs may run, and where they come from."""
    air_gap: bool | None = None
    """true: nothing outside can be reached, so that every image and every operator's repository needs a mirror."""
    mesh: Literal["istio", "linkerd"] | None = None
    """The service mesh, which training pods stay out of."""
    node_health: Annotated[tuple[NodeHealth, ...], Strict(False)] | None = None
    """Nodes that pods with GPUs stay away from: [{label: autopilot.ibm.com/gpuhealth, notIn: [ERR, EVICT]}]."""
    monitoring: Monitoring | None = None
    """Prometheus; {} where it picks up everything."""
    security: SecurityPolicy | None = None
    """What teams may do."""
    policies: Policies | None = None
    """How much each rule matters: {deadline-missing: error}; teams may say otherwise."""
    etcd: Etcd | None = None
    """An etcd for the rendezvous of elastic jobs, with its API of version 2 enabled."""
    argocd: ArgoCD | None = None
    """How Argo CD reaches it."""
    defaults: JobBody | None = None
    """What every job on this cluster starts from."""
