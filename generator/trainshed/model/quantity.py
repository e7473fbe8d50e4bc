"""Kubernetes quantities: read, compared, and written in the one canonical spelling.

The rules are those of `resource.Quantity` in k8s.io/apimachinery: a canonical quantity has no fraction and the
largest suffix that keeps it whole. Operators write objects back in this form, so any other spelling would
show as a difference in Argo CD for ever.
"""

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_FORM = re.compile(
    r"(\d{1,24}(?:\.\d{0,24})?|\.\d{1,24})(?:([eE][+-]?\d{1,2})|([KMGTPE]i|[numkMGTPE]))?", re.ASCII
)
_LARGEST = 2**63 - 1


class QuantityError(ValueError):
    """The text is not a quantity that Kubernetes takes."""


@lru_cache(maxsize=4096)  # a thousand jobs ask for the same few amounts
def parse_quantity(text: str) -> Fraction:
    """The number that a quantity stands for; never negative.

    Raises:
        QuantityError: the text is no quantity, is finer than a billionth, or exceeds 2**63 - 1.

    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise QuantityError(text)
    number, exponent, suffix = match.groups()
    value = Fraction(number if number[0] != "." else "0" + number)
    if exponent:
        value *= Fraction(10) ** int(exponent[1:])
    elif suffix in _BINARY:
        value *= 1024 ** _BINARY[suffix]
    else:
        value *= Fraction(10) ** _DECIMAL[suffix or ""]
    if value > _LARGEST or (value * 10**9).denominator != 1:
        raise QuantityError(text)
    return value


def add_quantities(one: str, other: str) -> str:
    """The sum, in the form of the first."""
    total = parse_quantity(one) + parse_quantity(other)
    return format_binary(total) if one.endswith("i") else format_decimal(total)


def subtract_quantities(one: str, other: str) -> str:
    """What is left of the first, in its form; never less than nothing."""
    left = max(parse_quantity(one) - parse_quantity(other), Fraction(0))
    return format_binary(left) if one.endswith("i") else format_decimal(left)


def canonical_quantity(text: str) -> str:
    """The same quantity as Kubernetes itself would write it: `1024Mi` is `1Gi`, `0.5` is `500m`."""
    value = parse_quantity(text)
    return format_binary(value) if text.endswith("i") else format_decimal(value)


def format_decimal(value: Fraction | int) -> str:
    """A number with the largest decimal suffix that keeps it whole."""
    if value == 0:
        return "0"
    for suffix, power in sorted(_DECIMAL.items(), key=lambda item: -item[1]):
        scaled = Fraction(value) / Fraction(10) ** power
        if scaled.denominator == 1:
            return f"{scaled.numerator}{suffix}"
    raise QuantityError(str(value))


def describe_amount(resource: str, value: Fraction | int) -> str:
    """An amount as people say it: `64 CPUs`, `238.8Gi of memory`, `32 nvidia.com/gpu`."""
    number = value / 2**30 if resource == "memory" else value
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return text + {"cpu": " CPUs", "memory": "Gi of memory"}.get(resource, f" {resource}")


def format_binary(value: Fraction | int) -> str:
    """A number of bytes with the largest binary suffix that keeps it whole; below 1Ki in decimal form."""
    if value < 1024:
        return format_decimal(value)
    for suffix, power in sorted(_BINARY.items(), key=lambda item: -item[1]):
        scaled = Fraction(value) / 1024**power
        if scaled.denominator == 1:
            return f"{scaled.numerator}{suffix}"
    return format_decimal(value)


def sum_quantities(texts: Iterable[str]) -> str:
    """Several amounts of bytes as one."""
    return format_binary(sum(map(parse_quantity, texts), Fraction(0)))
