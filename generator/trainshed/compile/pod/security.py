"""Security contexts: restricted, plus what an approved fabric or privilege needs."""

from collections.abc import Mapping
from typing import Any

from trainshed.compile.plain import without_empty
from trainshed.model.catalog import Fabric
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

RESTRICTED: Mapping[str, Any] = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
"""What Pod Security restricted demands of every container."""


def security_context(target: Target, fabric: Fabric | None = None) -> JsonObject:
    """A container's security context."""
    if target.privileged:
        return {"privileged": True}
    add = list(fabric.capabilities) if fabric else []
    return without_empty(
        {
            **RESTRICTED,
            "capabilities": without_empty({"drop": ["ALL"], "add": add}),
            "readOnlyRootFilesystem": target.read_only_root or None,
        }
    )


def pod_security(target: Target) -> JsonObject:
    """The pod's security context: who it is, and whose its volumes are."""
    run_as = target.run_as
    return without_empty(
        {
            "runAsNonRoot": run_as.user != 0,
            "runAsUser": run_as.user,
            "runAsGroup": run_as.group,
            "fsGroup": run_as.fs_group,
            "supplementalGroups": list(run_as.supplemental_groups),
            "fsGroupChangePolicy": "OnRootMismatch" if run_as.fs_group else None,
            "seccompProfile": _seccomp(target.seccomp),
        }
    )


def _seccomp(profile: str) -> JsonObject:
    types = {"runtime-default": "RuntimeDefault", "unconfined": "Unconfined"}
    return (
        {"type": types[profile]} if profile in types else {"type": "Localhost", "localhostProfile": profile}
    )
