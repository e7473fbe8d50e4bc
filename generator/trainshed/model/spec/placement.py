"""Where pods may go, as Kubernetes spells it: affinity and tolerations."""

from typing import Any, Literal

from trainshed.model.spec.written import Written


class Affinity(Written):
    """Affinity of the pods, in the API's own words."""

    node_affinity: dict[str, Any] | None = None
    """To nodes."""
    pod_affinity: dict[str, Any] | None = None
    """To other pods."""
    pod_anti_affinity: dict[str, Any] | None = None
    """Away from other pods."""


class Toleration(Written):
    """A taint that the pods tolerate."""

    key: str | None = None
    """The taint's key; any where operator is Exists."""
    operator: Literal["Equal", "Exists"] | None = None
    """Equal unless said otherwise."""
    value: str | None = None
    """The taint's value."""
    effect: Literal["NoSchedule", "NoExecute", "PreferNoSchedule"] | None = None
    """The taint's effect; all of them unless said otherwise."""
    toleration_seconds: int | None = None
    """How long pods stay once the taint is there."""
