"""A TrainJob starts from a training runtime that is there."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.names import lacks, missing
from trainshed.validate.policy.reading.values import text_at
from trainshed.validate.view import ClusterView

FOR_ALL = "ClusterTrainingRuntime"
"""What a reference means that names no kind. Trainer brings some along, so one's own must be there to compare with."""


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each `runtimeRef` that leads nowhere."""
    for job in view.of_kind("TrainJob"):
        name = text_at(job.body, "spec", "runtimeRef", "name")
        kind = text_at(job.body, "spec", "runtimeRef", "kind") or FOR_ALL
        namespace = "" if kind == FOR_ALL else job.namespace
        if not name or (kind == FOR_ALL and not any(view.of_kind(FOR_ALL))):
            continue
        if lacks(view, kind, namespace, name):
            source = job.at("/spec/runtimeRef/name")
            sentence = f"{job.identity} starts from runtime"
            yield missing(view, Code.NO_SUCH_RUNTIME, source, sentence, kind, namespace, name)
