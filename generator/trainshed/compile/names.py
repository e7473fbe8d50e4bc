"""The hashed ConfigMaps of a run: named by what they hold, so that they never change under a running pod."""

import re
from dataclasses import dataclass

from trainshed.catalog.runtime import runtime_files
from trainshed.model.manifest import canonical_json
from trainshed.model.naming import content_name
from trainshed.model.plan import Target
from trainshed.model.pods import CodeFile

_NOT_IN_KEYS = re.compile(r"[^-._a-zA-Z0-9]")


@dataclass(frozen=True, slots=True)
class ConfigMapFiles:
    """A ConfigMap's name, and its code files by key (a key has no slash, a path may)."""

    name: str
    files: tuple[tuple[str, CodeFile], ...] = ()


def code_config_map(target: Target) -> ConfigMapFiles:
    """The ConfigMap that carries the code files."""
    files = tuple(zip(_keys(target.code_files), target.code_files, strict=True))
    content = canonical_json({key: file.content.hex() for key, file in files})
    return ConfigMapFiles(content_name(target.job, "code", content.encode()), files)


def parameters_config_map(target: Target) -> ConfigMapFiles:
    """The ConfigMap that carries the parameters."""
    return ConfigMapFiles(content_name(target.job, "parameters", target.parameters.encode()))


def runtime_keys() -> dict[str, str]:
    """The files of the training runtime: the path of each below its folder, by its key in the ConfigMap."""
    return {path.replace("/", "__"): path for path in runtime_files()}


def runtime_config_map(target: Target) -> ConfigMapFiles:
    """The ConfigMap that carries the training runtime."""
    return ConfigMapFiles(content_name(target.job, "runtime", canonical_json(dict(runtime_files())).encode()))


PASSWD_FILE = "passwd"


def needs_passwd(target: Target) -> bool:
    """Whether the clone goes over ssh as a numeric user: ssh refuses to run for a user without a name."""
    return bool(target.git and target.git.secret and target.run_as.user)


def passwd_text(target: Target) -> str:
    """A line that gives the numeric user a name."""
    return f"train:x:{target.run_as.user}:{target.run_as.group or 0}::/tmp:/sbin/nologin\n"


def passwd_config_map(target: Target) -> ConfigMapFiles:
    """The ConfigMap that names the user for ssh."""
    return ConfigMapFiles(content_name(target.job, "passwd", passwd_text(target).encode()))


def _keys(files: tuple[CodeFile, ...]) -> list[str]:
    """A key for each file: its path where a key may be so, numbered where two would be the same."""
    keys: list[str] = []
    for file in files:
        key = _NOT_IN_KEYS.sub("_", file.mounted_as.replace("/", "__"))
        keys.append(key if key not in keys else f"{len(keys)}-{key}")
    return keys
