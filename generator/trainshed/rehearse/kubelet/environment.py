"""The variables of a container, as its kubelet would set them, and what the image would have set."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.kubelet import contents, downward
from trainshed.rehearse.kubelet.bytecode import BYTECODE_IN_ROOM, bytecode_of
from trainshed.rehearse.kubelet.expansion import expand
from trainshed.rehearse.kubelet.open_mpi import SAID, in_words_of_5
from trainshed.rehearse.kubelet.setting import HERE, ConfigError, PodFacts, Setting

SHIMS = Path(__file__).parents[1] / "shims"
"""Programs that images have and this machine may lack, or that would ask a name server."""
SHIMS_IN_ROOM = "/.trainshed/bin"
STAND_INS = {"/usr/sbin/sshd": SHIMS / "sshd", "/usr/bin/ssh": SHIMS / "ssh"}
"""Where manifests name such a program by its path in the image."""
PROGRESS_IN_ROOM = "/.trainshed/progress"
_NAME = re.compile(r"[^=\0]+")
_LITERAL = frozenset({"fieldRef", "secretKeyRef"})


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables of a container. `own` are those that the pod sets: only they count in `$(VAR)`.

    `literal` are those that hold the pod's own facts, or what a Secret holds: nothing may rewrite them.
    """

    variables: dict[str, str]
    own: dict[str, str]
    literal: frozenset[str]


def read_environment(container: JsonObject, facts: PodFacts, setting: Setting) -> Environment:
    """What the image would set, then `envFrom`, then `env` in its order, as the API says; raises `ConfigError`."""
    own: dict[str, str] = {}
    literal = {"HOSTNAME"}
    for source in container.get("envFrom") or ():
        values = _all_of(source, facts, setting)
        own |= values
        literal = literal | values.keys() if "secretRef" in source else literal - values.keys()
    for entry in container.get("env") or ():
        name = str(entry.get("name", ""))
        if not _NAME.fullmatch(name):
            raise ConfigError(f'env: "{name}" is no name of a variable')
        source = entry.get("valueFrom") or {}
        value = (
            _from(source, container, facts, setting) if source else expand(str(entry.get("value") or ""), own)
        )
        if value is not None:
            own[name] = _without_zero(name, value)
            literal = literal | {name} if _LITERAL & source.keys() else literal - {name}
    variables = _of_the_image(facts, setting) | own
    if added := in_words_of_5(own):
        facts.note(SAID)
        variables |= added
    variables["PATH"] = _search_path(own.get("PATH"), setting)
    variables["TRAINSHED_PROGRESS"] = PROGRESS_IN_ROOM
    if bytecode_of(facts, setting):
        variables.setdefault("PYTHONPYCACHEPREFIX", BYTECODE_IN_ROOM)
    if facts.address == HERE:  # where nobody has a network of its own, ssh finds sshd by files
        variables["TRAINSHED_DOORS"] = str(facts.folder.parents[1] / "doors")
        literal = literal | {"TRAINSHED_DOORS"}
    return Environment(variables, own, frozenset(literal))


def _of_the_image(facts: PodFacts, setting: Setting) -> dict[str, str]:
    return {"HOME": "/tmp", "HOSTNAME": facts.hostname, **setting.environment}


def _search_path(own: str | None, setting: Setting) -> str:
    """The pod's own PATH, if it has one, between the programs of this project and this machine's."""
    folders = (SHIMS_IN_ROOM, str(setting.python), own, os.environ.get("PATH"), os.defpath)
    return os.pathsep.join(folder for folder in folders if folder)


def _all_of(source: JsonObject, facts: PodFacts, setting: Setting) -> dict[str, str]:
    prefix = str(source.get("prefix") or "")
    if "configMapRef" in source:
        values = contents.read_config_map(source["configMapRef"], setting)
    else:
        values = contents.read_secret(source.get("secretRef") or {}, setting, facts)
    named = ((prefix + key, value) for key, value in (values or {}).items())
    return {name: _text(name, value) for name, value in named if _NAME.fullmatch(name)}


def _from(source: JsonObject, container: JsonObject, facts: PodFacts, setting: Setting) -> str | None:
    if "fieldRef" in source:
        return downward.read_field(source["fieldRef"], facts)
    if "resourceFieldRef" in source:
        return downward.read_resource(source["resourceFieldRef"], container, facts)
    if "configMapKeyRef" in source:
        value = contents.read_config_map_key(source["configMapKeyRef"], setting)
    elif "secretKeyRef" in source:
        value = contents.read_secret_key(source["secretKeyRef"], setting, facts)
    else:
        raise ConfigError(f"env: valueFrom {', '.join(sorted(source))} is not known to rehearse")
    return None if value is None else _text("valueFrom", value)


def _text(name: str, value: bytes) -> str:
    try:
        return _without_zero(name, value.decode())
    except UnicodeDecodeError:
        raise ConfigError(f"env: the value of {name} is not text") from None


def _without_zero(name: str, value: str) -> str:
    if "\0" in value:
        raise ConfigError(f"env: the value of {name} holds a zero byte")
    return value


def unknown_references(container: JsonObject, variables: dict[str, str]) -> Iterator[str]:
    """The `$(VAR)` of command and args that no variable answers: they stay as they are written."""
    for word in (*(container.get("command") or ()), *(container.get("args") or ())):
        without_escapes = str(word).replace("$$", "")
        for name in re.findall(r"\$\(([A-Za-z_][\w.\-]*)\)", without_escapes):
            if name not in variables:
                yield f"$({name})"
