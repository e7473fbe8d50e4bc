"""The labels and annotations that say whose an object is."""

from trainshed.compile.gang import gang_annotations, gang_labels
from trainshed.compile.plain import without_empty
from trainshed.model.families import RAY
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

DOMAIN = "trainshed.dev"
MANAGED_BY = {"app.kubernetes.io/managed-by": "trainshed"}
RUN_LABEL = f"{DOMAIN}/run"
METRICS_LABEL = f"{DOMAIN}/metrics"
"""Marks pods that Prometheus scrapes."""

METRICS_PORT = "metrics"
"""The name of the port where it does."""

SCRAPE_PATH = "prometheus.io/path"
"""The annotation that says at which path."""


POD_SECURITY_MODES = ("enforce", "audit", "warn")
"""What Pod Security does with a level."""


def pod_security_labels(level: str) -> dict[str, str]:
    """Labels of a namespace whose pods keep to a Pod Security level."""
    return {f"pod-security.kubernetes.io/{mode}": level for mode in POD_SECURITY_MODES}


def team_labels(team: str, owner: str = "", cost_center: str = "") -> dict[str, str]:
    """Labels of what belongs to a team."""
    labels = {
        **MANAGED_BY,
        f"{DOMAIN}/team": team,
        f"{DOMAIN}/owner": owner,
        f"{DOMAIN}/cost-center": cost_center,
    }
    return {key: value for key, value in labels.items() if value}


def job_labels(target: Target) -> dict[str, str]:
    """Labels of what belongs to a job."""
    return {
        **target.labels,
        **team_labels(target.team.name, target.owner, target.cost_center),
        "app.kubernetes.io/name": target.job,
        f"{DOMAIN}/job": target.job,
    }


def pod_labels(target: Target) -> dict[str, str]:
    """Labels of a run's pods: the job's, the run, by which its pods find one another, and the cloud identity's."""
    return {**job_labels(target), **_identity_labels(target), RUN_LABEL: target.run}


def _identity_labels(target: Target) -> dict[str, str]:
    """What the cloud's webhook looks for on pods, where the team has an identity there."""
    forms = target.cluster.provider.identities
    taken = target.team.service_account_annotations
    return {
        key: value for form in forms if form.annotation in taken for key, value in form.pod_labels.items()
    }


def queue_labels(target: Target) -> dict[str, str]:
    """The labels that Kueue reads on the object it manages."""
    deadline = target.deadline_seconds if target.backend.carrier.deadline == "queue" else 0
    labels = {
        "kueue.x-k8s.io/queue-name": target.queue,
        "kueue.x-k8s.io/priority-class": target.priority,
        "kueue.x-k8s.io/max-exec-time-seconds": str(deadline) if deadline and target.queue else "",
    }
    return {key: value for key, value in labels.items() if value}


def user_annotations(target: Target) -> JsonObject:
    """The job's own annotations."""
    return dict(target.annotations)


def run_annotations(target: Target) -> JsonObject:
    """Annotations of the run's own object."""
    words = {
        f"{DOMAIN}/tags": ", ".join(target.tags),
        f"{DOMAIN}/description": target.description,
        f"{DOMAIN}/privileged-why": target.privileged_why,
    }
    return {**target.annotations, **{key: value for key, value in words.items() if value}}


def queue_annotations(target: Target) -> JsonObject:
    """What Kueue reads about sizes: a Ray cluster that it follows, or the fewest pods that it may start a Job with."""
    if not target.queue or not target.is_elastic:
        return {}
    if target.backend in RAY:
        return {"kueue.x-k8s.io/elastic-job": "true"}
    least = {"kueue.x-k8s.io/job-min-parallelism": str(target.groups[0].min_pods)}
    return least if target.backend.is_alone else {}


def run_metadata(target: Target) -> JsonObject:
    """The metadata of the object that carries the run; a schedule's queue labels go on the Jobs that it makes."""
    labels, annotations = ({}, {}) if target.schedule else (queue_labels(target), queue_annotations(target))
    labels, annotations = {**labels, **gang_labels(target)}, {**annotations, **gang_annotations(target)}
    return without_empty(
        {
            "name": target.run,
            "namespace": target.namespace,
            "labels": job_labels(target) | labels,
            "annotations": run_annotations(target) | annotations,
        }
    )
