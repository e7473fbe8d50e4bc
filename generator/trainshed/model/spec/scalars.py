"""The scalars of the grammar: names, quantities, durations. Each is checked here and kept in canonical form."""

import re
from typing import Annotated, Any, LiteralString, TypeAlias, cast

from pydantic import AfterValidator, BeforeValidator, Field, Strict, WithJsonSchema
from pydantic_core import PydanticCustomError

from trainshed.model.codes import Code
from trainshed.model.quantity import QuantityError, canonical_quantity

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_IMAGE = re.compile(
    r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\.[a-z0-9-]+)*(?::\d+)?(?:/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?",
    re.ASCII,
)
_DURATION = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_MINOR = re.compile(r"1\.[0-9]{1,3}")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESOURCE = re.compile(r"(?!.*\.\.)[a-z0-9][-a-z0-9.]{0,252}/[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_NETWORK = re.compile(r"[a-z0-9][-a-z0-9.]{0,251}(?:/[a-z0-9][-a-z0-9.]{0,251})?(?:@[a-z0-9]{1,15})?")
_INTERFACE = re.compile(r"[=^]?[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}(?:,[A-Za-z0-9][A-Za-z0-9_.:-]{0,63})*")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PORT_NAME = re.compile(r"(?!.*--)(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?")
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")


def refuse(code: Code, message: str, detail: str = "") -> PydanticCustomError:
    """An error that load turns into a finding with this very code, summary and detail."""
    return PydanticCustomError(
        cast("LiteralString", code.value), "{message}", {"message": message, "detail": detail}
    )


def _fits(pattern: re.Pattern[str], code: Code, complaint: str, advice: str) -> AfterValidator:
    """Text that is all of the pattern; anything else is refused in these words."""

    def check(text: str) -> str:
        if pattern.fullmatch(text) is None:
            raise refuse(code, f'"{text}" {complaint}', advice)
        return text

    return AfterValidator(check)


def _read_quantity(value: Any) -> str:
    text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    try:
        if isinstance(text, str):
            return canonical_quantity(text)
    except QuantityError:
        pass
    raise refuse(
        Code.BAD_QUANTITY,
        f'"{value}" is not a quantity',
        "write a number with a Kubernetes suffix, such as 500m, 8, 64Gi or 1.5Ti",
    )


def _read_duration(value: Any) -> int:
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None or int(match[1]) == 0:
        raise refuse(
            Code.BAD_DURATION,
            f'"{value}" is not a duration',
            "write a whole number and a unit: 90s, 15m, 8h or 7d",
        )
    return int(match[1]) * _SECONDS[match[2]]


_OF_CONTAINERS = frozenset({"requests", "limits", "cpu", "memory"})
"""What people write below `resources` for Kubernetes."""


def _check_resource(text: str) -> str:
    domain = text.partition("/")[0]
    if _RESOURCE.fullmatch(text) is None or domain.endswith("kubernetes.io") or len(domain) > 253:
        raise refuse(
            Code.BAD_NAME,
            f'"{text}" is not the name of a resource that a device plugin offers',
            "write gpus, cpu and memory, whose limits follow by themselves; here stand other devices: {amd.com/gpu: 1}"
            if text in _OF_CONTAINERS
            else "write its domain and name, such as amd.com/gpu",
        )
    return text


def _read_text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return value
    shown = "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    raise refuse(Code.WRONG_TYPE, f"expected text, found {shown}", "put it in quotes")


def _check_absolute(text: str) -> str:
    if not text.startswith("/") or ".." in text.split("/") or ":" in text:
        raise refuse(
            Code.BAD_PATH,
            f'"{text}" is not a path in the container',
            'write an absolute path without ".." or ":"',
        )
    return text.rstrip("/") or "/"


_IS_NAME = _fits(
    _NAME,
    Code.BAD_NAME,
    "is not a name that Kubernetes takes",
    "use lower-case letters, digits and dashes, a letter first, at most 63 characters",
)
_IS_MINOR = _fits(
    _MINOR, Code.BAD_VALUE, "is not a minor version of Kubernetes", 'write it in quotes, such as "1.36"'
)
_IS_IMAGE = _fits(
    _IMAGE,
    Code.BAD_IMAGE,
    "is not an image reference",
    "write registry/repository:tag, or registry/repository@sha256:… for one that never moves",
)
_IS_COMMIT = _fits(
    _COMMIT,
    Code.GIT_COMMIT,
    "is not a commit",
    "write the full commit (40 hexadecimal digits): a branch or tag may move, and the run with it",
)
_IS_ENV_NAME = _fits(
    _ENV_NAME, Code.BAD_NAME, "is not the name of an environment variable", "use letters, digits and _"
)
_IS_NETWORK = _fits(
    _NETWORK,
    Code.BAD_NAME,
    "is not the name of a network",
    "write name, namespace/name, or either with @interface",
)
_IS_INTERFACE = _fits(
    _INTERFACE,
    Code.BAD_VALUE,
    "does not name an interface",
    "write for example eth0; ^docker for all but those, =eth0 for exactly that one",
)
_IS_PORT_NAME = _fits(
    _PORT_NAME,
    Code.BAD_NAME,
    "is not the name of a port",
    "use at most 15 lower-case letters, digits and single dashes, and at least one letter",
)
_IS_LABEL_VALUE = _fits(
    _LABEL_VALUE,
    Code.BAD_LABEL,
    "cannot be the value of a label",
    "use at most 63 letters, digits, '-', '_' and '.', the first and last a letter or digit",
)

Name: TypeAlias = Annotated[
    str,
    _IS_NAME,
    WithJsonSchema({"type": "string", "pattern": "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$"}),
]
"""A DNS-1035 label: what Kubernetes takes as the name of any object."""

Quantity: TypeAlias = Annotated[
    str, BeforeValidator(_read_quantity), WithJsonSchema({"type": ["string", "number"], "minimum": 0})
]
"""A Kubernetes quantity in canonical form."""

Duration: TypeAlias = Annotated[
    int, BeforeValidator(_read_duration), WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,9}[smhd]$"})
]
"""A length of time such as 90s, 15m, 8h, 7d; in seconds."""

Text: TypeAlias = Annotated[str, BeforeValidator(_read_text), WithJsonSchema({"type": ["string", "integer"]})]
"""Text, or a whole number that is meant as text."""

KubernetesMinor: TypeAlias = Annotated[
    str, _IS_MINOR, WithJsonSchema({"type": "string", "pattern": "^1\\.[0-9]{1,3}$"})
]
"""A minor version of Kubernetes, such as "1.36"."""

Image: TypeAlias = Annotated[str, _IS_IMAGE]
Commit: TypeAlias = Annotated[
    str,
    _IS_COMMIT,
    WithJsonSchema({"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"}),
]
PortName: TypeAlias = Annotated[str, _IS_PORT_NAME]
"""The name of a port as IANA and Kubernetes take it."""

EnvName: TypeAlias = Annotated[str, _IS_ENV_NAME]
LabelValue: TypeAlias = Annotated[str, _IS_LABEL_VALUE, Field(max_length=63)]
ContainerPath: TypeAlias = Annotated[
    str, AfterValidator(_check_absolute), WithJsonSchema({"type": "string", "pattern": "^/"})
]
ResourceName: TypeAlias = Annotated[
    str,
    AfterValidator(_check_resource),
    WithJsonSchema({"type": "string", "pattern": "^[-a-z0-9.]+/[-A-Za-z0-9_.]+$"}),
]
"""An extended resource, with its domain: amd.com/gpu."""

InterfaceName: TypeAlias = Annotated[str, _IS_INTERFACE]
"""Network interfaces as NCCL_SOCKET_IFNAME takes them: prefixes, `^` for all but those, `=` for exact names."""

NetworkNames: TypeAlias = Annotated[tuple[Annotated[str, _IS_NETWORK], ...], Strict(False)]
"""Secondary networks, as Multus or GKE call them."""

Names: TypeAlias = Annotated[tuple[Name, ...], Strict(False)]
Texts: TypeAlias = Annotated[tuple[Text, ...], Strict(False)]
Count: TypeAlias = Annotated[int, Field(ge=1, le=100_000)]
