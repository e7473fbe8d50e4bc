"""Data that a job names: a volume, a claim, a bucket's address, a ConfigMap, a path of the node; one form each."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from trainshed.model.codes import Code
from trainshed.model.naming import LABEL_MAX
from trainshed.model.pods import Mount
from trainshed.model.spec.storage import DataMount
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import check_config_map, check_secret
from trainshed.resolve.found import Field, Found, Mounting
from trainshed.resolve.raw_volumes import find_host_path, find_source

VOLUME_NAMES = frozenset(
    {
        "code",
        "git",
        "passwd",
        "parameters",
        "shm",
        "scratch",
        "tmp",
        "checkpoints",
        "local-checkpoints",
        "output",
        "ca-bundle",
    }
)
"""Names of volumes that pods have for other purposes."""

LONGEST_NAME = LABEL_MAX - len("require-")
"""So that the init containers of the data, named after it, keep within a DNS label."""

_URI_ONLY = ("mode", "size", "credentials")
_MOUNT_ONLY = ("subPath", "readOnly", "requires")

Look = Callable[[Mounting, str, DataMount, Field], Found | None]


def resolve_data(mounting: Mounting, name: str, data: DataMount) -> Mount | None:
    """What is mounted for one entry of `data`; nothing where the code is only told an address."""
    draft, at = mounting.draft, ("data", name)
    if name in VOLUME_NAMES:
        draft.refuse(
            Code.NAME_TAKEN, at, f'"{name}" is the name of a volume of our own', "call the data otherwise"
        )
    forms = [form for form in FORMS if getattr(data, form) is not None]
    if not _check_forms(draft, name, [_FORM_WORDS[form] for form in forms]):
        return None
    _check_fields(draft, at, data)
    if data.uri is not None and data.mode != "prefetch":
        return None
    if data.mount_path is None:
        draft.refuse(
            Code.MISSING_FIELD,
            at,
            f'data "{name}" does not say where it is mounted',
            "write mountPath: /data",
        )
        return None
    (form,) = forms
    found = FORMS[form](mounting, name, data, (*at, _FORM_WORDS[form]))
    if found is None:
        return None
    read_only = bool(data.read_only) or found.kind == "readOnlyClaim"
    return Mount(name, found.kind, found.origin, data.mount_path, data.sub_path or "", read_only, at)


def _check_forms(draft: Draft, name: str, words: list[str]) -> bool:
    at = ("data", name)
    if not words:
        draft.refuse(
            Code.MISSING_CHOICE,
            at,
            f'data "{name}" does not say what is mounted',
            "write one of volume, claim, create, uri, configMap and secret, such as {volume: data, mountPath: /data}",
        )
    if len(words) > 1:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*at, words[-1]),
            f'data "{name}" says {" and ".join(words)}',
            "keep one of them",
        )
    return len(words) == 1


def _check_fields(draft: Draft, at: Field, data: DataMount) -> None:
    """Fields beside the form: those of a uri, those of a mount, and paths that stay inside."""
    is_mounted = data.uri is None or data.mode == "prefetch"
    idle = _URI_ONLY if data.uri is None else () if is_mounted else (*_MOUNT_ONLY, "mountPath", "size")
    for word in idle:
        if draft.sources.has(*at, word):
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                (*at, word),
                f"{word} is for data that is {'fetched or read by its address' if data.uri is None else 'mounted'}",
                "write uri: <its address>, or leave it out"
                if data.uri is None
                else "write mode: prefetch, or leave it out",
            )
    for word, path in (("subPath", data.sub_path), ("requires", data.requires)):
        if path is not None and (not path or path.startswith("/") or ".." in path.split("/")):
            draft.refuse(
                Code.BAD_PATH,
                (*at, word),
                f'"{path}" leads out of the volume',
                'write a path inside the volume, without a leading "/" and without ".."',
            )
    if (data.requires is not None or data.uri is not None) and len(at[1]) > LONGEST_NAME:
        draft.refuse(
            Code.NAME_TOO_LONG,
            at,
            f'"{at[1]}" leaves no room for the init container that is named after it',
            f"use at most {LONGEST_NAME} characters",
        )


def _volume(mounting: Mounting, _: str, data: DataMount, at: Field) -> Found | None:
    draft, name = mounting.draft, data.volume or ""
    volume = draft.team.volumes.get(name)
    # A bucket that is only read is mounted so without a word, unless the job insists on writing.
    insists = data.read_only is False
    only_read = volume is not None and volume.access == "rox" and not insists
    return mounting.volume(name, at, writes=not data.read_only and not only_read)


def _claim(mounting: Mounting, _: str, data: DataMount, at: Field) -> Found | None:
    return mounting.claim(data.claim or "", at)


def _create(mounting: Mounting, name: str, data: DataMount, at: Field) -> Found | None:
    return mounting.create(name, data.create, at) if data.create else None


def _fetched(mounting: Mounting, name: str, data: DataMount, at: Field) -> Found | None:
    if data.size is None:
        mounting.draft.refuse(
            Code.MISSING_FIELD,
            at[:-1],
            f'data "{name}" does not say how much is fetched',
            "write size: 100Gi, the local disk that it takes",
        )
        return None
    return Found("folder", data.size)


def _config_map(mounting: Mounting, _: str, data: DataMount, at: Field) -> Found | None:
    check_config_map(mounting.draft, data.config_map or "", at)
    return Found("configMap", data.config_map or "")


def _secret(mounting: Mounting, _: str, data: DataMount, at: Field) -> Found | None:
    check_secret(mounting.draft, data.secret or "", at)
    return Found("secret", data.secret or "")


FORMS: Mapping[str, Look] = MappingProxyType(
    {
        "volume": _volume,
        "claim": _claim,
        "create": _create,
        "uri": _fetched,
        "config_map": _config_map,
        "secret": _secret,
        "host_path": find_host_path,
        "source": find_source,
    }
)
"""What data may be, by the attribute of `DataMount`."""

_FORM_WORDS: Mapping[str, str] = {form: form for form in FORMS} | {
    "config_map": "configMap",
    "host_path": "hostPath",
}
