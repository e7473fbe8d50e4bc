"""What to write instead, where a value is of the wrong type."""

import re
from typing import Any

from trainshed.load.yaml_scalars import resolve_scalar

_PLAIN_WORD = re.compile(r"[-\w./=+]+")
_YES, _NO = frozenset(("yes", "on", "y", "1")), frozenset(("no", "off", "n", "0"))


def advise_type(expected: str, value: Any) -> str:
    """The next step for a person who wrote `value` where `expected` belongs; empty where none is sure."""
    match expected, value:
        case _, None:
            return "write a value behind the colon, or remove the line"
        case "text", bool() | int() | float():
            return "put it in quotes"
        case "a list", str() | int() | float():
            words = str(value).split()
            plain = len(str(value)) <= 40 and all(map(_PLAIN_WORD.fullmatch, words))
            return f"write it as a list: [{', '.join(words)}]" if plain else "write it as a list: […]"
        case "true or false", str() | int() if str(value).lower() in _YES:
            return "write true"
        case "true or false", str() | int() if str(value).lower() in _NO:
            return "write false"
        case "a whole number" | "a number" | "true or false", str() if not isinstance(
            resolve_scalar(value), str
        ):
            return "remove the quotes"
        case "a whole number" | "a number", str():
            return "write it in digits"
        case "a map", list():
            return "write its fields below it, indented, without dashes"
        case "a map", _:
            return "write its fields below it, indented, one on each line"
        case _, list() | dict():
            return "write a single value"
        case _:
            return ""
