"""What pods of one namespace find there beside them: ConfigMaps, Secrets, claims and Services."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trainshed.engine.messages import MadeObject
from trainshed.model.manifest import JsonObject

DEFAULT_NAMESPACE = "default"


@dataclass(frozen=True, slots=True)
class Stock:
    """The objects by kind, each name once: what was made hides what was written."""

    config_maps: tuple[JsonObject, ...]
    secrets: tuple[JsonObject, ...]
    claims: tuple[JsonObject, ...]
    services: tuple[JsonObject, ...]


def namespace_of(body: JsonObject) -> str:
    """Where an object is put: in `default`, if it does not say."""
    return body["metadata"].get("namespace") or DEFAULT_NAMESPACE


def stock_of(written: Sequence[JsonObject], made: Sequence[MadeObject], workload: JsonObject) -> Stock:
    """What stands in the workload's namespace, of what was written and of what was made."""
    namespace = namespace_of(workload)
    bodies = (*written, *(one.body for one in made))
    here = [body for body in bodies if namespace_of(body) == namespace]
    return Stock(
        config_maps=_of_kind("ConfigMap", here),
        secrets=tuple(map(_stored, _of_kind("Secret", here))),
        claims=_of_kind("PersistentVolumeClaim", here),
        services=_of_kind("Service", here),
    )


def _of_kind(kind: str, bodies: Iterable[JsonObject]) -> tuple[JsonObject, ...]:
    named = {
        body["metadata"].get("name", ""): body
        for body in bodies
        if (body["apiVersion"], body["kind"]) == ("v1", kind)
    }
    return tuple(named.values())


def _stored(secret: JsonObject) -> JsonObject:
    """A Secret as the API server stores it: what is written as text is data (core/v1, `Secret.stringData`)."""
    texts = secret.get("stringData") or {}
    if not texts:
        return secret
    data = {key: b64encode(str(text).encode()).decode() for key, text in texts.items()}
    rest = {field: value for field, value in secret.items() if field != "stringData"}
    return {**rest, "data": {**(secret.get("data") or {}), **data}}
