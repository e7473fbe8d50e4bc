"""What a plain word means to kubectl: YAML 1.1 as goyaml.v2 below sigs.k8s.io/yaml v1.6.0 reads it, then JSON.

`yes`, `y` and `on` are true, `0755` is 493, `1_000` is a thousand, `08` is eight; `12:30` and dates stay text.
"""

import re
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None

_WORDS: dict[str, bool | float | None] = {
    **{word: True for name in ("y", "yes", "true", "on") for word in (name, name.capitalize(), name.upper())},
    **{
        word: False
        for name in ("n", "no", "false", "off")
        for word in (name, name.capitalize(), name.upper())
    },
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **{sign + word: float("inf") for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_STARTS_LIKE_A_NUMBER = frozenset("0123456789+-")
_INTEGERS = (
    (re.compile(r"([-+]?)0[xX]([0-9a-fA-F]+)"), 16),
    (re.compile(r"([-+]?)0[bB]([01]+)"), 2),
    (re.compile(r"([-+]?)0[oO]?([0-7]+)"), 8),
    (re.compile(r"([-+]?)(0|[1-9][0-9]*)"), 10),
)
_FRACTION = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_MAX_DIGITS = 400
_INT64 = range(-(2**63), 2**63)


def resolve_word(text: str) -> Scalar:
    """The value of an unquoted word. Infinities and what is no number stand for what JSON cannot hold."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _read_fraction(text, text)
    if text[0] not in _STARTS_LIKE_A_NUMBER:
        return text
    plain = text.replace("_", "")
    for pattern, base in _INTEGERS if len(plain) <= _MAX_DIGITS else ():
        if digits := pattern.fullmatch(plain):
            number = int(digits[2], base) * (-1 if digits[1] == "-" else 1)
            if number in _INT64 or (not digits[1] and number < 2**64):
                return fit_number(number)
    return _read_fraction(plain, text)


def fit_number(number: int) -> int | float:
    """A whole number as the API server holds it: in 64 bits, or with a fraction."""
    return number if number in _INT64 else float(number)


def _read_fraction(plain: str, text: str) -> int | float | str:
    """A fraction that is whole is written to JSON without a point; one that is too large stays text."""
    if not _FRACTION.fullmatch(plain):
        return text
    number = float(plain)
    if number in (float("inf"), float("-inf")):
        return text
    return int(number) if number.is_integer() and int(number) in _INT64 else number
