"""`kind: Cluster`: one Kubernetes API server and all that jobs can count on there."""

from typing import Annotated, Literal

from pydantic import Field, Strict

from trainshed.model.spec.job import Capacity, JobBody
from trainshed.model.spec.policy import Policies
from trainshed.model.spec.scalars import Count, Image, KubernetesMinor, LabelValue, Name, Names, Texts
from trainshed.model.spec.written import Lift, Written

ProviderName = Literal["kind", "eks", "gke", "aks", "openshift", "onprem"]
OperatorName = Literal["training-operator", "kuberay", "kueue", "jobset", "mpi-operator"]


class Operator(Written):
    """An operator that is installed on the cluster, pinned to a release."""

    release: str | None = None
    """The upstream release, such as v1.9.4."""
    kinds: Texts | None = None
    """The kinds that it serves; all that nothing else serves unless said otherwise."""


class KueueSettings(Written):
    """How Kueue is set up."""

    elastic_jobs: bool | None = None
    """true: jobs may grow and shrink while they run (workload slices), as Ray autoscaling needs."""


class Taint(Written):
    """A taint of the pool's nodes."""

    key: str
    """Its key."""
    value: str | None = None
    """Its value."""
    effect: Literal["NoSchedule", "NoExecute", "PreferNoSchedule"]
    """What it does."""


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


class Storage(Written):
    """A kind of storage that claims can ask for."""

    storage_class: str | None = Field(None, alias="class")
    """The StorageClass; always named, for defaults differ between clusters."""
    driver: str | None = None
    """Its CSI driver: what it can do follows from the catalogue."""


class ImagePolicy(Written):
    """What images jobs may run."""

    digest: Literal["required", "optional"] | None = None
    """required: every image is pinned by digest."""
    git: Image | None = None
    """The image with git 2.49 or newer that clones code."""


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


class ArgoCD(Written):
    """Where Argo CD finds what is rendered, and where it syncs it to."""

    repo_url: str | None = Field(None, alias="repoURL")
    """This repository, as Argo CD reaches it."""
    revision: str | None = None
    """The branch that it follows; main unless said otherwise."""
    namespace: Name | None = None
    """The namespace that Argo CD itself runs in; argocd unless said otherwise."""
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
    """What is installed: training-operator, kuberay, kueue, jobset."""
    gang: Literal["kueue", "none"] | None = None
    """What starts all pods of a job together; Kueue where it is installed."""
    kueue: KueueSettings | None = None
    """How Kueue is set up."""
    cohort: Name | None = None
    """The cohort in which teams borrow from one another."""
    priorities: dict[Name, Annotated[int, Field(ge=-1_000_000_000, le=1_000_000_000)] | None] | None = None
    """Priorities by name; low, normal and high unless said otherwise."""
    pools: dict[Name, Pool | None] | None = None
    """Its machines."""
    storage: dict[Name, Annotated[Storage, Lift(("class",), ("string",))] | None] | None = None
    """Its storage, by the names that teams use."""
    images: ImagePolicy | None = None
    """What images jobs may run."""
    security: SecurityPolicy | None = None
    """What teams may do."""
    policies: Policies | None = None
    """How much each rule matters: {deadline-missing: error}; teams may say otherwise."""
    argocd: ArgoCD | None = None
    """How Argo CD reaches it."""
    defaults: JobBody | None = None
    """What every job on this cluster starts from."""
