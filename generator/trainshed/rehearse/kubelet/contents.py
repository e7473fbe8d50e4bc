"""What ConfigMaps and Secrets hold, as bytes by key."""

import base64
import binascii
from collections.abc import Mapping

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.kubelet.setting import ConfigError, PodFacts, Setting


def read_config_map(reference: JsonObject, setting: Setting) -> Mapping[str, bytes] | None:
    """The keys of a ConfigMap, None if it is optional and not there; raises `ConfigError`."""
    name = str(reference.get("name", ""))
    found = setting.find_config_map(name)
    if found is None:
        if reference.get("optional"):
            return None
        raise ConfigError(f'configmap "{name}" is not among the manifests')
    texts = {key: str(value).encode() for key, value in (found.get("data") or {}).items()}
    return texts | _decoded(f"configmap {name}", found.get("binaryData") or {})


def read_secret(reference: JsonObject, setting: Setting, facts: PodFacts) -> Mapping[str, bytes] | None:
    """The keys of a Secret that are known, None for an optional one of which nothing is; raises `ConfigError`.

    Secrets are rarely among manifests: values come from the person who rehearses, and what is missing is noted.
    """
    name = str(reference.get("secretName") or reference.get("name") or "")
    found = setting.find_secret(name) or {}
    values = _decoded(f"secret {name}", found.get("data") or {})
    values |= {key: str(value).encode() for key, value in (found.get("stringData") or {}).items()}
    given = {
        path.partition("/")[2]: value.encode()
        for path, value in setting.secret_values.items()
        if path.partition("/")[0] == name
    }
    if found or given:
        return values | given
    if reference.get("optional"):
        return None
    facts.note(f"secret {name} is not among the manifests: --secret {name}/KEY=VALUE gives its values")
    return {}


def read_secret_key(reference: JsonObject, setting: Setting, facts: PodFacts) -> bytes | None:
    """One key of a Secret: a placeholder, noted, where nobody has said it."""
    key = str(reference.get("key", ""))
    values = read_secret(reference, setting, facts)
    if values is not None and key in values:
        return values[key]
    if reference.get("optional"):
        return None
    name = reference.get("name", "")
    facts.note(f"secret {name}/{key} is a placeholder: --secret {name}/{key}=VALUE gives its value")
    return f"placeholder-of-{name}-{key}".encode()


def read_config_map_key(reference: JsonObject, setting: Setting) -> bytes | None:
    """One key of a ConfigMap; raises `ConfigError` if it is not optional and not there."""
    values = read_config_map(reference, setting)
    key = str(reference.get("key", ""))
    if values is not None and key in values:
        return values[key]
    if reference.get("optional"):
        return None
    raise ConfigError(f'configmap "{reference.get("name", "")}" has no key "{key}"')


def _decoded(whose: str, data: Mapping[str, object]) -> dict[str, bytes]:
    try:
        return {key: base64.b64decode(str(value), validate=True) for key, value in data.items()}
    except (binascii.Error, ValueError):
        raise ConfigError(f"{whose}: a value is not base64") from None
