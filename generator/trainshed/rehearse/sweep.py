"""Jobs whose pods work for themselves, and those whose pods are one training."""

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.shapes import Shape
from trainshed.rehearse.tree import find_all


def is_sweep(workload: JsonObject, job: JsonObject, shape: Shape) -> bool:
    """Whether the pods of a Job do not know one another, so that each index is a training of its own.

    Those that are one training find one another by name: by the subdomain of their template, or as part of a JobSet.
    """
    if not shape.same or workload["kind"] == "JobSet":
        return False
    return not any(pod.get("subdomain") for _, pod in find_all(job, "/template/spec"))


def keep_policies_true(job: JsonObject, completions: int) -> None:
    """Leave indexes out of a Job's policies that it no longer has (batch/v1, `successPolicy`, `maxFailedIndexes`)."""
    most = job.get("maxFailedIndexes")
    if isinstance(most, int):
        job["maxFailedIndexes"] = min(most, completions)
    for _, policy in find_all(job, "/successPolicy"):
        rules = policy.get("rules")
        for rule in rules if isinstance(rules, list) else ():
            if isinstance(rule, dict):
                _cut_rule(rule, completions)


def _cut_rule(rule: JsonObject, completions: int) -> None:
    indexes = rule.get("succeededIndexes")
    count = completions
    if isinstance(indexes, str):
        spans = [_span(part) for part in indexes.split(",")]
        kept = [(first, min(last, completions - 1)) for first, last in spans if first < completions]
        rule["succeededIndexes"] = ",".join(
            str(first) if first == last else f"{first}-{last}" for first, last in kept
        )
        count = sum(last - first + 1 for first, last in kept)
    if isinstance(rule.get("succeededCount"), int):
        rule["succeededCount"] = min(rule["succeededCount"], count)


def _span(part: str) -> tuple[int, int]:
    first, _, last = part.strip().partition("-")
    ends = (first, last or first)
    return (int(ends[0]), int(ends[1])) if all(end.isdecimal() for end in ends) else (0, 0)
