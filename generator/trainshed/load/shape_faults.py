"""pydantic's errors, in the words of people who write specs."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import BaseModel

from trainshed.load.field_names import list_fields
from trainshed.load.locations import Fault
from trainshed.load.type_advice import advise_type
from trainshed.load.words import describe, show, spell_path
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.source import Source
from trainshed.model.suggest import did_you_mean
from trainshed.model.tree import Path, Tree


@dataclass(frozen=True, slots=True)
class Document:
    """What is being read, as what, and what foreign words mean."""

    tree: Tree
    model: type[BaseModel]
    words_that_mean: Mapping[str, str]


_WHOLE, _NUMBER, _TEXT, _LIST, _MAP = "a whole number", "a number", "text", "a list", "a map"

EXPECTED: dict[str, str] = {
    **dict.fromkeys(("int_type", "int_from_float", "int_parsing", "int_parsing_size"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing", "decimal_type"), _NUMBER),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "string_type": _TEXT,
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), _LIST),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type", "dataclass_type"), _MAP
    ),
    "none_required": "nothing",
}
"""What a value should have been, by the name of the error."""

_BOUNDS: dict[str, tuple[str, str]] = {
    "greater_than": ("{value} is not more than {gt}", "write more than {gt}"),
    "greater_than_equal": ("{value} is less than {ge}", "write at least {ge}"),
    "less_than": ("{value} is not less than {lt}", "write less than {lt}"),
    "less_than_equal": ("{value} is more than {le}", "write at most {le}"),
    "multiple_of": ("{value} is not a multiple of {multiple_of}", "write a multiple of {multiple_of}"),
    "string_too_short": ("{value} is too short", "write at least {min_length} characters"),
    "string_too_long": ("{value} is too long", "write at most {max_length} characters"),
    "string_pattern_mismatch": ("{value} is not written as it must be", "it has to match {pattern}"),
    "too_short": ("{value} has too few items", "write at least {min_length}"),
    "too_long": ("{value} has too many items", "write at most {max_length}"),
}


def explain_faults(faults: Iterable[Fault], document: Document) -> Iterator[Diagnostic]:
    """One finding for each fault; alternatives that all fail at one value share one."""
    mismatches: dict[Path, list[Fault]] = {}
    for fault in faults:
        if fault.union is not None and fault.path == fault.union and _expectation(fault):
            mismatches.setdefault(fault.path, []).append(fault)
        else:
            yield _explain(fault, document)
    for same in mismatches.values():
        yield _explain(same[0], document) if len(same) == 1 else _explain_alternatives(same, document)


def _explain(fault: Fault, document: Document) -> Diagnostic:
    if fault.kind in set(Code):
        return _explain_custom(fault, document)
    return _EXPLAINERS.get(fault.kind, _explain_other)(fault, document)


def _explain_custom(fault: Fault, document: Document) -> Diagnostic:
    field = fault.context.get("field")
    source = document.tree.value_source((*fault.path, field)) if field else _place(fault, document)
    return error(Code(fault.kind), source, fault.details["msg"], str(fault.context.get("detail", "")))


def _explain_unknown_field(fault: Fault, document: Document) -> Diagnostic:
    word, around = str(fault.path[-1]), fault.path[:-1]
    detail = document.words_that_mean.get(word) or did_you_mean(word, list_fields(document.model, around))
    summary = f'unknown field "{word}"{_within(around)}'
    return error(Code.UNKNOWN_FIELD, document.tree.key_source(fault.path), summary, detail)


def _explain_missing(fault: Fault, document: Document) -> Diagnostic:
    field, around = fault.path[-1], fault.path[:-1]
    summary = f'field "{field}" is missing{_within(around)}'
    return error(Code.MISSING_FIELD, _place_map(around, document), summary, f'add "{field}: …"')


def _explain_missing_tag(fault: Fault, document: Document) -> Diagnostic:
    field = str(fault.context["discriminator"]).strip("'")
    summary = f'field "{field}" is missing{_within(fault.path)}'
    return error(Code.MISSING_FIELD, _place_map(fault.path, document), summary, f'add "{field}: …"')


def _explain_unknown_tag(fault: Fault, document: Document) -> Diagnostic:
    field, word = str(fault.context["discriminator"]).strip("'"), str(fault.context["tag"])
    source = document.tree.value_source((*fault.path, field))
    summary = f'unknown value "{word}" for "{field}"'
    return error(Code.UNKNOWN_VALUE, source, summary, did_you_mean(word, _choices(fault)))


def _explain_choice(fault: Fault, document: Document) -> Diagnostic:
    if not isinstance(fault.value, str):
        return _explain_type(fault, document)
    field = "" if fault.is_key else _for_field(fault.path)
    summary = f"unknown value {show(fault.value)}{field}"
    return error(
        Code.UNKNOWN_VALUE, _place(fault, document), summary, did_you_mean(fault.value, _choices(fault))
    )


def _explain_type(fault: Fault, document: Document) -> Diagnostic:
    return _explain_alternatives([fault], document)


def _explain_alternatives(faults: list[Fault], document: Document) -> Diagnostic:
    expected = list(dict.fromkeys(_expectation(fault) for fault in faults))
    value = faults[0].value
    summary = f"expected {' or '.join(expected)}, found {describe(value)}"
    return error(Code.WRONG_TYPE, _place(faults[0], document), summary, advise_type(expected[0], value))


def _explain_bound(fault: Fault, document: Document) -> Diagnostic:
    bounds = {name: _plain(bound) for name, bound in fault.context.items()}
    summary, detail = (text.format(value=show(fault.value), **bounds) for text in _BOUNDS[fault.kind])
    return error(Code.BAD_VALUE, _place(fault, document), summary, detail)


def _plain(bound: object) -> object:
    """A bound as people write it: 1, where the type says 1.0."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _explain_raised(fault: Fault, document: Document) -> Diagnostic:
    summary = str(fault.context["error"]) or f"{show(fault.value)} cannot stand here"
    return error(Code.BAD_VALUE, _place(fault, document), summary)


def _explain_other(fault: Fault, document: Document) -> Diagnostic:
    return error(Code.BAD_VALUE, _place(fault, document), f"{show(fault.value)} cannot stand here")


_Explainer: TypeAlias = Callable[[Fault, Document], Diagnostic]

_EXPLAINERS: dict[str, _Explainer] = {
    "extra_forbidden": _explain_unknown_field,
    "missing": _explain_missing,
    "union_tag_not_found": _explain_missing_tag,
    "union_tag_invalid": _explain_unknown_tag,
    **dict.fromkeys(("literal_error", "enum"), _explain_choice),
    **dict.fromkeys(("value_error", "assertion_error"), _explain_raised),
    **dict.fromkeys(EXPECTED, _explain_type),
    **dict.fromkeys(_BOUNDS, _explain_bound),
}


def _expectation(fault: Fault) -> str:
    """What should stand there, if the type is what is wrong; else nothing."""
    if fault.kind in ("literal_error", "enum"):
        return f"one of {', '.join(_choices(fault))}"
    return EXPECTED.get(fault.kind, "")


def _choices(fault: Fault) -> list[str]:
    """The words that pydantic lists: `'a', 'b' or 'c'`, or `1 or 2`."""
    listed = str(fault.context.get("expected_tags") or fault.context["expected"])
    return re.findall(r"'([^']*)'", listed) or re.split(r", | or ", listed)


def _place(fault: Fault, document: Document) -> Source:
    """The key that is wrong, or the value; of a map or list, its key."""
    if fault.is_key:
        return document.tree.key_source(fault.path)
    if isinstance(fault.value, dict | list):
        return _place_map(fault.path, document)
    return document.tree.value_source(fault.path)


def _place_map(path: Path, document: Document) -> Source:
    """The key of a map; of the whole document, its name, or else its kind."""
    if path:
        return document.tree.key_source(path)
    name = next((field for field in ("name", "kind") if field in document.tree.data), None)
    return document.tree.value_source((name,) if name else ())


def _within(path: Path) -> str:
    return f' in "{spell_path(path)}"' if path else ""


def _for_field(path: Path) -> str:
    return f' for "{spell_path(path)}"' if path else ""
