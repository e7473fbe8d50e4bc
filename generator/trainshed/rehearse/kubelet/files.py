"""Writes what ConfigMaps, Secrets and projections hold into a volume's folder, and nowhere else."""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.kubelet import contents, downward
from trainshed.rehearse.kubelet.setting import ConfigError, PodFacts, Setting

FILE_MODE = 0o644
TOKEN = b"a-token-that-no-cluster-takes"


def write_config_map(folder: Path, source: JsonObject, setting: Setting, _facts: PodFacts) -> None:
    """The keys of a ConfigMap as files, or those that `items` names; raises `ConfigError`."""
    _write_items(folder, contents.read_config_map(source, setting), source, "configmap")


def write_secret(folder: Path, source: JsonObject, setting: Setting, facts: PodFacts) -> None:
    """The keys of a Secret as files; a key that nobody has said is a placeholder."""
    values = contents.read_secret(source, setting, facts)
    if values is not None:
        name = source.get("secretName") or source.get("name")
        asked = {
            str(item.get("key")): {"name": name, "key": item.get("key")} for item in source.get("items") or ()
        }
        said = {key: contents.read_secret_key(reference, setting, facts) for key, reference in asked.items()}
        values = {**values, **{key: value for key, value in said.items() if value is not None}}
    _write_items(folder, values, source, "secret")


def write_fields(folder: Path, source: JsonObject, _setting: Setting, facts: PodFacts) -> None:
    """A downwardAPI volume; raises `ConfigError`."""
    for item in source.get("items") or ():
        if "fieldRef" in item:
            text = downward.read_field(item["fieldRef"], facts)
        else:
            text = downward.read_resource(item.get("resourceFieldRef") or {}, {}, facts)
        _write(
            folder, str(item.get("path", "")), text.encode(), item.get("mode") or source.get("defaultMode")
        )


def write_projected(folder: Path, source: JsonObject, setting: Setting, facts: PodFacts) -> None:
    """All sources of a projected volume in one folder; raises `ConfigError`."""
    for part in source.get("sources") or ():
        for kind, inner in part.items():
            inner = {"defaultMode": source.get("defaultMode"), **inner}
            if kind in _PROJECTED:
                _PROJECTED[kind](folder, inner, setting, facts)
            elif kind == "serviceAccountToken":
                facts.note("the service account's token is a placeholder: there is no API server to take it")
                _write(folder, str(inner.get("path", "")), TOKEN, None)
            else:
                facts.note(f"a projected {kind} is left empty")


def safe_path(path: str) -> PurePosixPath:
    """A path that stays below its volume, with the rule of the API server; raises `ConfigError`."""
    parts = path.split("/")
    if not path or path.startswith("/") or ".." in parts or parts[0].startswith("..") or "\0" in path:
        raise ConfigError(f'"{path}" is no path inside of a volume')
    return PurePosixPath(path)


def _write_items(folder: Path, values: Mapping[str, bytes] | None, source: JsonObject, kind: str) -> None:
    for key, path, mode in _items(values or {}, source):
        if values is None:
            continue
        if key not in values:
            if source.get("optional"):
                continue
            raise ConfigError(f'{kind} "{source.get("name") or source.get("secretName")}" has no key "{key}"')
        _write(folder, path, values[key], mode)


def _items(values: Mapping[str, bytes], source: JsonObject) -> Iterator[tuple[str, str, int | None]]:
    default = source.get("defaultMode")
    items = source.get("items")
    if not items:
        yield from ((key, key, default) for key in values)
        return
    for item in items:
        yield str(item.get("key", "")), str(item.get("path", "")), item.get("mode") or default


def _write(folder: Path, path: str, content: bytes, mode: int | None) -> None:
    file = folder / safe_path(path)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        file.write_bytes(content)
    except OSError as error:
        raise ConfigError(f'"{path}" cannot be a file of a volume: {error.strerror}') from None
    file.chmod((FILE_MODE if mode is None else mode) & 0o777)


_PROJECTED = {"configMap": write_config_map, "downwardAPI": write_fields, "secret": write_secret}
