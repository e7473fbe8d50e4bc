"""What a plain word of YAML means: the core schema of YAML 1.2.2, section 10.3.2.

Unlike in YAML 1.1, `yes`, `on`, `1_000`, `12:30` and dates are text, and `012` is twelve.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_STARTS_LIKE_A_NUMBER = frozenset("0123456789+-.")
_MAX_DIGITS = 400
_DECIMAL = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
_SPECIAL = r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"


def _decode_special(text: str) -> float:
    return float(text.replace(".", "", 1))


_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], int | float]], ...] = (
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), lambda text: int(text[2:], 8)),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text[2:], 16)),
    (re.compile(_DECIMAL), float),
    (re.compile(_SPECIAL), _decode_special),
)


def resolve_scalar(text: str) -> Scalar:
    """The value of an unquoted word. A number of more than 400 digits counts as infinite."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _STARTS_LIKE_A_NUMBER:
        return text
    for pattern, decode in _NUMBERS:
        if pattern.fullmatch(text):
            return decode(text) if len(text) <= _MAX_DIGITS else float("inf")
    return text


def is_json_number(value: Scalar) -> bool:
    """Whether JSON readers agree on a number: finite, and within 64 bits if it is whole."""
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return not isinstance(value, float) or value - value == 0
