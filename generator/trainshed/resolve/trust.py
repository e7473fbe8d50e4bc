"""Whom a job's pods trust, and what they may ask of the kernel."""

from trainshed.model.codes import Code
from trainshed.model.storage import CaBundle
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import check_config_map

DEFAULT_KEY = "ca.crt"
DEFAULT_PROFILE, NO_PROFILE = "runtime-default", "unconfined"


def resolve_ca_bundle(draft: Draft) -> CaBundle | None:
    """The certificates to trust, a key of a ConfigMap that the team declares."""
    written = draft.body.ca_bundle
    if written is None:
        return None
    if written.config_map is None:
        draft.refuse(
            Code.MISSING_FIELD,
            ("caBundle",),
            "the CA bundle does not say which ConfigMap",
            "write caBundle: {configMap: corporate-ca, key: ca.crt}",
        )
        return None
    check_config_map(draft, written.config_map, ("caBundle", "configMap"))
    key = written.key or DEFAULT_KEY
    if "/" in key or key.startswith(".."):
        draft.refuse(
            Code.BAD_NAME,
            ("caBundle", "key"),
            f'"{key}" is not the key of a ConfigMap',
            "use letters, digits, '-', '_' and '.'",
        )
    return CaBundle(written.config_map, key)


def resolve_seccomp(draft: Draft, approved: bool) -> str:
    """The seccomp profile: `runtime-default`, `unconfined`, or a file below the kubelet's own folder of profiles."""
    profile = (draft.body.security and draft.body.security.seccomp) or DEFAULT_PROFILE
    at = ("security", "seccomp")
    if profile == NO_PROFILE and not approved:
        draft.refuse(
            Code.PRIVILEGED_UNAPPROVED,
            at,
            "a job without a seccomp profile is not restricted",
            "write security: {level: privileged, why: …}, which cluster and team must approve",
        )
    elif profile.startswith("/") or ".." in profile.split("/") or not profile.strip():
        draft.refuse(
            Code.BAD_PATH,
            at,
            f'"{profile}" is not a profile below the kubelet\'s folder',
            'write a path such as profiles/train.json, without a leading "/" and without ".."',
        )
    return profile
