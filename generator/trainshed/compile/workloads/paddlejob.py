"""`kubeflow.org/v1` PaddleJob: workers; masters beside them make it a job of parameter servers."""

from constructs import Construct

from trainshed.compile.workloads.kubeflow import KubeflowJob
from trainshed.model.plan import Target

REPLICAS = "paddleReplicaSpecs"


class PaddleJob(KubeflowJob):
    """A run of Paddle. The operator sets PADDLE_*, which paddle.distributed.launch reads.

    Each worker is a trainer; with masters, which are the servers, it ends with them.
    """

    def __init__(self, scope: Construct, target: Target) -> None:
        super().__init__(scope, target, REPLICAS)
