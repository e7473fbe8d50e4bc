"""`kind: Team`: namespace, quota, volumes, access and defaults of one team."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.job import JobBody, JobPart
from trainshed.model.spec.policy import Policies
from trainshed.model.spec.queueing import Quota
from trainshed.model.spec.scalars import LabelValue, Name, Names, Texts
from trainshed.model.spec.storage import LocalVolume, Volume
from trainshed.model.spec.written import Lift, LiftNames, Written

_WEIGHT = Annotated[int, Field(ge=1, le=65_535)]


class Identity(Written):
    """Who the team's pods are for the cloud."""

    role_arn: str | None = None
    """EKS: the IAM role that the service account takes on (IRSA)."""
    gcp_service_account: str | None = None
    """GKE: the Google service account that the Kubernetes one acts as."""
    client_id: str | None = None
    """AKS: the client id of the managed identity."""
    tenant_id: str | None = None
    """AKS: the tenant of that identity, where it is not the cluster's own."""
    pod_identity: bool | None = None
    """EKS: true where an EKS Pod Identity association gives the service account its role; made in the EKS API."""


class SecretSource(Written):
    """Where the value of a Secret comes from, for the External Secrets Operator. Never the value."""

    store: Name | None = None
    """The store that has it."""
    store_kind: Literal["ClusterSecretStore", "SecretStore"] | None = None
    """ClusterSecretStore unless said otherwise."""
    key: str | None = None
    """Its name in the store, such as teams/fraud/wandb; every property of it becomes a key of the Secret."""
    clusters: Names | None = None
    """The clusters where that is so; elsewhere somebody makes the Secret by hand. All unless said otherwise."""


class TeamCluster(Written):
    """The team on one cluster."""

    quota: dict[Name, Annotated[Quota, Lift(("nodes",), ("integer",))] | None] | None = None
    """By pool of the cluster. Without any quota the team has no queue there."""
    weight: _WEIGHT | None = None
    """Its share of what is left over, against the weights of other teams; 1 unless said otherwise."""
    identity: Identity | None = None
    """The cloud identity of its pods."""
    volumes: dict[Name, LocalVolume | None] | None = None
    """What differs from the team's volumes here."""


class TeamDefaults(JobBody):
    """What every job of the team starts from."""

    clusters: Annotated[dict[Name, JobPart | None] | None, LiftNames()] = None
    """The clusters that jobs run on when they name none."""
    environments: dict[LabelValue, JobPart | None] | None = None
    """What differs on clusters of an environment."""


class PrivilegedNamespace(Written):
    """The team's second namespace, for jobs that need more than Pod Security restricted allows."""

    namespace: Name
    """Its name."""
    why: str
    """The reason, for the auditor."""


class TeamSpec(Written):
    """A team: namespace, quota on each cluster, volumes, access, defaults."""

    api_version: Literal["trainshed/v1"]
    """The version of this grammar."""
    kind: Literal["Team"]
    """This is a team."""
    name: Name
    """The team's name."""
    namespace: Name | None = None
    """Its namespace on every cluster; team-<name> unless said otherwise."""
    namespaces: Names | None = None
    """Further namespaces of the team, restricted as well; jobs name theirs with namespace."""
    groups: Texts | None = None
    """Groups of the identity provider whose members may look at the team's runs."""
    owner: LabelValue | None = None
    """Who answers for the team."""
    cost_center: LabelValue | None = None
    """Who pays for the team."""
    clusters: Annotated[dict[Name, TeamCluster | None] | None, LiftNames()] = None
    """The clusters that the team is on, and its quota there."""
    volumes: dict[Name, Volume | None] | None = None
    """The team's volumes; read and write by many nodes unless they say otherwise."""
    secrets: Annotated[dict[Name, SecretSource | None] | None, LiftNames()] = None
    """Secrets that jobs may name: a list of those that somebody makes, or {wandb: {store: vault, key: …}}."""
    config_maps: Names | None = None
    """ConfigMaps that exist in the namespace and that jobs may name."""
    service_accounts: Names | None = None
    """Service accounts that exist in the namespace and that jobs may name."""
    claims: Names | None = None
    """Persistent volume claims that exist in the namespace and that jobs may mount."""
    privileged: PrivilegedNamespace | None = None
    """The second namespace for privileged jobs; its clusters must approve as well."""
    policies: Policies | None = None
    """How much each rule matters for the team's jobs: {deadline-missing: error}."""
    defaults: TeamDefaults | None = None
    """What every job of the team starts from."""
