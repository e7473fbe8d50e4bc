"""Values inside of objects that anybody may have written: what is not there, or of another type, is empty."""

from fractions import Fraction
from typing import Any

from trainshed.model.manifest import JsonObject
from trainshed.model.quantity import QuantityError, parse_quantity


def map_at(body: Any, *steps: str) -> JsonObject:
    """The map at the end of the steps."""
    for step in steps:
        if not isinstance(body, dict):
            return {}
        body = body.get(step)
    return body if isinstance(body, dict) else {}


def text_at(body: Any, *steps: str) -> str:
    """The text at the end of the steps."""
    text = map_at(body, *steps[:-1]).get(steps[-1])
    return text if isinstance(text, str) else ""


def items_at(body: Any, *steps: str) -> list[Any]:
    """The list at the end of the steps."""
    for step in steps:
        if not isinstance(body, dict):
            return []
        body = body.get(step)
    return body if isinstance(body, list) else []


def maps_at(body: Any, *steps: str) -> list[tuple[int, JsonObject]]:
    """The maps in a list, with their positions."""
    return [(index, item) for index, item in enumerate(items_at(body, *steps)) if isinstance(item, dict)]


def labels_of(body: Any) -> dict[str, str]:
    """The labels of an object."""
    labels = map_at(body, "metadata", "labels")
    return {key: value for key, value in labels.items() if isinstance(value, str)}


def value_at(body: Any, pointer: str) -> Any:
    """What stands at a JSON pointer, None where nothing does."""
    for token in pointer.split("/")[1:]:
        step = token.replace("~1", "/").replace("~0", "~")
        if isinstance(body, dict):
            body = body.get(step)
        elif isinstance(body, list) and step.isdecimal() and int(step) < len(body):
            body = body[int(step)]
        else:
            return None
    return body


def amount(value: Any) -> Fraction:
    """The number that a quantity stands for; 0 for what is none."""
    try:
        return parse_quantity(str(value))
    except QuantityError:
        return Fraction(0)
