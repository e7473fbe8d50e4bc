"""One construct a file, one file a Kubernetes kind that carries runs."""

from collections.abc import Callable, Mapping

from constructs import Construct

from trainshed.compile.objects import PlainObject
from trainshed.compile.workloads.cronjob import CronJob
from trainshed.compile.workloads.job import Job
from trainshed.compile.workloads.pytorchjob import PyTorchJob
from trainshed.compile.workloads.rayjob import RayJob
from trainshed.model.plan import Backend, Target

WORKLOADS: Mapping[Backend, Callable[[Construct, Target], PlainObject]] = {
    Backend.JOB: Job,
    Backend.CRONJOB: CronJob,
    Backend.PYTORCHJOB: PyTorchJob,
    Backend.RAYJOB: RayJob,
}
