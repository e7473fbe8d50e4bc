"""The words that a model knows at a place of a document."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from trainshed.model.tree import Path


def list_fields(model: type[BaseModel], path: Path) -> tuple[str, ...]:
    """The fields, spelled as in YAML, of whichever models may stand at `path` within `model`; sorted."""
    places: list[Any] = [model]
    for step in path:
        places = [below for place in places for below in _descend(place, step)]
    return tuple(sorted({name for place in places if _is_model(place) for name in _fields(place)}))


def _descend(place: Any, step: str | int) -> Iterator[Any]:
    """The types that stand below `place`, after one key or list position."""
    if _is_model(place):
        field = _fields(place).get(str(step))
        yield from _alternatives(field.annotation) if field else ()
        return
    origin, arguments = get_origin(place), get_args(place)
    if not isinstance(origin, type) or not arguments:
        return
    if issubclass(origin, Mapping):
        yield from _alternatives(arguments[1])
    elif issubclass(origin, Sequence | AbstractSet):
        yield from _alternatives(arguments[0])


def _alternatives(annotation: Any) -> Iterator[Any]:
    """The types that `X | None`, unions and Annotated stand for."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _alternatives(get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for choice in get_args(annotation):
            yield from _alternatives(choice)
    else:
        yield annotation


def _is_model(place: Any) -> bool:
    return isinstance(place, type) and issubclass(place, BaseModel)


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}
