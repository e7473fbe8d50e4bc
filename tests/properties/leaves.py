"""The leaves of the grammar, found in its types: `checkpoint.every.time`, `env.*.secret`, `pools.*.taints[].key`.

A map's key is `*`, a list's item `[]`. A job inside another spec is one leaf, `<job>`: its own leaves are the job's.
"""

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from trainshed.model.spec import JobBody
from trainshed.model.spec.written import LiftNames, Written

JOB = "<job>"


def leaves_of(spec: type[Written]) -> frozenset[str]:
    """Every leaf of a kind."""
    return frozenset(_walk_fields(spec, "", frozenset()))


def _walk(annotation: Any, path: str) -> Iterator[str]:
    form, items = get_origin(annotation), get_args(annotation)
    if form is Annotated:
        yield from _walk(items[0], path)
    elif form in (Union, UnionType):
        for item in items:
            yield from _walk(item, path)
    elif form is dict:
        yield from _walk(items[1], f"{path}.*")
    elif form is tuple:
        yield from _walk(items[0], f"{path}[]")
    elif isinstance(annotation, type) and issubclass(annotation, JobBody):
        yield f"{path}.{JOB}"
        yield from _walk_fields(annotation, f"{path}.", frozenset(JobBody.model_fields))
    elif isinstance(annotation, type) and issubclass(annotation, Written):
        yield from _walk_fields(annotation, f"{path}.", frozenset())
    elif annotation is not type(None):
        yield path


def _walk_fields(spec: type[Written], prefix: str, left_out: frozenset[str]) -> Iterator[str]:
    for name in spec.model_fields.keys() - left_out:
        field = spec.model_fields[name]
        path = f"{prefix}{field.alias}"
        yield from _walk(field.annotation, path)
        if any(isinstance(mark, LiftNames) for mark in field.metadata):
            yield f"{path}.*"
