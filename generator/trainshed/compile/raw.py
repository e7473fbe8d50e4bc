"""Objects that people wrote themselves: they travel with the run, and are judged like ours."""

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from trainshed.compile.labels import MANAGED_BY
from trainshed.model.codes import Code
from trainshed.model.diagnostic import error
from trainshed.model.manifest import AppManifests, JsonObject, Origins, escape_pointer, identify
from trainshed.model.plan import Target


def raw_objects(target: Target) -> Iterator[tuple[JsonObject, Origins]]:
    """The job's raw objects as they are, and whose they are."""
    for raw in target.edits.raw_objects:
        metadata = raw.body["metadata"]
        labels = {**(metadata.get("labels") or {}), **MANAGED_BY}
        parts = tuple(
            ("".join(f"/{escape_pointer(str(step))}" for step in path[len(raw.field) :]), source)
            for path, source in target.sources.fields.items()
            if path[: len(raw.field)] == raw.field
        )
        body = {**raw.body, "metadata": {**metadata, "labels": labels}}
        yield body, Origins(target.sources.find(*raw.field), parts)


def refuse_twice(target: Target, app: AppManifests) -> AppManifests:
    """The app, with a finding for each raw object that is what another object of it already is."""
    counts = Counter(manifest.identity for manifest in app.manifests)
    findings = [
        error(
            Code.OBJECT_TWICE,
            target.sources.find(*raw.field),
            f"{identify(raw.body)} is rendered for the job as well",
            "give it another name, or write a patch for the one that is rendered",
        )
        for raw in target.edits.raw_objects
        if counts[identify(raw.body)] > 1
    ]
    return replace(app, findings=(*app.findings, *findings))
