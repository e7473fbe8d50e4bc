"""Numbers of nodes and processes that stand in commands and variables, for launchers that are known."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.tree import maps_in


class Measure(StrEnum):
    """What a number counts."""

    NODES = "nodes"
    PROCS = "processes of a node"
    ALL = "processes"


FLAGS: Mapping[str, Measure] = MappingProxyType(
    {
        "--nnodes": Measure.NODES,
        "--num-machines": Measure.NODES,
        "--num_machines": Measure.NODES,
        "--num-nodes": Measure.NODES,
        "--num_nodes": Measure.NODES,
        "--nproc-per-node": Measure.PROCS,
        "--nproc_per_node": Measure.PROCS,
        "--num-gpus": Measure.PROCS,
        "--num_gpus": Measure.PROCS,
        "--num-processes": Measure.ALL,
        "--num_processes": Measure.ALL,
    }
)
"""Flags of torchrun, `accelerate launch` and deepspeed."""

VARIABLES: Mapping[str, Measure] = MappingProxyType(
    {"PET_NNODES": Measure.NODES, "PET_NPROC_PER_NODE": Measure.PROCS}
)
"""Variables of torchrun, which stand for its flags."""

UNTOLD = frozenset(
    {"WORLD_SIZE", "LOCAL_WORLD_SIZE", "NNODES", "NUM_NODES", "NUM_PROCESSES", "JAX_NUM_PROCESSES"}
)
"""Variables that code reads: what else hangs on them, only the code knows."""

COUNTED = frozenset({"auto", "cpu", "gpu"})
"""What torchrun counts itself."""

_LAUNCHER = re.compile(r"\btorchrun\b|\btorch\.distributed\.(run|launch)\b")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Nodes and processes of each, before and after; 0 for processes that nothing tells of. `most` is their bound."""

    nodes: tuple[int, int]
    procs: tuple[int, int]
    most: int | None

    @property
    def are_changed(self) -> bool:
        """Whether anything was cut."""
        return self.nodes[0] != self.nodes[1] or self.procs[0] != self.procs[1]

    def __str__(self) -> str:
        (nodes, fewer), (procs, less) = self.nodes, self.procs
        told = f"{nodes} node{'' if nodes == 1 else 's'}"
        if procs:
            return f"{told} of {procs} process{'' if procs == 1 else 'es'} become {fewer} of {less}"
        return f"{told} become {fewer}"

    def fit(self, measure: Measure, number: int) -> int:
        """What becomes of a number."""
        nodes, fewer = self.nodes
        if measure is Measure.NODES:
            return min(number, fewer) if fewer < nodes else number
        if measure is Measure.PROCS:
            return number if self.most is None else min(number, self.most)
        each = max(number // max(nodes, 1), 1)
        fits = fewer * self.fit(Measure.PROCS, each)
        return min(number, fits)


def retell(body: JsonObject, sizes: Sizes, own: tuple[str, ...]) -> Iterator[str]:
    """Change what commands and variables tell launchers; `own` are the flags of all processes that a kind has."""
    flags = {**FLAGS, **dict.fromkeys(own, Measure.ALL)}
    for each in maps_in(body):
        for field in ("command", "args"):
            yield from _retell_words(_words(each, field), sizes, flags)
        if isinstance(each.get("entrypoint"), str):
            entrypoint = [each["entrypoint"]]
            yield from _retell_words(entrypoint, sizes, flags)
            each["entrypoint"] = entrypoint[0]
        measure = VARIABLES.get(str(each.get("name")))
        if measure and isinstance(each.get("value"), str):
            fits = _fit(each["value"], measure, sizes)
            if fits != each["value"]:
                yield f"{each['name']}={each['value']} becomes {fits}"
                each["value"] = fits


def has_launcher(body: JsonObject) -> bool:
    """Whether a command starts torchrun, which starts the processes of a node."""
    words = (word for each in maps_in(body) for word in (*_words(each, "command"), *_words(each, "args")))
    return any(_LAUNCHER.search(word) for word in words)


def untold(body: JsonObject) -> Iterator[str]:
    """A sentence for each variable that tells the code of its size, and stays as it is."""
    told = (
        each for each in maps_in(body) if each.get("name") in UNTOLD and isinstance(each.get("value"), str)
    )
    yield from dict.fromkeys(f"{each['name']}={each['value']} stays as it is written" for each in told)


def _words(each: JsonObject, field: str) -> list[str]:
    words = each.get(field)
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else []


def _retell_words(words: list[str], sizes: Sizes, flags: Mapping[str, Measure]) -> Iterator[str]:
    for place, word in enumerate(words):
        if word in flags and place + 1 < len(words):
            fits = _fit(words[place + 1], flags[word], sizes)
            if fits != words[place + 1]:
                yield f"{word} {words[place + 1]} becomes {fits}"
                words[place + 1] = fits
            continue
        for flag, measure in flags.items():
            for found in reversed(list(_in_text(flag).finditer(words[place]))):
                value = found["value"]
                fits = _fit(value, measure, sizes)
                if fits != value:
                    yield f"{found[0].strip()} becomes {fits}"
                    start, end = found.span("value")
                    words[place] = words[place][:start] + fits + words[place][end:]


def _in_text(flag: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(flag)}(?:=|\s+)(?P<value>\d+(?::\d+)?|auto|cpu|gpu)(?![\w.:-])")


def _fit(value: str, measure: Measure, sizes: Sizes) -> str:
    """The number, or each of a range, as it is to be; what is none stays."""
    if value in COUNTED and measure is Measure.PROCS:
        return value if sizes.most is None else str(sizes.procs[1] or sizes.most)
    parts = value.split(":")
    if not all(part.isdecimal() for part in parts):
        return value
    return ":".join(str(sizes.fit(measure, int(part))) for part in parts)
