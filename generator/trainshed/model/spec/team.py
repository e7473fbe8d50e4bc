"""`kind: Team`: namespace, quota, volumes, access and defaults of one team."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.job import JobBody, JobPart
from trainshed.model.spec.policy import Policies
from trainshed.model.spec.scalars import LabelValue, Name, Names, Texts
from trainshed.model.spec.storage import Claim, Volume
from trainshed.model.spec.written import Lift, LiftNames, Written

_AMOUNT = Annotated[int, Field(ge=0, le=1_000_000)]


class Quota(Written):
    """What a team may use of one pool, in whole nodes or in GPUs."""

    nodes: _AMOUNT | None = None
    """Nodes that are the team's own."""
    gpus: _AMOUNT | None = None
    """GPUs that are the team's own; CPU and memory follow from the machine's share."""
    borrow: _AMOUNT | None = None
    """How much more it may borrow from the cohort, in the same unit; no limit unless said otherwise."""
    lend: _AMOUNT | None = None
    """How much of its own it lends to the cohort, in the same unit; all unless said otherwise."""


class Identity(Written):
    """Who the team's pods are for the cloud."""

    role_arn: str | None = None
    """EKS: the IAM role that the service account takes on (IRSA)."""
    gcp_service_account: str | None = None
    """GKE: the Google service account that the Kubernetes one acts as."""
    client_id: str | None = None
    """AKS: the client id of the managed identity."""


class TeamCluster(Written):
    """The team on one cluster."""

    quota: dict[Name, Annotated[Quota, Lift(("nodes",), ("integer",))] | None] | None = None
    """By pool of the cluster. Without any quota the team has no queue there."""
    identity: Identity | None = None
    """The cloud identity of its pods."""
    volumes: dict[Name, Claim | None] | None = None
    """What differs from the team's volumes here."""


class TeamDefaults(JobBody):
    """What every job of the team starts from."""

    clusters: Annotated[dict[Name, JobPart | None] | None, LiftNames()] = None
    """The clusters that jobs run on when they name none."""


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
    secrets: Names | None = None
    """Secrets that exist in the namespace and that jobs may name."""
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
