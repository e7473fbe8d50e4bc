"""`kubeflow.org/v1` JAXJob: workers, the first of which is the coordinator."""

from constructs import Construct

from trainshed.compile.workloads.kubeflow import KubeflowJob
from trainshed.model.plan import Target

REPLICAS = "jaxReplicaSpecs"


class JAXJob(KubeflowJob):
    """A run of JAX: the operator sets COORDINATOR_*, NUM_PROCESSES and PROCESS_ID. It ends when all workers have."""

    def __init__(self, scope: Construct, target: Target) -> None:
        super().__init__(scope, target, REPLICAS)
