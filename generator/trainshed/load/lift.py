"""Scalars that are written for maps become those maps, before layers are merged and shapes are checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from trainshed.model.spec.written import Lift, LiftItem, LiftNames
from trainshed.model.tree import Mark, Path, Tree


@dataclass(frozen=True, slots=True)
class _Form:
    """What may stand at one place: how its short form lifts, and the forms below it."""

    lift: Lift | LiftNames | LiftItem | None
    fields: Mapping[str, "_Form"]
    values: "_Form | None" = None
    items: "_Form | None" = None


def lift_tree(tree: Tree, model: type[BaseModel]) -> Tree:
    """The tree with every short form spelled out; what stands for a map keeps the place of its scalar."""
    added: dict[Path, Mark] = {}
    data = _lift(tree.data, _form(model), (), tree, added)
    return Tree(data, {**tree.marks, **added}) if added else tree


def _lift(value: Any, form: _Form, path: Path, tree: Tree, added: dict[Path, Mark]) -> Any:
    value = _spell_out(value, form.lift, path, tree, added)
    if isinstance(value, list) and form.items is not None:
        items = form.items
        return [_lift(item, items, (*path, index), tree, added) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    below: dict[str, Any] = {}
    for key, item in value.items():
        inner = form.fields.get(key) or form.values
        below[key] = item if inner is None else _lift(item, inner, (*path, key), tree, added)
    return below


def _spell_out(
    value: Any, lift: Lift | LiftNames | LiftItem | None, path: Path, tree: Tree, added: dict[Path, Mark]
) -> Any:
    if value is None or isinstance(value, dict):
        return value
    match lift:
        case Lift(keys=keys) if not isinstance(value, list):
            added.update({(*path, key): Mark(None, tree.value_source(path)) for key in keys})
            return dict.fromkeys(keys, value)
        case LiftNames():
            names = value if isinstance(value, list) else [value]
            if not all(isinstance(name, str) for name in names):
                return value
            for index, name in enumerate(names):
                source = tree.value_source((*path, index) if isinstance(value, list) else path)
                added[(*path, name)] = Mark(source, source)
            return {name: {} for name in names}
        case LiftItem() if isinstance(value, str):
            added[(*path, 0)] = Mark(None, tree.value_source(path))
            return [value]
        case _:
            return value


@cache
def _form(annotation: Any) -> _Form:
    """The form of a type; unions with None are looked through."""
    lift, inner = _unwrap(annotation)
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        fields = {
            field.alias or name: _with_metadata(field.annotation, tuple(field.metadata))
            for name, field in inner.model_fields.items()
        }
        return _Form(lift, {name: form for name, form in fields.items() if _matters(form)})
    if get_origin(inner) is dict:
        return _Form(lift, {}, values=_form(get_args(inner)[1]))
    if get_origin(inner) is tuple:
        return _Form(lift, {}, items=_form(get_args(inner)[0]))
    return _Form(lift, {})


def _with_metadata(annotation: Any, metadata: tuple[Any, ...]) -> _Form:
    """Pydantic takes a field's Annotated apart: its metadata lies beside the type."""
    form = _form(annotation)
    lifts = [item for item in metadata if isinstance(item, Lift | LiftNames | LiftItem)]
    return _Form(lifts[0], form.fields, form.values, form.items) if lifts else form


def _unwrap(annotation: Any) -> tuple[Lift | LiftNames | LiftItem | None, Any]:
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        lifts = [item for item in metadata if isinstance(item, Lift | LiftNames | LiftItem)]
        below, type_ = _unwrap(inner)
        return (lifts[0] if lifts else below), type_
    if get_origin(annotation) in (Union, UnionType):
        choices = [choice for choice in get_args(annotation) if choice is not type(None)]
        return _unwrap(choices[0]) if len(choices) == 1 else (None, annotation)
    return None, annotation


def _matters(form: _Form) -> bool:
    below = [part for part in (form.values, form.items) if part is not None]
    return bool(form.lift or form.fields) or any(map(_matters, below))
