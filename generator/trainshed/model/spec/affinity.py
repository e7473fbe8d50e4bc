"""Raw wishes about nodes, as Kubernetes spells them; they come on top of what pools already say."""

from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from trainshed.model.spec.written import Written

_Maps = Annotated[tuple[dict[str, Any], ...], Strict(False)]


class Toleration(Written):
    """A taint that the pods tolerate beyond those of their pools."""

    key: str | None = None
    """The taint's key; every taint if there is none and the operator is Exists."""
    operator: Literal["Equal", "Exists"] | None = None
    """Equal unless said otherwise."""
    value: str | None = None
    """The taint's value."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """The taint's effect; all effects unless said otherwise."""
    toleration_seconds: Annotated[int, Field(ge=0)] | None = None
    """How long NoExecute is tolerated; for ever unless said otherwise."""


class NodeTerm(Written):
    """Requirements of which all must hold."""

    match_expressions: _Maps | None = None
    """Requirements on labels: {key: zone, operator: In, values: [a]}."""
    match_fields: _Maps | None = None
    """Requirements on fields of the node."""


class NodeTerms(Written):
    """Terms of which one must hold."""

    node_selector_terms: Annotated[tuple[NodeTerm, ...], Strict(False), Field(min_length=1)]
    """The terms."""


class NodeAffinity(Written):
    """Which nodes the pods may go to, and which they would rather go to."""

    required_during_scheduling_ignored_during_execution: NodeTerms | None = None
    """What nodes must be, beside what the pools say."""
    preferred_during_scheduling_ignored_during_execution: _Maps | None = None
    """What nodes had better be: [{weight: 1, preference: {…}}]."""


class PodAffinity(Written):
    """Which pods these pods must stand beside, or had better stand beside; or apart from."""

    required_during_scheduling_ignored_during_execution: _Maps | None = None
    """What must be: [{topologyKey: kubernetes.io/hostname, labelSelector: {…}}]."""
    preferred_during_scheduling_ignored_during_execution: _Maps | None = None
    """What had better be: [{weight: 1, podAffinityTerm: {…}}]."""


class Affinity(Written):
    """Affinity as in a pod's spec; what nodes must be is joined with what the pools say."""

    node_affinity: NodeAffinity | None = None
    """To nodes."""
    pod_affinity: PodAffinity | None = None
    """To other pods."""
    pod_anti_affinity: PodAffinity | None = None
    """Away from other pods."""
