"""`podFailurePolicy` of a Job: what one failed pod means for the whole."""

from collections.abc import Mapping
from typing import Any

from trainshed.model.rehearsal import PodEnd

COUNT = "Count"
IGNORE = "Ignore"
FAIL_JOB = "FailJob"
FAIL_INDEX = "FailIndex"


def match_failure(policy: Mapping[str, Any] | None, end: PodEnd) -> tuple[str, str]:
    """What the first rule that matches does, and that rule in words; without one, the failure counts.

    Kubernetes 1.36, pkg/controller/job/pod_failure_policy.go: exit code 0 never matches, neither In nor NotIn, and a
    rule without a container's name looks at all of them.
    """
    for number, rule in enumerate((policy or {}).get("rules", ())):
        why = (
            _match_codes(rule["onExitCodes"], end) if "onExitCodes" in rule else _match_conditions(rule, end)
        )
        if why:
            return rule["action"], f"{why}: rule {number} of podFailurePolicy, {rule['action']}"
    return COUNT, ""


def _match_codes(wanted: Mapping[str, Any], end: PodEnd) -> str:
    only = wanted.get("containerName")
    for container, code in end.exit_codes.items():
        if code and only in (None, container) and (code in wanted["values"]) is (wanted["operator"] == "In"):
            return f"{container} of {end.pod.name} left with {code}"
    return ""


def _match_conditions(rule: Mapping[str, Any], end: PodEnd) -> str:
    """The only condition that a rehearsal gives is DisruptionTarget."""
    for wanted in rule.get("onPodConditions", ()):
        if wanted["type"] == "DisruptionTarget" and wanted.get("status", "True") == "True" and end.disrupted:
            return f"{end.pod.name} was disrupted"
    return ""
