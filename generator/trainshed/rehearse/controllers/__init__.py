"""A workload with its pods in; which pods run, are replaced, and when it is over, out: the operators' decisions.

Pure: no process, no clock, no file. One file a family; `CONTROLLERS` says which kind is whose.
"""

from collections.abc import Callable, Mapping

from trainshed.rehearse.controllers.actions import Controller
from trainshed.rehearse.controllers.bare_pod import BarePodController
from trainshed.rehearse.controllers.job import JobController
from trainshed.rehearse.controllers.jobset import JobSetController
from trainshed.rehearse.controllers.kept_up import KeptUp
from trainshed.rehearse.controllers.kubeflow import KINDS, KubeflowController
from trainshed.rehearse.controllers.mpi import MPIController
from trainshed.rehearse.controllers.owned import Owned
from trainshed.rehearse.controllers.ray import RayJobController
from trainshed.rehearse.controllers.through_child import ThroughChild
from trainshed.rehearse.controllers.volcano import VolcanoController


def _of_cronjob(cronjob: Owned) -> Controller:
    """Its first firing."""
    (job,) = cronjob.of_kind("Job")
    return ThroughChild(JobController(job.body, job.pods))


def _of_trainjob(trainjob: Owned) -> Controller:
    (jobset,) = trainjob.of_kind("JobSet")
    return ThroughChild(JobSetController(jobset), trainjob.body["spec"].get("activeDeadlineSeconds"))


def _of_statefulset(statefulset: Owned) -> Controller:
    return KeptUp(statefulset.pods, statefulset.body["spec"].get("podManagementPolicy") != "Parallel")


def _of_mpijob(mpijob: Owned) -> Controller:
    """One kind of two operators: v1 is the Training Operator's."""
    is_v1 = mpijob.body["apiVersion"] == "kubeflow.org/v1"
    return KubeflowController(mpijob.body, mpijob.pods) if is_v1 else MPIController(mpijob)


CONTROLLERS: Mapping[tuple[str, str], Callable[[Owned], Controller]] = {
    ("", "Pod"): lambda pod: BarePodController(pod.all_pods),
    ("batch", "Job"): lambda job: JobController(job.body, job.pods),
    ("batch", "CronJob"): _of_cronjob,
    **{("kubeflow.org", kind): lambda job: KubeflowController(job.body, job.pods) for kind in KINDS},
    ("kubeflow.org", "MPIJob"): _of_mpijob,
    ("jobset.x-k8s.io", "JobSet"): JobSetController,
    ("trainer.kubeflow.org", "TrainJob"): _of_trainjob,
    ("ray.io", "RayJob"): RayJobController,
    ("ray.io", "RayCluster"): lambda cluster: KeptUp(cluster.pods),
    ("batch.volcano.sh", "Job"): lambda job: VolcanoController(job.body, job.pods),
    ("apps", "StatefulSet"): _of_statefulset,
    ("apps", "Deployment"): lambda deployment: KeptUp(deployment.all_pods),
}
"""Every kind that can be rehearsed, by API group and name."""


def control(workload: Owned) -> Controller:
    """The controller of a workload. Raises KeyError for a kind that has none: ask `CONTROLLERS` first."""
    return CONTROLLERS[workload.kind](workload)
