"""The labels and annotations that say whose an object is."""

from trainshed.compile.plain import without_empty
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

DOMAIN = "trainshed.dev"
MANAGED_BY = {"app.kubernetes.io/managed-by": "trainshed"}
RUN_LABEL = f"{DOMAIN}/run"


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
    deadline = target.deadline_seconds if target.backend.kind == "PyTorchJob" else 0
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
    words = {f"{DOMAIN}/description": target.description, f"{DOMAIN}/privileged-why": target.privileged_why}
    elastic = target.backend.kind == "RayJob" and target.is_elastic and target.queue
    return {
        **target.annotations,
        **{key: value for key, value in words.items() if value},
        **({"kueue.x-k8s.io/elastic-job": "true"} if elastic else {}),
    }


def run_metadata(target: Target) -> JsonObject:
    """The metadata of the object that carries the run; a schedule's queue labels go on the Jobs that it makes."""
    queued = {} if target.schedule else queue_labels(target)
    return without_empty(
        {
            "name": target.run,
            "namespace": target.namespace,
            "labels": job_labels(target) | queued,
            "annotations": run_annotations(target),
        }
    )
