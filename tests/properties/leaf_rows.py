"""What a row about a leaf says, and how its value is put into a spec of plain data."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

Data = dict[str, Any]
ABSENT = object()


@dataclass(frozen=True)
class Row:
    """A value for the leaf, what the spec needs for it to mean anything, and what it is compared with.

    `names` stand for the `*` of the leaf, in order. `given` is laid over the spec, `beside` over the other specs, by
    kind: maps merge, None removes. `needed`: the specs are refused without the leaf, or with the other value.
    `alike`: backends on which both values come to the same, and why.
    """

    leaf: str
    value: Any
    other: Any = ABSENT
    given: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    beside: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    alike: Mapping[str, str] = field(default_factory=dict)
    needed: bool = False

    def __str__(self) -> str:
        laid = f" given {dict(self.given)} {dict(self.beside)}" if self.given or self.beside else ""
        return f"{'.'.join((self.leaf, *self.names))} = {self.value}{laid}"

    def without(self, spec: Data) -> Data:
        """The spec with the other value; a list without its last item; or the spec without the leaf."""
        other = self.other
        if other is ABSENT and self.leaf.endswith("[]") and len(self.value) > 1:
            other = self.value[:-1]
        return self._put(spec, other)

    def within(self, spec: Data) -> Data:
        """The spec with the value."""
        return self._put(spec, self.value)

    def _put(self, spec: Data, value: Any) -> Data:
        made = lay(spec, self.given)
        names = iter(self.names)
        *parents, last = [
            step.replace("*", next(names)) if step in ("*", "*[]") else step for step in self.leaf.split(".")
        ]
        here: Any = made
        for step in parents:
            here = _enter(here, step)
        last = last.removesuffix("[]")
        if value is ABSENT:
            here.pop(last, None)
        else:
            here[last] = value
        return made


def lay(below: Mapping[str, Any], above: Mapping[str, Any]) -> Data:
    """A copy of what is below, with what is above laid over it."""
    made = deepcopy(dict(below))
    for key, value in above.items():
        if value is None:
            made.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(made.get(key), dict):
            made[key] = lay(made[key], value)
        else:
            made[key] = deepcopy(value)
    return made


def _enter(here: Any, step: str) -> Any:
    if step.endswith("[]"):
        (item,) = here.setdefault(step.removesuffix("[]"), [{}])
        return item
    return here.setdefault(step, {})
