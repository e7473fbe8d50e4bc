"""Manifests in, Kustomize files out: for each app a base of what its clusters share, and what differs on each.

Touches nothing. Only JSON 6902 patches: a strategic merge drops the fields of containers in custom resources, and a
name prefix leaves their claims dangling. They only ever add, but upon a base that sealed runs lean on, which is frozen.
"""

import json
from collections.abc import Iterable
from itertools import chain, groupby
from pathlib import PurePosixPath
from types import MappingProxyType

from trainshed.model.files import AppBuild, BuildTree
from trainshed.model.manifest import (
    AppManifests,
    JsonObject,
    Manifest,
    Manifests,
    ObjectId,
    canonical_json,
    name_files,
)
from trainshed.model.outcome import Outcome
from trainshed.overlay.shared import can_be_shared, differences, shared_part

__all__ = ["overlay_manifests"]

OVERLAYS = PurePosixPath("overlays")
BASE = "base"
KUSTOMIZATION = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}


def overlay_manifests(manifests: Manifests) -> Outcome[BuildTree]:
    """The Kustomize files of every app that has overlays, and the apps that have none."""
    layered = sorted((app for app in manifests.apps if app.has_overlay), key=_app_name)
    builds = tuple(
        _build(name, list(apps), manifests.bases.get(name)) for name, apps in groupby(layered, key=_app_name)
    )
    direct = tuple(app for app in manifests.apps if not app.has_overlay)
    everything = [
        *(one for app in manifests.apps for one in app.manifests),
        *chain(*manifests.bases.values()),
    ]
    written = {one.text: one.file.text for one in everything if one.file}
    return Outcome(BuildTree(builds, direct, MappingProxyType(written)))


def _app_name(app: AppManifests) -> str:
    return app.identity.app


def _build(name: str, apps: list[AppManifests], frozen: tuple[Manifest, ...] | None) -> AppBuild:
    """The app's files; upon the base that is frozen, if sealed runs lean on one."""
    folder = OVERLAYS / name
    base = folder / BASE
    if frozen is None:
        shared = _shared_objects(apps)
        names = name_files(one for one in apps[0].manifests if one.identity in shared)
    else:
        shared = {one.identity: one.text for one in frozen}
        names = name_files(frozen)
    documents = {base / names[identity]: text for identity, text in shared.items()}
    if shared:
        documents[base / "kustomization.yaml"] = _kustomization(names[one] for one in shared)
    roots = {app.identity: folder / app.identity.cluster for app in apps}
    for app in apps:
        usable = shared if _can_use(shared, app) else {}
        documents |= _overlay(roots[app.identity], app, usable)
    return AppBuild(
        app=name,
        documents=MappingProxyType(documents),
        roots=MappingProxyType(roots),
        expected=MappingProxyType({app.identity: app.manifests for app in apps}),
    )


def _can_use(shared: dict[ObjectId, str], app: AppManifests) -> bool:
    """Whether patches can make the app's objects of what is shared: it has them all, and Kustomize keeps numbers."""
    own = {manifest.identity: manifest for manifest in app.manifests}
    return shared.keys() <= own.keys() and all(
        text == own[identity].text or can_be_shared([json.loads(text), own[identity].body])
        for identity, text in shared.items()
    )


def _shared_objects(apps: list[AppManifests]) -> dict[ObjectId, str]:
    """What all clusters of the app have in common, as text by object; those of one identity everywhere only."""
    by_cluster = [{manifest.identity: manifest for manifest in app.manifests} for app in apps]
    everywhere = set(by_cluster[0]).intersection(*by_cluster[1:])
    shared = {
        identity: _shared_text([manifests[identity] for manifests in by_cluster])
        for identity in sorted(everywhere)
    }
    return {identity: text for identity, text in shared.items() if text is not None}


def _shared_text(manifests: list[Manifest]) -> str | None:
    """What the manifests share; None where Kustomize could not give them back. Equal texts need no decoding."""
    if len({manifest.text for manifest in manifests}) == 1:
        return manifests[0].text
    bodies = [manifest.body for manifest in manifests]
    return canonical_json(shared_part(bodies)) if can_be_shared(bodies) else None


def _overlay(
    folder: PurePosixPath, app: AppManifests, shared: dict[ObjectId, str]
) -> dict[PurePosixPath, str]:
    """The files of one cluster: objects of its own, and a patch for each shared object that differs here."""
    documents: dict[PurePosixPath, str] = {}
    names = name_files(app.manifests)
    own: list[str] = []
    patches: list[JsonObject] = []
    for manifest in app.manifests:
        text = shared.get(manifest.identity)
        if text is None:
            documents[folder / names[manifest.identity]] = manifest.text
            own.append(names[manifest.identity])
            continue
        operations = differences(json.loads(text), manifest.body) if text != manifest.text else []
        if operations:
            path = f"patch-{names[manifest.identity]}"
            documents[folder / path] = canonical_json(operations)
            patches.append({"path": path, "target": _target(manifest)})
    base = [f"../{BASE}"] if shared else []
    documents[folder / "kustomization.yaml"] = _kustomization([*base, *own], patches)
    return documents


def _kustomization(resources: Iterable[str], patches: list[JsonObject] | None = None) -> str:
    more = {"patches": patches} if patches else {}
    return canonical_json({**KUSTOMIZATION, "resources": list(resources), **more})


def _target(manifest: Manifest) -> JsonObject:
    """The one object that a patch means. Kustomize takes names for regular expressions; ours hold no dots."""
    group, _, version = manifest.identity.api_version.rpartition("/")
    target = {
        "group": group,
        "version": version,
        "kind": manifest.identity.kind,
        "name": manifest.identity.name,
    }
    if manifest.identity.namespace:
        target["namespace"] = manifest.identity.namespace
    return {key: value for key, value in target.items() if value}
