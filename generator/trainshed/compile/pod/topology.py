"""How close together pods are placed, and away from which: Kueue's annotations, or the pods' own affinity."""

from trainshed.compile.labels import RUN_LABEL
from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup

KUEUE = "kueue.x-k8s.io/podset"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
MOST_WEIGHT = 100
"""Kubernetes' heaviest preference."""


def topology(target: Target, _: PodGroup) -> PodPart:
    """What Kueue reads about the place of a pod set (v0.19.2, `apis/kueue/v1beta2/topology_types.go`)."""
    closeness = target.scheduling.closeness
    if closeness is None or closeness.by != "kueue":
        return NO_PART
    annotations: dict[str, str] = {}
    if closeness.level:
        word = "required" if closeness.required else "preferred"
        annotations[f"{KUEUE}-{word}-topology"] = closeness.level.label
        if len(target.roles) > 1:
            annotations[f"{KUEUE}-group-name"] = target.job
    if closeness.slices:
        annotations[f"{KUEUE}-slice-required-topology"] = closeness.slices.level.label
        annotations[f"{KUEUE}-slice-size"] = str(closeness.slices.size)
    return PodPart(annotations=annotations, source=("topology",))


def near(target: Target) -> JsonObject:
    """Affinity to the run's other pods, where nobody else sees to that."""
    closeness = target.scheduling.closeness
    if closeness is None or closeness.by != "affinity" or closeness.level is None:
        return {}
    term = {"labelSelector": {"matchLabels": {RUN_LABEL: target.run}}, "topologyKey": closeness.level.label}
    return (
        {REQUIRED: [term]}
        if closeness.required
        else {PREFERRED: [{"weight": MOST_WEIGHT, "podAffinityTerm": term}]}
    )


def away(target: Target) -> JsonObject:
    """Affinity against the pods of every other run, of whatever team."""
    if not target.scheduling.exclusive:
        return {}
    others = [
        {"key": RUN_LABEL, "operator": "Exists"},
        {"key": RUN_LABEL, "operator": "NotIn", "values": [target.run]},
    ]
    term = {
        "labelSelector": {"matchExpressions": others},
        "namespaceSelector": {},
        "topologyKey": target.scheduling.exclusive,
    }
    return {REQUIRED: [term]}


def pools_in_order(target: Target, group: PodGroup) -> list[JsonObject]:
    """The pools that the pods may go to, the first the dearest, where no queue tries them in their order."""
    if not target.scheduling.in_order or len(group.node_terms) < 2:
        return []
    return [
        {
            "weight": max(1, MOST_WEIGHT - 10 * place),
            "preference": {
                "matchExpressions": [
                    {"key": key, "operator": "In", "values": [value]} for key, value in term.items()
                ]
            },
        }
        for place, term in enumerate(group.node_terms[:-1])
    ]
