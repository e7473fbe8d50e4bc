"""Values in the words that findings use for them."""

from typing import Any

from trainshed.model.tree import Path

_MAX_SHOWN = 60


def describe(value: Any) -> str:
    """What a value of YAML is, with the value itself if it is a single one: `text "four"`, `a list`."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"text {quote(value)}"
        case list():
            return "a list"
        case _:
            return "a map"


def quote(text: str) -> str:
    """Text as it fits into a line of a finding."""
    shown = text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
    return f'"{shown}"' if len(shown) <= _MAX_SHOWN else f'"{shown[: _MAX_SHOWN - 1]}…"'


def show(value: Any) -> str:
    """A value within a sentence: text in quotes, a number as it is, a list or map by name."""
    match value:
        case str():
            return quote(value)
        case int() | float() if not isinstance(value, bool):
            return str(value)
        case list():
            return "this list"
        case dict():
            return "this map"
        case _:
            return describe(value)


def spell_path(path: Path) -> str:
    """`roles.worker`, `data[1].volume`; positions count from 0."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")
