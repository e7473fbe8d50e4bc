"""What lets people see how a run fares: its trackers' variables, and the port that Prometheus scrapes."""

from trainshed.compile.labels import METRICS_LABEL, METRICS_PORT, SCRAPE_PATH
from trainshed.compile.pod.part import PodPart
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup


def observability(target: Target, _: PodGroup) -> PodPart:
    """The variables, and the port by its name: monitors find pods by a label, the path is in an annotation."""
    watched = target.observability
    if watched.metrics is None:
        return PodPart(env=watched.env, sources=watched.fields)
    return PodPart(
        env=watched.env,
        labels={METRICS_LABEL: "true"},
        annotations={SCRAPE_PATH: watched.metrics.path},
        ports=({"name": METRICS_PORT, "containerPort": watched.metrics.port, "protocol": "TCP"},),
        source=("metrics",),
        sources=watched.fields,
    )
