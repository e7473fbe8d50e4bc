"""`kind: Policy`, a rule of the repository's own; and what clusters, teams and jobs say about rules."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, Strict, WithJsonSchema

from trainshed.model.codes import Code
from trainshed.model.spec.scalars import Name, refuse
from trainshed.model.spec.written import Lift, Written

KindName = Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9]*$")]


def _check_reason(text: str) -> str:
    if not text.strip():
        raise refuse(Code.BAD_VALUE, "the reason is empty", "say why, for whoever reads the report in a year")
    return text


Reason = Annotated[str, AfterValidator(_check_reason), WithJsonSchema({"type": "string", "pattern": r"\S"})]


class PolicyChoice(Written):
    """How much a rule matters."""

    severity: Literal["error", "warning", "note", "off"] | None = None
    """error stops a render; off is silence."""
    above_gpu_hours: Annotated[int, Field(ge=0)] | None = None
    """checkpoint-missing: runs of more GPU hours than this must save checkpoints; 8 unless said otherwise."""
    gpu_hours: Annotated[int, Field(ge=0)] | None = None
    """over-budget: the GPU hours that one run may use at most."""


Policies = dict[Name, Annotated[PolicyChoice, Lift(("severity",), ("string",))] | None]


class Waiver(Written):
    """One rule that the job is excused from."""

    rule: Name
    """The rule's name, as findings print it in brackets; a rule of your own by its own name."""
    because: Reason
    """Why, for the reviewer and the auditor."""


Waivers = Annotated[tuple[Waiver, ...], Strict(False)]


class PolicySpec(Written):
    """A rule of your own: an expression in CEL that every object of some kinds must fulfil."""

    api_version: Literal["trainshed/v1"]
    """The version of this grammar."""
    kind: Literal["Policy"]
    """This is a rule."""
    name: Name
    """The rule's name: waivers, clusters and teams call it by it."""
    severity: Literal["error", "warning", "note"] | None = None
    """error unless said otherwise; clusters and teams may say otherwise."""
    kinds: Annotated[tuple[KindName, ...], Strict(False), Field(min_length=1)]
    """What it looks at, such as PyTorchJob; Pod stands for every pod that will be made."""
    expression: Reason
    """CEL that is true where all is well; it knows object, oldObject, pods, cluster and team."""
    message: Reason
    """What to say where it is false."""
    message_expression: str | None = None
    """CEL that gives a better message."""
