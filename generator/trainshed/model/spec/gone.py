"""Kinds that their operators once served, and no longer do."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from trainshed.model.codes import Code
from trainshed.model.spec.scalars import refuse

GONE_KINDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "mxjob": (
            "MXJob",
            "the training operator dropped it with release 1.9",
            "port the code to framework: pytorch",
        )
    }
)
"""Kind, why it is gone, and what to do; by the backend's name.

Source: the CRDs of github.com/kubeflow/training-operator, which has kubeflow.org_mxjobs.yaml up to v1.8.
"""


def refuse_gone_kind(value: Any) -> Any:
    """The value as it is, unless it names a kind that is gone. Raises backend-gone."""
    gone = GONE_KINDS.get(value.casefold()) if isinstance(value, str) else None
    if gone is not None:
        kind, why, advice = gone
        raise refuse(Code.BACKEND_GONE, f"{kind} is gone: {why}", advice)
    return value
