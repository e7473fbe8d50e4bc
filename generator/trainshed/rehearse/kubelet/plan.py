"""From a container of a manifest to the process that it is started as."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.kubelet.bytecode import bytecode_of
from trainshed.rehearse.kubelet.environment import (
    PROGRESS_IN_ROOM,
    SHIMS,
    SHIMS_IN_ROOM,
    STAND_INS,
    read_environment,
    unknown_references,
)
from trainshed.rehearse.kubelet.expansion import expand
from trainshed.rehearse.kubelet.setting import ConfigError, PodFacts, Setting
from trainshed.rehearse.kubelet.volumes import Volumes
from trainshed.rehearse.rooms.room import Mount, ProcessToStart

NON_ROOT = 65532
"""The user of a container that must not be root and does not say who it is; many small images use this number."""
MOST_USERS = 2**32 - 2


def plan_process(
    container: JsonObject, facts: PodFacts, setting: Setting, volumes: Volumes, output: Path, progress: Path
) -> ProcessToStart:
    """The process of a container; raises `ConfigError` for what its kubelet could not start either.

    `progress` is a folder of this life of the container, whose name no other life has.
    """
    name = container.get("name", "")
    environment = read_environment(container, facts, setting)
    for reference in unknown_references(container, environment.own):
        facts.note(f"container {name}: no variable answers {reference}, so it stays as it is written")
    if not container.get("command"):
        raise ConfigError(
            f"container {name} has no command: it would run what its image {container.get('image', '')} "
            "starts with, which is not here; say it with --command"
        )
    words = (*container["command"], *(container.get("args") or ()))
    command = tuple(expand(str(word), environment.own) for word in words)
    if any("\0" in word for word in command):
        raise ConfigError(f"container {name}: a word of its command holds a zero byte")
    user, group = _user_of(container, facts)
    return ProcessToStart(
        command=command,
        environment=environment.variables,
        output=str(output),
        folder=str(container.get("workingDir") or "/"),
        mounts=(
            *_own_mounts(facts, setting, progress, command),
            *volumes.mounts_of(container, environment.own, progress.name),
        ),
        keep=tuple(_kept(setting)),
        user=user,
        group=group,
        no_new_privileges=_security(container, facts, "allowPrivilegeEscalation") is False,
        literal=environment.literal,
    )


def names_file(facts: PodFacts, name: str) -> Path:
    """Where a file of the pod's /etc lies, such as its `hosts`."""
    return facts.folder / "etc" / name


def write_names(facts: PodFacts) -> None:
    """What looks up names: first this pod's hosts file, and then nothing, for there is no name server."""
    names_file(facts, "hosts").parent.mkdir(parents=True, exist_ok=True)
    names_file(facts, "hosts").touch()
    names_file(facts, "hostname").write_text(f"{facts.hostname}\n", "utf-8")
    domains = " ".join(f"{prefix}cluster.local" for prefix in (f"{facts.namespace}.svc.", "svc.", ""))
    names_file(facts, "resolv.conf").write_text(f"search {domains}\noptions ndots:5\n", "utf-8")
    names_file(facts, "nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files\n", "utf-8")


def _own_mounts(
    facts: PodFacts, setting: Setting, progress: Path, command: tuple[str, ...]
) -> Iterator[Mount]:
    for name in ("hosts", "hostname", "resolv.conf", "nsswitch.conf"):
        yield Mount(f"/etc/{name}", str(names_file(facts, name)), read_only=name != "hosts")
    yield Mount(SHIMS_IN_ROOM, str(SHIMS), read_only=True)
    yield Mount(PROGRESS_IN_ROOM, str(progress))
    if bytecode := bytecode_of(facts, setting):
        yield bytecode
    for path, program in STAND_INS.items():
        if any(path in word for word in command):
            yield Mount(path, str(program), read_only=True)


def _kept(setting: Setting) -> Iterator[str]:
    """Where the programs that run here are installed, so that a pod's own /tmp does not hide them."""
    interpreter = setting.python / "python"
    folders = [setting.python.parent, Path(sys.prefix), Path(sys.base_prefix)]
    if interpreter.exists():
        folders += [*_folders_of_links(interpreter), interpreter.resolve().parent.parent]
    yield from sorted({str(folder) for folder in folders} - {"/", "/usr"})


def _folders_of_links(program: Path) -> Iterator[Path]:
    """Where the symbolic links lie that lead to a program, one after the other."""
    while program.is_symlink():
        yield program.parent
        program = program.parent / program.readlink()


def _user_of(container: JsonObject, facts: PodFacts) -> tuple[int, int]:
    user, group = (_security(container, facts, field) for field in ("runAsUser", "runAsGroup"))
    non_root = _security(container, facts, "runAsNonRoot")
    if user is None:
        user = NON_ROOT if non_root else 0
        facts.note(f"the image's own user is not known here: user {user} is taken")
    if user == 0 and non_root:
        raise ConfigError(f"container {container.get('name', '')}: runAsNonRoot, and runAsUser is 0")
    return _number(user, container), _number(0 if group is None else group, container)


def _number(value: object, container: JsonObject) -> int:
    if not isinstance(value, int) or not 0 <= value <= MOST_USERS:
        raise ConfigError(f"container {container.get('name', '')}: {value} is no number of a user or group")
    return value


def _security(container: JsonObject, facts: PodFacts, field: str) -> object:
    own = container.get("securityContext") or {}
    shared = facts.spec.get("securityContext") or {}
    return own.get(field) if own.get(field) is not None else shared.get(field)


def program_of_probes() -> str:
    """The Python that connects for probes."""
    return os.path.abspath(sys.executable)
