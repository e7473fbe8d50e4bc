"""`kubeflow.org/v1` TFJob: a chief and workers, with parameter servers and an evaluator where the spec names them."""

from constructs import Construct

from trainshed.compile.workloads.kubeflow import KubeflowJob
from trainshed.model.plan import Target

REPLICAS = "tfReplicaSpecs"


class TFJob(KubeflowJob):
    """A run of TensorFlow. The operator writes TF_CONFIG: who the others are, and which of them a pod is.

    It ends with its chief; without one, with its first worker, or with all of them where the job says so.
    """

    def __init__(self, scope: Construct, target: Target) -> None:
        success = target.success
        policy = "AllWorkers" if success and success.role != "chief" else ""
        origins = {"/spec/successPolicy": ("successWhen",)}
        super().__init__(scope, target, REPLICAS, {"successPolicy": policy}, origins)
