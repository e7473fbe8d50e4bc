"""Rendered objects in, findings out: judged by the schemas of each cluster's own releases, and by our policies.

May use the engine, and reads `schemas/`.
"""

from pathlib import Path

from trainshed.engine.client import Caller
from trainshed.model.diagnostic import Findings, sort_findings
from trainshed.model.files import Rendered
from trainshed.model.inputs import Inputs
from trainshed.model.plan import Plan
from trainshed.validate.policy import POLICIES
from trainshed.validate.schemas import check_schemas

__all__ = ["validate_rendered"]


def validate_rendered(rendered: Rendered, plan: Plan, inputs: Inputs, root: Path, engine: Caller) -> Findings:
    """Everything that is wrong with what was rendered, each at the line of the spec that caused it."""
    findings = [*check_schemas(rendered, plan, root, engine)]
    for policy in POLICIES:
        findings.extend(policy(rendered, inputs))
    return sort_findings(findings)
