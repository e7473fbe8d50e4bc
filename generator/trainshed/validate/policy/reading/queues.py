"""Who waits in which queue, and what Kueue leaves out of its ledger."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML, YAMLError

from trainshed.validate.policy.reading.values import items_at, map_at, maps_at, text_at
from trainshed.validate.view import ClusterView, Member

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
HOLDERS = (("metadata", "labels"), ("spec", "jobTemplate", "metadata", "labels"))
"""Where a workload says what Kueue reads: of a CronJob it looks at the Jobs."""


def kueue_labels(member: Member, label: str) -> Iterator[tuple[str, str]]:
    """The value of one of Kueue's labels, with its JSON pointer."""
    for holder in HOLDERS:
        value = map_at(member.body, *holder).get(label)
        if isinstance(value, str) and value:
            yield f"/{'/'.join(holder)}/{label.replace('/', '~1')}", value


def queue_of(view: ClusterView, member: Member) -> Member | None:
    """The ClusterQueue that a workload waits for, if it waits and both queues are known."""
    for _, name in kueue_labels(member, QUEUE_LABEL):
        local = view.find("LocalQueue", member.namespace, name)
        if local is not None:
            return view.find("ClusterQueue", "", text_at(local.body, "spec", "clusterQueue"))
    return None


@dataclass(frozen=True, slots=True)
class Ledger:
    """What Kueue's Configuration says about the resources that it counts."""

    excluded: tuple[str, ...] = ()
    ignores_undeclared: bool = False
    replaced: frozenset[str] = frozenset()

    def counts(self, resource: str) -> bool:
        """Whether a request for the resource needs a quota for it."""
        left_out = resource in self.replaced or resource.startswith(self.excluded)
        return not self.ignores_undeclared and not left_out


def read_ledger(view: ClusterView) -> Ledger:
    """From the Configuration among the objects: in Kueue's ConfigMap, or in the values of its chart."""
    for text in _configurations(view):
        try:
            resources = map_at(YAML(typ="safe").load(text), "resources")
        except YAMLError:
            continue
        return Ledger(
            excluded=tuple(filter(_is_text, items_at(resources, "excludeResourcePrefixes"))),
            ignores_undeclared=text_at(resources, "quotaCheckStrategy") == "IgnoreUndeclared",
            replaced=frozenset(
                text_at(change, "input")
                for _, change in maps_at(resources, "transformations")
                if change.get("strategy") == "Replace"
            ),
        )
    return Ledger()


def _configurations(view: ClusterView) -> Iterator[str]:
    for member in view.of_kind("ConfigMap"):
        yield from filter(None, [text_at(member.body, "data", "controller_manager_config.yaml")])
    for member in view.of_kind("Application"):
        sources = [map_at(member.body, "spec", "source")]
        sources += [source for _, source in maps_at(member.body, "spec", "sources")]
        for source in sources:
            values = ("helm", "valuesObject", "managerConfig", "controllerManagerConfigYaml")
            yield from filter(None, [text_at(source, *values)])


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
