"""What is watched on a cluster: its operators, its queues, the namespaces of its teams."""

import re
from dataclasses import dataclass

from trainshed.catalog.installed import release_of
from trainshed.compile.labels import MANAGED_BY
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject
from trainshed.model.site import Monitoring
from trainshed.model.team import TeamOnCluster

GROUP = "monitoring.coreos.com/v1"


@dataclass(frozen=True, slots=True)
class Scope:
    """A cluster with Prometheus, and the teams on it."""

    cluster: Cluster
    monitoring: Monitoring
    teams: tuple[TeamOnCluster, ...]

    @property
    def namespaces(self) -> str:
        """The namespaces of all teams, as a regular expression of PromQL."""
        return _any_of([name for team in self.teams for name in team.all_namespaces])

    @property
    def queues(self) -> str:
        """The queues of all teams, likewise."""
        return _any_of([name for team in self.teams for name in team.queues])

    @property
    def has_gpus(self) -> bool:
        """Whether any of its machines has an accelerator."""
        return any(pool.gpus for pool in self.cluster.pools.values())

    def scrapes(self, operator: str) -> bool:
        """Whether the operator is there, in a release that says how its jobs fare."""
        installed = self.cluster.operators.get(operator)
        return installed is not None and "metrics-port" in release_of(installed).settings

    def body(self, kind: str, name: str, spec: JsonObject) -> JsonObject:
        """An object of Prometheus' operator, with the labels by which Prometheus picks it up."""
        return {"apiVersion": GROUP, "kind": kind, "metadata": self.metadata(name), "spec": spec}

    def metadata(self, name: str) -> JsonObject:
        """Metadata of an object beside Prometheus."""
        labels = {**MANAGED_BY, **self.monitoring.labels}
        return {"name": name, "namespace": self.monitoring.namespace, "labels": labels}


def _any_of(names: list[str]) -> str:
    return "|".join(re.escape(name).replace("\\-", "-") for name in sorted(names))
