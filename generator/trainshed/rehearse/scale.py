"""A workload made small enough for one machine, before its operator looks at it. Each cut is a sentence."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.counts_told import Sizes, has_launcher, retell, untold
from trainshed.rehearse.gpus import count_gpus, cut_gpus
from trainshed.rehearse.names_cut import leave_out_names
from trainshed.rehearse.shapes import SHAPES, Shape
from trainshed.rehearse.sweep import is_sweep, keep_policies_true
from trainshed.rehearse.tree import find_all, holder_of, number_at, put


def shrink(workload: JsonObject, nodes: int | None, procs: int | None) -> tuple[JsonObject, tuple[str, ...]]:
    """The workload with at most so many nodes, of at most so many processes each, and what was cut; None cuts nothing.

    What its operator demands stays true: a Master stays, bounds stay in order. A sweep keeps its indexes, fewer of
    them run at once. Numbers that code reads from its own command line stay, but for those of well-known launchers.
    """
    group = workload["apiVersion"].rpartition("/")[0]
    shape = SHAPES.get((group, workload["kind"]))
    if shape is None:
        return workload, ()
    small = deepcopy(workload)
    return small, tuple(dict.fromkeys(_Cut(small, shape, nodes, procs).make()))


@dataclass(slots=True)
class _Cut:
    """One workload, which is changed, and what it may keep."""

    body: JsonObject
    shape: Shape
    nodes: int | None
    procs: int | None

    def make(self) -> Iterator[str]:
        """Every cut, as a sentence."""
        before = self._count()
        groups = {name: self._pods_of(group) for name, group in self._groups()}
        yield from self._cut_groups()
        self._cut_limits()
        nodes = (before, self._count())
        gpus = count_gpus(self.body)
        procs = self._cut_procs(gpus)
        sizes = Sizes(nodes, procs, self.procs)
        if self._is_sweep and nodes[0] != nodes[1]:
            yield f"{nodes[0]} pods at once become {nodes[1]}; all indexes have their turn"
        elif sizes.are_changed:
            yield str(sizes)
        if self.procs is not None:
            yield from cut_gpus(self.body, self.procs)
        yield from retell(self.body, sizes, self.shape.flags)
        for name, group in self._groups():
            if self._pods_of(group) < groups[name]:
                yield from leave_out_names(self.body, name, self._pods_of(group))
        if sizes.are_changed:
            yield from untold(self.body)

    @property
    def _is_sweep(self) -> bool:
        return any(is_sweep(self.body, group, self.shape) for _, group in self._groups())

    def _groups(self) -> list[tuple[str, JsonObject]]:
        return list(find_all(self.body, self.shape.groups))

    def _count(self) -> int:
        """How many nodes there are."""
        inside = (group for name, group in self._groups() if name not in self.shape.outside)
        return sum(self._pods_of(group) for group in inside)

    def _pods_of(self, group: JsonObject) -> int:
        pods = 1
        for pointer in self.shape.counts:
            count = number_at(group, pointer)
            pods *= 1 if count is None else count
        return pods

    def _cut_groups(self) -> Iterator[str]:
        if self.nodes is None:
            return
        groups = self._groups()
        taken = sum(self._pods_of(group) for name, group in groups if name in self.shape.first)
        for name, group in groups:
            if name in self.shape.first:
                continue
            room = self.nodes if name in self.shape.outside else self.nodes - taken
            before = self._pods_of(group)
            if room <= 0 and self.shape.may_go:
                self._leave_out(name)
                yield f"{name}: {before} {_pods(before)} left out, for the first node is all that there is room for"
                continue
            self._cut_group(group, max(room, 1))
            if name in self.shape.outside and self._pods_of(group) != before:
                yield f"{name}: {before} pods become {self._pods_of(group)}"

    def _leave_out(self, name: str) -> None:
        for _, parent in find_all(self.body, self.shape.groups.removesuffix("/*")):
            parent.pop(name, None)

    def _cut_group(self, group: JsonObject, room: int) -> None:
        keeps = is_sweep(self.body, group, self.shape)
        left = room
        for pointer in self.shape.counts:
            count = number_at(group, pointer)
            if count is None:
                continue
            fits = min(count, max(left, 1))
            self._set_count(group, pointer, fits, keeps=keeps)
            left //= max(fits, 1)
        for pointer in self.shape.bounds:
            bound = number_at(group, pointer)
            if bound is not None:
                put(group, pointer, min(bound, room))

    def _set_count(self, group: JsonObject, pointer: str, count: int, *, keeps: bool) -> None:
        before = number_at(group, pointer)
        put(group, pointer, count)
        if pointer == self.shape.counts[-1] and self.shape.same and not keeps:
            completions = number_at(group, self.shape.same)
            if completions is not None and completions == before:
                put(group, self.shape.same, count)
                holder, _ = holder_of(group, self.shape.same)
                keep_policies_true(holder or {}, count)

    def _cut_limits(self) -> None:
        """Bounds of the whole: no larger than what is there, elastic ones no larger than what may be."""
        if self.nodes is None:
            return
        for pointer in self.shape.limits:
            limit = number_at(self.body, pointer)
            if limit is not None:
                most = max(self._count(), self.nodes) if "elasticPolicy" in pointer else self._count()
                put(self.body, pointer, min(limit, most))

    def _cut_procs(self, gpus: int) -> tuple[int, int]:
        """The processes of a node before and after; what a launcher would count itself are its GPUs."""
        before = after = 0
        if self.procs is None:
            return before, after
        for pointer in self.shape.procs:
            holder, last = holder_of(self.body, pointer)
            written: Any = holder.get(last) if holder is not None else None
            if holder is None or (written is None and (before or not self.shape.writes_procs)):
                continue
            is_counted = written is not None or self.shape.counts_gpus or has_launcher(self.body)
            before = int(str(written)) if str(written).isdecimal() else max(gpus, 1) if is_counted else 1
            after = min(before, self.procs)
            holder[last] = str(after) if _is_text(pointer) else after
        return before, after


def _is_text(pointer: str) -> bool:
    """Whether processes are written as text: `nprocPerNode` of a PyTorchJob, which may be `auto`."""
    return pointer.endswith("/nprocPerNode")


def _pods(count: int) -> str:
    return "pod" if count == 1 else "pods"
