"""What Prometheus and Grafana need to know of a cluster: whom to scrape, when to call somebody, what to show."""

from collections.abc import Iterable, Iterator

from trainshed.compile.platform.monitoring.alerts import alert_rules
from trainshed.compile.platform.monitoring.dashboard import dashboard
from trainshed.compile.platform.monitoring.scope import Scope
from trainshed.compile.platform.monitoring.scraping import access, operator_monitors, team_monitors
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject
from trainshed.model.source import Source
from trainshed.model.team import TeamOnCluster


def monitoring_objects(
    cluster: Cluster, teams: Iterable[TeamOnCluster]
) -> Iterator[tuple[JsonObject, Source]]:
    """Everything of the monitoring app, where the cluster has Prometheus."""
    if cluster.monitoring is None:
        return
    scope = Scope(cluster, cluster.monitoring, tuple(teams))
    source = cluster.sources.find("monitoring")
    bodies = (*access(scope), *operator_monitors(scope), alert_rules(scope), dashboard(scope))
    yield from ((body, source) for body in bodies)
    yield from team_monitors(scope)
