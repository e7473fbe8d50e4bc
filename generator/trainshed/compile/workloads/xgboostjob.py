"""`kubeflow.org/v1` XGBoostJob: a master and workers, of XGBoost or LightGBM."""

from constructs import Construct

from trainshed.compile.workloads.kubeflow import KubeflowJob
from trainshed.model.plan import Target

REPLICAS = "xgbReplicaSpecs"


class XGBoostJob(KubeflowJob):
    """A run of boosted trees. The operator sets MASTER_* and RANK, and WORKER_ADDRS for LightGBM.

    It ends with its master.
    """

    def __init__(self, scope: Construct, target: Target) -> None:
        super().__init__(scope, target, REPLICAS)
