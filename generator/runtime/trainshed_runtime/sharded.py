"""Models and optimizers whose state lies in pieces on all ranks, in the format of torch.distributed.checkpoint.

Each rank writes `__<rank>_0.distcp`, rank 0 the index `.metadata`, as torch's own FileSystemWriter does, so that its
tools read them too. Planning, and with it resharding on another number of ranks, is torch's.
"""

from __future__ import annotations

import dataclasses
import io
import pickle
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch.distributed.checkpoint import metadata as dcp
from torch.distributed.checkpoint import state_dict as dcp_state
from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from torch.distributed.checkpoint.filesystem import _StorageInfo  # pyright: ignore[reportPrivateUsage]
from torch.distributed.checkpoint.planner import LoadItemType, ReadItem, WriteItem
from torch.distributed.tensor import DTensor

from trainshed_runtime.checkpoints import Checkpoint, CheckpointError, HashedStream
from trainshed_runtime.ranks import Ranks
from trainshed_runtime.state import mapped, read_from
from trainshed_runtime.storage import Storage

INDEX = ".metadata"
_LARGEST_INDEX = 1 << 30
_INDEX_TYPES = (
    *(dcp.Metadata, dcp.MetadataIndex, dcp.StorageMeta, dcp.TensorStorageMetadata, dcp.BytesStorageMetadata),
    *(dcp.TensorProperties, dcp.ChunkStorageMetadata, dcp._MEM_FORMAT_ENCODING, _StorageInfo, torch.Size),  # pyright: ignore[reportPrivateUsage]
)


class Piece(NamedTuple):
    """Where a piece of the state lies: which one it is, in which file, from where, how long."""

    which: dcp.MetadataIndex
    file: str
    offset: int
    length: int


class Pieces:
    """What this rank writes of the state, and what rank 0 says about all of it."""

    def __init__(self, state: dict[str, Any], ranks: Ranks, *, copied: bool) -> None:
        """Collective. With `copied`, the pieces are taken now; else the tensors must not change until written."""
        # What all ranks have alike is rank 0's: buffers such as running means differ, and DDP goes by those of rank 0.
        planner = DefaultSavePlanner(dedup_save_to_lowest_rank=True)
        planner.set_up_planner(state, is_coordinator=ranks.rank == 0)
        plans = ranks.all(planner.create_local_plan)
        plans, self._index = ranks.first(lambda: planner.create_global_plan(plans))
        self._planner = planner
        self._items: list[WriteItem] = planner.finish_plan(plans[ranks.rank]).items
        self._copies = (
            [_on_cpu(planner.resolve_data(item), copied=True) for item in self._items] if copied else None
        )
        self.file = f"__{ranks.rank}_0.distcp"
        self.written: list[Piece] = []

    def write(self, stream: HashedStream) -> None:
        """Write this rank's pieces, one after the other."""
        for number, item in enumerate(self._items):
            start = stream.size
            data = (
                self._copies[number]
                if self._copies
                else _on_cpu(self._planner.resolve_data(item), copied=False)
            )
            if isinstance(data, io.BytesIO):
                stream.write(data.getbuffer())
            else:
                torch.save(data, stream)  # type: ignore[arg-type]
            self.written.append(Piece(item.index, self.file, start, stream.size - start))

    def index(self, written: list[list[Piece]]) -> Callable[[HashedStream], object]:
        """What writes the index of all that all ranks have written."""
        where = {
            one.which: _StorageInfo(one.file, one.offset, one.length) for rank in written for one in rank
        }
        index = dataclasses.replace(self._index, storage_data=where, storage_meta=dcp.StorageMeta())
        return lambda stream: stream.write(pickle.dumps(index))


def load_pieces(storage: Storage, checkpoint: Checkpoint, state: dict[str, Any], ranks: Ranks) -> None:
    """Fill the tensors of the state in place, whatever the number of ranks that saved it; replace its plain values."""
    index = _read_index(storage, checkpoint)
    planner = _Planner()
    planner.set_up_planner(state, index, is_coordinator=ranks.rank == 0)
    items = planner.finish_plan(planner.create_local_plan()).items
    by_file: dict[str, list[tuple[ReadItem, Any]]] = {}
    for item in items:
        where = index.storage_data[item.storage_index]
        by_file.setdefault(where.relative_path, []).append((item, where))
    for name, wanted in by_file.items():
        if name not in checkpoint.files:
            raise CheckpointError(
                f"{checkpoint.name}: its index names {name!r:.80}, which its marker does not"
            )
        with storage.open(f"{checkpoint.name}/{name}") as file:
            for item, where in wanted:
                file.seek(where.offset)
                _fill(planner, item, io.BytesIO(file.read(min(where.length, checkpoint.files[name].size))))


def _fill(planner: DefaultLoadPlanner, item: ReadItem, data: io.BytesIO) -> None:
    if item.type == LoadItemType.BYTE_IO:
        planner.load_bytes(item, data)
        return
    piece = read_from(data)
    for dimension, (start, length) in enumerate(zip(item.storage_offsets, item.lengths, strict=True)):
        piece = piece.narrow(dimension, start, length)
    target = planner.resolve_tensor(item).detach()
    target.copy_(piece)
    planner.commit_tensor(item, target)


class _Planner(DefaultLoadPlanner):
    """Torch's own would unpickle plain values, and so run whatever code a checkpoint brings."""

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        plain = io.BytesIO()
        torch.save(read_from(value), plain)
        plain.seek(0)
        super().load_bytes(read_item, plain)


class _IndexUnpickler(pickle.Unpickler):
    """Reads an index and nothing else: only the types that one is made of."""

    def find_class(self, module: str, name: str) -> Any:
        for known in _INDEX_TYPES:
            if (module, name) == (known.__module__, known.__qualname__):
                return known
        value = getattr(torch, name, None) if module == "torch" and name.isidentifier() else None
        if isinstance(value, torch.dtype | torch.layout):
            return value
        if (module, name) == ("torch.serialization", "_get_layout"):
            return torch.serialization._get_layout  # pyright: ignore[reportPrivateUsage]
        raise pickle.UnpicklingError(f"an index does not hold {module}.{name}")


def _read_index(storage: Storage, checkpoint: Checkpoint) -> dcp.Metadata:
    try:
        data = storage.read(f"{checkpoint.name}/{INDEX}", _LARGEST_INDEX)
        index = _IndexUnpickler(io.BytesIO(data)).load()
        if not isinstance(index, dcp.Metadata):
            raise pickle.UnpicklingError(f"it holds a {type(index).__name__}")
    except (pickle.UnpicklingError, ValueError, EOFError, AttributeError, TypeError) as error:
        raise CheckpointError(f"{checkpoint.name}/{INDEX} is no index of a checkpoint: {error}") from error
    return index


def _on_cpu(data: torch.Tensor | io.BytesIO, *, copied: bool) -> torch.Tensor | io.BytesIO:
    """A piece in the CPU's memory, with a storage of its own, so that no more than the piece is written."""
    if isinstance(data, io.BytesIO):
        return data
    piece = data.detach()
    whole = piece.untyped_storage().nbytes() == piece.numel() * piece.element_size()
    return piece.to("cpu", copy=copied or (piece.is_cpu and not whole))


class Tensors:
    """Those parts of a run whose state may lie in pieces: its modules and their optimizers."""

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self.modules = {name: part for name, part in parts.items() if isinstance(part, torch.nn.Module)}
        self.optimizers = {
            name: part for name, part in parts.items() if isinstance(part, torch.optim.Optimizer)
        }
        self.names = self.modules.keys() | self.optimizers.keys()

    def are_sharded(self) -> bool:
        """Whether some parameter lies in pieces, as FSDP leaves them."""
        return any(
            isinstance(value, DTensor) or type(module).__name__ == "FullyShardedDataParallel"
            for part in self.modules.values()
            for module in part.modules()
            for value in [None, *module.parameters(recurse=False)]
        )

    def take(self) -> dict[str, Any]:
        """The state of all, by names of parameters. Collective where FSDP makes it so."""
        return {
            **{name: dcp_state.get_model_state_dict(module) for name, module in self.modules.items()},
            **{
                name: dcp_state.get_optimizer_state_dict(self._owner(name, optimizer), optimizer)
                for name, optimizer in self.optimizers.items()
            },
        }

    def give(self, state: dict[str, Any]) -> None:
        """Give the state back."""
        for name, module in self.modules.items():
            dcp_state.set_model_state_dict(module, state[name])
        for name, optimizer in self.optimizers.items():
            dcp_state.set_optimizer_state_dict(self._owner(name, optimizer), optimizer, state[name])

    def _owner(self, name: str, optimizer: torch.optim.Optimizer) -> torch.nn.Module:
        """The module that the optimizer trains."""
        trained = {id(value) for group in optimizer.param_groups for value in group["params"]}
        for module in self.modules.values():
            if trained <= {id(value) for value in module.parameters()}:
                return module
        raise CheckpointError(f"{name!r} trains parameters that no one module among the parts holds")


def local(state: Any) -> Any:
    """The state with what this rank holds of each tensor, in the CPU's memory."""
    return mapped(state, lambda tensor: _local(tensor).detach().to("cpu", copy=True))


def refill(state: dict[str, Any], saved: Mapping[str, Any]) -> None:
    """Fill the state in place with what `local` saved of it on this rank."""
    for key, value in state.items():
        if isinstance(value, DTensor):
            value.to_local().detach().copy_(saved[key])
        elif isinstance(value, dict):
            refill(value, saved[key])
        else:
            state[key] = saved[key]


def _local(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor
