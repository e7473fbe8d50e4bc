"""Who a job is, and what it may do."""

from typing import Annotated, Literal

from pydantic import Field, Strict

from trainshed.model.spec.scalars import Name
from trainshed.model.spec.written import Written


class RunAs(Written):
    """The user that the container runs as."""

    user: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    """Numeric user; 65532, or 1000 for Ray and MPI, as their images have it, unless said otherwise. Never 0."""
    group: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    """Numeric group; 65532, or 100 for Ray and 1000 for MPI, unless said otherwise."""
    fs_group: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    """The group that owns mounted volumes; the numeric group unless said otherwise."""
    supplemental_groups: (
        Annotated[tuple[Annotated[int, Field(ge=1, le=2**31 - 1)], ...], Strict(False)] | None
    ) = None
    """Further groups, as shared file systems may demand."""


class Security(Written):
    """What the container may do. Restricted, unless the cluster and the team approve of more."""

    run_as: RunAs | None = None
    """User and groups."""
    read_only_root: bool | None = None
    """true: the image's own file system cannot be written to."""
    seccomp: str | None = None
    """System calls: runtime-default (unless said otherwise), a profile below the kubelet's own folder, unconfined."""
    level: Literal["restricted", "privileged"] | None = None
    """privileged: the team's approved second namespace, where fabrics and host paths may have what they need."""
    privileged: bool | None = None
    """true: a container with all rights of its node; only at level privileged."""
    why: str | None = None
    """The reason for privileges, for the reviewer and the auditor."""


class CaBundle(Written):
    """Certificates of authorities: a file with all that are to be trusted, the public ones included."""

    config_map: Name | None = None
    """A ConfigMap that the team declares."""
    key: str | None = None
    """Its key; ca.crt unless said otherwise."""
