"""One construct a file, one file a Kubernetes kind that carries runs."""

from collections.abc import Callable, Mapping

from constructs import Construct

from trainshed.compile.objects import PlainObject
from trainshed.compile.workloads.cronjob import CronJob
from trainshed.compile.workloads.jaxjob import JAXJob
from trainshed.compile.workloads.job import Job
from trainshed.compile.workloads.jobset import JobSet
from trainshed.compile.workloads.mpijob import MPIJob
from trainshed.compile.workloads.mpijob_v1 import MPIJobV1
from trainshed.compile.workloads.paddlejob import PaddleJob
from trainshed.compile.workloads.pytorchjob import PyTorchJob
from trainshed.compile.workloads.raycluster import RayCluster
from trainshed.compile.workloads.rayjob import RayJob
from trainshed.compile.workloads.tfjob import TFJob
from trainshed.compile.workloads.trainjob import TrainJob
from trainshed.compile.workloads.volcanojob import VolcanoJob
from trainshed.compile.workloads.xgboostjob import XGBoostJob
from trainshed.model.backend import Backend
from trainshed.model.plan import Target

WORKLOADS: Mapping[Backend, Callable[[Construct, Target], PlainObject]] = {
    Backend.JOB: Job,
    Backend.CRONJOB: CronJob,
    Backend.PYTORCHJOB: PyTorchJob,
    Backend.TFJOB: TFJob,
    Backend.XGBOOSTJOB: XGBoostJob,
    Backend.PADDLEJOB: PaddleJob,
    Backend.JAXJOB: JAXJob,
    Backend.MPIJOB: MPIJob,
    Backend.MPIJOB_V1: MPIJobV1,
    Backend.TRAINJOB: TrainJob,
    Backend.JOBSET: JobSet,
    Backend.RAYJOB: RayJob,
    Backend.RAYCLUSTER: RayCluster,
    Backend.VOLCANOJOB: VolcanoJob,
}
