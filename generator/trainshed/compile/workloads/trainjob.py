"""`trainer.kubeflow.org/v1alpha1` TrainJob: what is trained and on how many nodes; its pods are in its runtime."""

from collections.abc import Iterator

from constructs import Construct

from trainshed.compile.labels import run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins, template_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod.part import CONTAINER
from trainshed.compile.runtime import API_VERSION, OF_TRAINER, divide
from trainshed.model.plan import Target
from trainshed.model.provenance import FieldPath

TRAINER = "/spec/trainer"


class TrainJob(PlainObject):
    """A distributed run from a TrainingRuntime of its own."""

    def __init__(self, scope: Construct, target: Target) -> None:
        divided = divide(target)
        runtime = divided.runtime
        reference = {
            "apiGroup": API_VERSION.partition("/")[0],
            "kind": runtime["kind"],
            "name": runtime["metadata"]["name"],
        }
        own: dict[str, FieldPath] = {
            "/spec/runtimeRef": ("backend",),
            "/spec/activeDeadlineSeconds": ("deadline",),
            f"{TRAINER}/numNodes": ("nodes",),
            f"{TRAINER}/numProcPerNode": ("procsPerNode",),
            **dict(_trainer_origins(target)),
        }
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": API_VERSION,
                "kind": "TrainJob",
                "metadata": run_metadata(target),
                "spec": without_empty(
                    {
                        "runtimeRef": reference,
                        "trainer": divided.trainer,
                        "activeDeadlineSeconds": target.deadline_seconds or None,
                    }
                ),
            },
            run_origins(target, own, {}),
        )


def _trainer_origins(target: Target) -> Iterator[tuple[str, FieldPath]]:
    """The origins of those of the container's fields that stand in the TrainJob's trainer."""
    for pointer, origin in template_origins(target, target.groups[0]):
        field, *below = pointer.removeprefix(f"{CONTAINER}/").split("/")
        if field in OF_TRAINER:
            yield "/".join((TRAINER, OF_TRAINER[field], *below)), origin
