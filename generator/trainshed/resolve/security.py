"""Who a job's pods are, and what they may do: restricted, unless cluster, team and job say otherwise."""

from collections.abc import Mapping
from types import MappingProxyType

from trainshed.model.backend import Backend
from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.contract import SERVICE_ACCOUNT
from trainshed.model.pods import PodGroup, RunAs
from trainshed.model.spec import TeamSpec
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft

NOBODY = 65532
"""The user of images that have none of their own: "nonroot" in distroless images."""

ROOT = 0

IMAGE_USERS: Mapping[str, tuple[int, int]] = MappingProxyType({"head": (1000, 100), "launcher": (1000, 1000)})
"""User and group of images made for a kind, by the part that it has beside its nodes. Ray's images keep Python in that
user's home (ray-project/ray, `docker/base-deps`), MPI's the settings of sshd (kubeflow/mpi-operator, `build/base`)."""


def resolve_approval(draft: Draft) -> bool:
    """Whether the job goes to the team's second namespace: it asks, says why, and cluster and team approve."""
    security = draft.body.security
    if security is None or (security.level != "privileged" and not security.privileged):
        return False
    field = ("security", "privileged") if security.privileged else ("security", "level")
    if security.level != "privileged":
        draft.refuse(
            Code.PRIVILEGED_UNAPPROVED,
            field,
            "a privileged container is asked for at level restricted",
            "write security: {level: privileged, privileged: true, why: …}",
        )
    elif not security.why:
        draft.refuse(
            Code.PRIVILEGED_UNAPPROVED,
            field,
            "privileges are asked for without a reason",
            "write why: <the reason>",
        )
    elif not draft.team.privileged_namespace:
        draft.refuse(
            Code.PRIVILEGED_UNAPPROVED,
            field,
            f'team "{draft.team.name}" may not run privileged jobs on {draft.cluster.name}',
            f"both approve: security: {{privileged: [{draft.team.name}]}} in {draft.cluster.source.path}, "
            f"and privileged: {{namespace: …, why: …}} in {draft.team.source.path}",
        )
    return bool(draft.team.privileged_namespace)


def resolve_namespace(draft: Draft, approved: bool) -> str:
    """The team's namespace, another of its own that the job names, or the approved one for privileged jobs."""
    team, written = draft.team, draft.body.namespace
    if written is None:
        return team.privileged_namespace if approved else team.namespace
    if approved and written != team.privileged_namespace:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("namespace",),
            f'a privileged job goes to the namespace that is approved for it, not to "{written}"',
            "leave it out",
        )
    elif not approved and written not in (team.namespace, *team.namespaces):
        known = (team.namespace, *team.namespaces)
        draft.refuse(
            Code.UNKNOWN_VALUE,
            ("namespace",),
            f'team "{team.name}" has no namespace "{written}"',
            did_you_mean(written, known) or f"add it to the namespaces in {team.source.path}",
        )
    return written


def resolve_service_account(draft: Draft) -> str:
    """The team's service account, or another that the team declares."""
    written = draft.body.service_account
    if written is not None and written not in {*draft.team.service_accounts, SERVICE_ACCOUNT}:
        draft.refuse(
            Code.UNKNOWN_SERVICE_ACCOUNT,
            ("serviceAccount",),
            f'team "{draft.team.name}" declares no service account "{written}"',
            did_you_mean(written, [*draft.team.service_accounts, SERVICE_ACCOUNT]),
        )
    return written or SERVICE_ACCOUNT


def team_user(spec: TeamSpec, cluster: Cluster) -> tuple[int | None, int | None]:
    """User and group of a team's pods unless a job says otherwise; none where the platform gives them."""
    defaults = spec.defaults.security if spec.defaults else None
    run_as = defaults.run_as if defaults else None
    given = NOBODY if cluster.provider.fixed_uid else None
    return (run_as.user if run_as else None) or given, (run_as.group if run_as else None) or given


def resolve_user(draft: Draft, backend: Backend, groups: tuple[PodGroup, ...]) -> RunAs:
    """The user; none where the platform assigns one from a range of its own.

    Capabilities of a program that is not root are gone once it has started, so a fabric that needs some needs root;
    libraries that lie on the node are seen with root alone in their vendor's samples. Such a job is in the approved
    second namespace.
    """
    _check_range(draft)
    written = draft.body.security.run_as if draft.body.security else None
    free = not draft.cluster.provider.fixed_uid
    fabrics = [group.fabric for group in groups if group.fabric]
    needs_root = any(fabric.capabilities or fabric.host_paths for fabric in fabrics)
    user, group = (
        (ROOT, ROOT)
        if needs_root
        else (None, None)
        if free
        else IMAGE_USERS.get(backend.carrier.roles.beside, (NOBODY, NOBODY))
    )
    return RunAs(
        user=(written.user if written else None) or user,
        group=(written.group if written else None) or group,
        fs_group=(written.fs_group if written else None) or group or None,
        supplemental_groups=(written and written.supplemental_groups) or (),
    )


def _check_range(draft: Draft) -> None:
    """Findings for ids that the platform would refuse: OpenShift's restricted-v2 takes those of the namespace's range.

    A pod of the approved second namespace may have any; supplemental groups and the primary one are free.
    """
    security = draft.body.security
    if draft.cluster.provider.fixed_uid or security is None or security.level == "privileged":
        return
    for field, name in (("user", "user"), ("fs_group", "fsGroup")):
        if security.run_as is not None and getattr(security.run_as, field) is not None:
            draft.refuse(
                Code.BAD_VALUE,
                ("security", "runAs", name),
                f"{draft.cluster.provider.title} gives each namespace a range of ids, and refuses others",
                f"leave {name} out: {draft.cluster.name} fills it in (level: privileged, where approved, takes any)",
            )
