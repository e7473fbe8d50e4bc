"""Fields that an operator takes and then ignores, or that undo a run under Argo CD: no wish is carried by one."""

from collections.abc import Iterator, Mapping

from trainshed.model.manifest import JsonObject

AGAIN = "removes the finished run, which Argo CD then creates and trains again"
KUEUE = "whether it is suspended is Kueue's to say"
V1: Mapping[str, str] = {
    "spec.runPolicy.activeDeadlineSeconds": "not looked at before another event comes (kubeflow/trainer#3358)",
    "spec.runPolicy.ttlSecondsAfterFinished": AGAIN,
    "spec.runPolicy.suspend": KUEUE,
}
"""What all kinds of the Training Operator have in common."""

IGNORED: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("kubeflow.org/v1", "PyTorchJob"): {
        **V1,
        "spec.elasticPolicy.standalone": "torchrun crashes on the variable that it becomes",
        "spec.elasticPolicy.metrics": "makes an autoscaler, which changes what Git holds",
        "spec.elasticPolicy.nProcPerNode": "given way to spec.nprocPerNode",
    },
    ("kubeflow.org/v1", "TFJob"): V1,
    ("kubeflow.org/v1", "XGBoostJob"): V1,
    ("kubeflow.org/v1", "PaddleJob"): V1,
    ("kubeflow.org/v1", "JAXJob"): V1,
    ("kubeflow.org/v1", "MPIJob"): V1,
    ("kubeflow.org/v2beta1", "MPIJob"): {
        "spec.runPolicy.ttlSecondsAfterFinished": AGAIN,
        "spec.runPolicy.suspend": KUEUE,
    },
    ("ray.io/v1", "RayJob"): {
        "spec.rayClusterSpec.upgradeStrategy": "of a cluster that stands alone only",
        "spec.suspend": KUEUE,
    },
    ("ray.io/v1", "RayCluster"): {"spec.suspend": KUEUE},
    ("batch/v1", "Job"): {"spec.ttlSecondsAfterFinished": AGAIN, "spec.suspend": KUEUE},
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): {
        "spec.ttlSecondsAfterFinished": AGAIN,
        "spec.suspend": KUEUE,
    },
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"): {"spec.suspend": KUEUE},
    ("batch.volcano.sh/v1alpha1", "Job"): {"spec.ttlSecondsAfterFinished": AGAIN},
}
"""By API version and kind: the field, and why it carries nothing."""

REPLICAS = (
    "pytorchReplicaSpecs",
    "tfReplicaSpecs",
    "xgbReplicaSpecs",
    "paddleReplicaSpecs",
    "jaxReplicaSpecs",
)


def ignored_fields(body: JsonObject) -> Iterator[str]:
    """The fields of the object that carry nothing."""
    for path in IGNORED.get((body["apiVersion"], body["kind"]), ()):
        if _has(body, path.split(".")):
            yield f"{body['kind']}: {path}"
    yield from _unreached_limits(body)


def _has(body: JsonObject, path: list[str]) -> bool:
    here: object = body
    for step in path:
        if not isinstance(here, dict) or step not in here:
            return False
        here = here[step]
    return True


def _unreached_limits(body: JsonObject) -> Iterator[str]:
    """The Training Operator counts restarts of containers against backoffLimit, and pods that never restart have none.

    A limit of 0 is honoured all the same: it ends the job with its first failed pod.
    """
    spec = body.get("spec", {})
    if not spec.get("runPolicy", {}).get("backoffLimit"):
        return
    for field in REPLICAS:
        for role, replica in spec.get(field, {}).items():
            if replica["restartPolicy"] == "Never":
                yield f"{body['kind']}: spec.runPolicy.backoffLimit over a {role} that never restarts"
