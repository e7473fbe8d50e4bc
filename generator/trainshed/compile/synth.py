"""One small cdk8s App for each app of a cluster: linear cost, and a failure stays with its app."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from cdk8s import App, Chart
from constructs import Construct

from trainshed.compile.objects import BODY, PlainObject
from trainshed.model.manifest import AppId, AppManifests, Manifest, identify

Build: TypeAlias = Callable[[Construct], Iterable[PlainObject]]


def synthesize(identity: AppId, build: Build, *, has_overlay: bool = True) -> AppManifests:
    """The manifests of the constructs that `build` puts into a chart of its own."""
    chart = Chart(App(), "app")
    origins = {construct.identity: construct.origins for construct in build(chart)}
    manifests: list[Manifest] = []
    for synthesized in chart.to_json():
        object_id = identify(synthesized)
        manifests.append(
            Manifest(object_id, synthesized["metadata"]["annotations"][BODY], origins[object_id])
        )
    return AppManifests(
        identity, tuple(sorted(manifests, key=lambda manifest: manifest.identity)), has_overlay
    )
