"""Where pydantic's errors are in a document, and which of them say the same thing.

A location of pydantic (its manual, "Error Handling") is a path with labels in between: the branch of a union
that was tried, and `[key]` behind a key that is wrong itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic_core import ErrorDetails

from trainshed.model.tree import Path

_KEY_LABEL = "[key]"


@dataclass(frozen=True, slots=True)
class Fault:
    """An error at a path of the document. `branch` is what was tried of the union at `union`."""

    path: Path
    details: ErrorDetails
    is_key: bool = False
    union: Path | None = None
    branch: str = ""

    @property
    def kind(self) -> str:
        """Pydantic's name for the error, or a code of ours."""
        return self.details["type"]

    @property
    def value(self) -> Any:
        """What stands there; for a field that is missing, the map that lacks it."""
        return self.details["input"]

    @property
    def context(self) -> Mapping[str, Any]:
        """What else the error knows: bounds, choices, the detail of a custom error."""
        return self.details.get("ctx", {})


def locate_faults(errors: Sequence[ErrorDetails], data: Any) -> list[Fault]:
    """The errors at their paths in `data`; of the branches of a union, only those that were meant."""
    faults = [_locate(details, data) for details in errors]
    unions = {fault.union for fault in faults if fault.union is not None}
    kept = [fault for fault in faults if fault.union is None]
    for union in unions:
        kept.extend(_choose_branch([fault for fault in faults if fault.union == union]))
    return kept


def _choose_branch(faults: Sequence[Fault]) -> Sequence[Fault]:
    """The errors of the branch that was meant: one that came further than the union. If none did, all."""
    by_branch: dict[str, list[Fault]] = {}
    for fault in faults:
        by_branch.setdefault(fault.branch, []).append(fault)
    deeper = [branch for branch in by_branch.values() if all(fault.path != fault.union for fault in branch)]
    return min(deeper, key=len) if deeper else faults


def _locate(details: ErrorDetails, data: Any) -> Fault:
    """Of the paths that a location may mean, the one to the very value that pydantic names."""
    location = details["loc"]
    is_missing = details["type"] == "missing"
    readings = list(_readings(location[:-1] if is_missing else location, data, Fault((), details)))
    exact = (fault for fault, value in readings if value == fault.value)
    fault = next(exact, readings[0][0])
    return replace(fault, path=(*fault.path, location[-1])) if is_missing else fault


def _readings(location: Path, data: Any, fault: Fault) -> Iterator[tuple[Fault, Any]]:
    """Every way to read a location, each of its words being a step or a label, with the value it leads to."""
    if not location:
        yield fault, data
        return
    word, rest = location[0], location[1:]
    if _has(data, word):
        yield from _readings(rest, data[word], replace(fault, path=(*fault.path, word)))
    if word == _KEY_LABEL and not rest:
        yield replace(fault, is_key=True), fault.value
    elif fault.union is None:
        yield from _readings(rest, data, replace(fault, union=fault.path, branch=str(word)))
    else:
        yield from _readings(rest, data, fault)


def _has(data: Any, word: str | int) -> bool:
    if isinstance(data, dict):
        return word in cast("dict[str, Any]", data)
    return isinstance(data, list) and isinstance(word, int) and word < len(cast("list[Any]", data))
