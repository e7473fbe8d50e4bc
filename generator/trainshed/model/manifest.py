"""Kubernetes objects between compile and validate."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from msgspec import Struct, field

from trainshed.model.diagnostic import Findings
from trainshed.model.source import Source

JsonObject: TypeAlias = dict[str, Any]


def canonical_json(document: Any) -> str:
    """The one spelling of a JSON document: sorted keys, no spaces, true and 1 kept apart."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def hash_text(text: str) -> str:
    """SHA-256 of a text, half characters and all: what stands for it in a question."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ObjectId(Struct, frozen=True, order=True):
    """What makes an object one and the same for the API server; namespace is empty for cluster scope."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {place}"


def escape_pointer(token: str) -> str:
    """One reference token of a JSON pointer (RFC 6901)."""
    return token.replace("~", "~0").replace("/", "~1")


class Origins(Struct, frozen=True):
    """From a place in an object to the line that caused it: JSON pointer prefixes and their sources.

    The longest prefix wins; `whole` answers for everything that no prefix covers.
    """

    whole: Source
    parts: tuple[tuple[str, Source], ...] = ()

    def find(self, pointer: str) -> Source:
        """The source of what stands at `pointer`."""
        matches = [
            (len(prefix), source)
            for prefix, source in self.parts
            if pointer == prefix or pointer.startswith(prefix + "/")
        ]
        return max(matches, key=lambda match: match[0])[1] if matches else self.whole


class SealedFile(Struct, frozen=True):
    """A generated file that stays as it is."""

    path: PurePosixPath
    text: str


class Manifest(Struct, frozen=True):
    """One object, as canonical JSON text (text cannot be changed by accident), and where its parts come from.

    `file` is the file that it stays in, byte for byte; None for what is rendered now.
    """

    identity: ObjectId
    text: str
    origins: Origins
    file: SealedFile | None = None

    @property
    def body(self) -> JsonObject:
        """The object as plain data, decoded anew at each call."""
        return json.loads(self.text)


def name_files(manifests: Iterable[Manifest]) -> dict[ObjectId, str]:
    """A file for each object of one app: `<kind>-<name>.yaml`, with namespace and group where that is taken.

    What is sealed keeps the name that it has.
    """
    in_order = sorted(manifests, key=lambda manifest: manifest.identity)
    names = {manifest.identity: manifest.file.path.name for manifest in in_order if manifest.file}
    taken = set(names.values())
    for identity in (manifest.identity for manifest in in_order if not manifest.file):
        short = f"{identity.kind.lower()}-{identity.name}"
        in_namespace = f"{short}.{identity.namespace}"
        in_group = f"{in_namespace}.{identity.api_version.replace('/', '.')}"
        name = next(name for name in (short, in_namespace, in_group) if f"{name}.yaml" not in taken)
        names[identity] = f"{name}.yaml"
        taken.add(names[identity])
    return names


def identify(body: JsonObject) -> ObjectId:
    """The identity that a complete object states of itself."""
    metadata = body["metadata"]
    return ObjectId(body["apiVersion"], body["kind"], metadata.get("namespace", ""), metadata["name"])


class AppId(Struct, frozen=True, order=True):
    """One app on one cluster: the unit that Argo CD syncs, a folder of `rendered/<cluster>/`."""

    cluster: str
    app: str

    @property
    def folder(self) -> PurePosixPath:
        """Where the app's objects are rendered."""
        return PurePosixPath("rendered", self.cluster, self.app)


class AppManifests(Struct, frozen=True):
    """The objects of one app on one cluster. `has_overlay` is False for Argo CD's own objects.

    `findings` are about edits that people asked for, and that cannot be made.
    """

    identity: AppId
    manifests: tuple[Manifest, ...]
    has_overlay: bool = True
    findings: Findings = ()


class Manifests(Struct, frozen=True):
    """Every object of every app, apps sorted by identity: what compile made, and what is sealed.

    `bases` holds, by the name of the app, the objects of bases that sealed overlays are built upon, as they are.
    """

    apps: tuple[AppManifests, ...]
    bases: Mapping[str, tuple[Manifest, ...]] = field(default_factory=dict[str, tuple[Manifest, ...]])

    @classmethod
    def of(cls, apps: Iterable[AppManifests]) -> "Manifests":
        """The apps in their one order."""
        return cls(tuple(sorted(apps, key=lambda app: app.identity)))
