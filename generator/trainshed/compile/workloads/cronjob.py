"""`batch/v1` CronJob: a Job that runs by itself; stable name, rendered afresh at every change."""

from constructs import Construct

from trainshed.compile.labels import (
    job_labels,
    queue_annotations,
    queue_labels,
    run_annotations,
    run_metadata,
)
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.workloads.job import job_origins, job_spec
from trainshed.model.plan import Schedule, Target

CONCURRENCY = {"forbid": "Forbid", "allow": "Allow", "replace": "Replace"}


class CronJob(PlainObject):
    """A schedule. The queue's labels go on the Jobs that it makes: those are what Kueue manages."""

    def __init__(self, scope: Construct, target: Target) -> None:
        schedule = target.schedule or Schedule(
            "", "Etc/UTC", "forbid", 3, 3, 0, paused=False, resume_previous=False
        )
        job_metadata = {
            "labels": job_labels(target) | queue_labels(target),
            "annotations": run_annotations(target) | queue_annotations(target),
        }
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "metadata": run_metadata(target),
                "spec": without_empty(
                    {
                        "schedule": schedule.cron,
                        "timeZone": schedule.time_zone,
                        "concurrencyPolicy": CONCURRENCY[schedule.overlap],
                        "successfulJobsHistoryLimit": schedule.keep_succeeded,
                        "failedJobsHistoryLimit": schedule.keep_failed,
                        "startingDeadlineSeconds": schedule.start_within_seconds or None,
                        "suspend": True if schedule.paused else None,
                        "jobTemplate": {"metadata": without_empty(job_metadata), "spec": job_spec(target)},
                    }
                ),
            },
            run_origins(
                target,
                {"/spec": ("schedule",)} | job_origins(target, "/spec/jobTemplate/spec"),
                {"/spec/jobTemplate/spec/template": target.groups[0]},
            ),
        )
