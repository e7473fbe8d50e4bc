"""Environment variables, and the words in them that must not be there."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.diagnostic import error
from trainshed.model.pods import CodeFile, EnvVar
from trainshed.model.secrets import find_secret, names_secret
from trainshed.model.source import Source
from trainshed.model.spec.program import EnvValue
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft
from trainshed.resolve.labels import is_label_key

RESERVED_PREFIXES = ("TRAINSHED_", "PET_", "TORCHELASTIC_", "KUBERNETES_")
"""What torchrun, Kubernetes and trainshed set; with what the kind's operator sets, a second value would win or lose
by luck."""

SETTABLE = frozenset({"TRAINSHED_NOTICE"})
"""What of it is the job's own to set: where an agent of the cloud writes that the node is to go."""

POD_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "metadata.labels['KEY']",
    "metadata.annotations['KEY']",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
"""What the downward API gives to variables."""

_KEYED_FIELD = re.compile(r"metadata\.(?:labels|annotations)\['(.*)'\]", re.DOTALL)
_KEY = re.compile(r"[-._A-Za-z0-9]{1,253}")

_TAKE_OUT = (
    "take it out, revoke it (whoever reads the history has it),"
    " and refer to it: env: {NAME: {secret: …, key: …}}"
)


def resolve_env(
    draft: Draft,
    backend: Backend,
    written: Mapping[str, EnvValue | None] | None,
    at: tuple[str | int, ...] = ("env",),
) -> tuple[EnvVar, ...]:
    """The variables in the order of their names, each checked."""
    variables: list[EnvVar] = []
    for name, value in sorted((written or {}).items()):
        if value is None:
            continue
        path = (*at, name)
        if (name.startswith(RESERVED_PREFIXES) and name not in SETTABLE) or name in backend.carrier.env:
            draft.refuse(
                Code.RESERVED_ENV,
                path,
                f"{name} is set by the operator, the launcher or trainshed",
                "leave it out; nodes, gpus and procsPerNode say what it would say",
            )
        variables += _resolve_variable(draft, path, name, value)
    return tuple(variables)


def _resolve_variable(draft: Draft, path: tuple[str | int, ...], name: str, value: EnvValue) -> list[EnvVar]:
    forms = [form for form in ("value", "secret", "config_map", "field") if getattr(value, form) is not None]
    if len(forms) != 1:
        draft.refuse(
            Code.CONFLICTING_CHOICE if forms else Code.MISSING_CHOICE,
            path,
            f"{name} takes exactly one of text, secret, configMap and field",
            "write for example {secret: wandb, key: api-key}",
        )
        return []
    if value.value is not None:
        if find_secret(value.value) or (names_secret(name) and value.value):
            refuse_secret(draft, path, f"{name} holds a secret in clear")
        return [EnvVar(name, "value", value.value)]
    if value.field is not None:
        _check_field(draft, (*path, "field"), value.field)
        return [EnvVar(name, "field", value.field)]
    if value.key is None:
        draft.refuse(
            Code.MISSING_FIELD, path, f"{name} does not say which key", "write key: <key of the Secret>"
        )
        return []
    if not _KEY.fullmatch(value.key) or value.key == "." or value.key.startswith(".."):
        draft.refuse(
            Code.BAD_NAME,
            (*path, "key"),
            f'"{value.key}" is not the key of a Secret or ConfigMap',
            "use letters, digits, '-', '_' and '.', at most 253 of them",
        )
    if value.secret is not None:
        check_secret(draft, value.secret, (*path, "secret"))
        return [EnvVar(name, "secret", value.secret, value.key)]
    check_config_map(draft, value.config_map or "", (*path, "configMap"))
    return [EnvVar(name, "configMap", value.config_map or "", value.key)]


def _check_field(draft: Draft, path: tuple[str | int, ...], field: str) -> None:
    keyed = _KEYED_FIELD.fullmatch(field)
    if field not in POD_FIELDS and not (keyed and is_label_key(keyed[1])):
        draft.refuse(
            Code.UNKNOWN_VALUE,
            path,
            f'"{field}" is not a field of the pod that a variable can hold',
            did_you_mean(field, POD_FIELDS) or f"write one of {', '.join(POD_FIELDS)}",
        )


def refuse_secret(draft: Draft, path: tuple[str | int, ...], summary: str) -> None:
    """A finding that never repeats the secret."""
    draft.refuse(
        Code.PLAIN_SECRET,
        path,
        summary,
        _TAKE_OUT,
    )


def check_plain_secrets(draft: Draft, code: Iterable[CodeFile]) -> None:
    """Findings for credentials among arguments, parameters and the code that travels with the run."""
    run = draft.body.run
    for field, texts in (("args", run.args if run else None), ("command", run.command if run else None)):
        for index, text in enumerate(texts or ()):
            if find_secret(text):
                refuse_secret(draft, ("run", field, index), "an argument holds a secret in clear")
    for field, words in (("parameters", draft.body.parameters), ("runtimeEnv", draft.body.runtime_env)):
        for key, value in (words or {}).items():
            if find_secret(repr(value)):
                refuse_secret(draft, (field, key), f"{field} hold a secret in clear")
    for file in code:
        text = file.content.decode("utf-8", "replace")
        span = find_secret(text)
        if span is not None:
            place = _locate(file.path, text, *span)
            draft.findings.append(
                error(Code.PLAIN_SECRET, place, f'"{file.mounted_as}" holds a secret in clear', _TAKE_OUT)
            )


def _locate(path: PurePosixPath, text: str, start: int, end: int) -> Source:
    """The line and column of a part of a file."""
    line_start = text.rfind("\n", 0, start) + 1
    return Source(path, text.count("\n", 0, start) + 1, start - line_start + 1, end - start)


def check_secret(draft: Draft, name: str, path: tuple[str | int, ...]) -> None:
    """A finding where the team does not declare the Secret."""
    if name not in draft.team.secrets:
        draft.refuse(
            Code.UNKNOWN_SECRET,
            path,
            f'team "{draft.team.name}" declares no Secret "{name}"',
            did_you_mean(name, draft.team.secrets)
            or f"add it to the secrets in {draft.team.source.path}, and make it in namespace {draft.team.namespace}",
        )


def check_config_map(draft: Draft, name: str, path: tuple[str | int, ...]) -> None:
    """A finding where the team does not declare the ConfigMap."""
    if name not in draft.team.config_maps:
        draft.refuse(
            Code.UNKNOWN_CONFIG_MAP,
            path,
            f'team "{draft.team.name}" declares no ConfigMap "{name}"',
            did_you_mean(name, draft.team.config_maps)
            or f"add it to the configMaps in {draft.team.source.path}, and make it in namespace {draft.team.namespace}",
        )


def check_env_from(draft: Draft) -> None:
    """Findings for Secrets and ConfigMaps that the job takes whole, or clones code with."""
    env_from = draft.body.env_from
    for index, name in enumerate((env_from and env_from.secrets) or ()):
        check_secret(draft, name, ("envFrom", "secrets", index))
    for index, name in enumerate((env_from and env_from.config_maps) or ()):
        check_config_map(draft, name, ("envFrom", "configMaps", index))
    git = draft.body.code.git if draft.body.code else None
    if git is not None and git.secret is not None:
        check_secret(draft, git.secret, ("code", "git", "secret"))
