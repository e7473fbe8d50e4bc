"""Who a job's pods are, and what they may do: restricted, unless cluster, team and job say otherwise."""

from trainshed.model.codes import Code
from trainshed.model.contract import SERVICE_ACCOUNT
from trainshed.model.plan import PodGroup, RunAs
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft

NOBODY = 65532
"""The user of images that have none of their own: "nonroot" in distroless images."""

ROOT = 0

RAY_USER = (1000, 100)
"""User and group of Ray's own images: Python lies in that user's home (ray-project/ray, docker/base-deps)."""


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


def resolve_user(draft: Draft, groups: tuple[PodGroup, ...]) -> RunAs:
    """The user; none where the platform assigns one from a range of its own.

    Capabilities of a program that is not root are gone once it has started, so a fabric that needs some needs root;
    such a job is in the approved second namespace.
    """
    written = draft.body.security.run_as if draft.body.security else None
    free = not draft.cluster.provider.fixed_uid
    needs_root = any(group.fabric and group.fabric.capabilities for group in groups)
    user, group = (
        (ROOT, ROOT)
        if needs_root
        else (None, None)
        if free
        else RAY_USER
        if draft.body.framework == "ray"
        else (NOBODY, NOBODY)
    )
    return RunAs(
        user=(written.user if written else None) or user,
        group=(written.group if written else None) or group,
        fs_group=(written.fs_group if written else None) or group or None,
        supplemental_groups=(written and written.supplemental_groups) or (),
    )
