"""The state of the parts of a run, as a tree of tensors and plain values that goes to a file and comes back."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Protocol

import torch
from torch.nn.parallel import DistributedDataParallel

from trainshed_runtime.checkpoints import CheckpointError, HashedStream
from trainshed_runtime.storage import Storage


class Stateful(Protocol):
    """Anything with a state that can be taken and given back, as modules and optimizers of PyTorch have."""

    def state_dict(self) -> dict[str, Any]:
        """The state."""
        ...

    def load_state_dict(self, state: dict[str, Any], /) -> Any:
        """Take the state on."""
        ...


def unwrapped(part: Any) -> Any:
    """The part without the wrappers that only change the names in its state: DDP and `torch.compile`."""
    while True:
        if isinstance(part, DistributedDataParallel):
            part = part.module
        elif isinstance(part, torch.nn.Module) and isinstance(
            getattr(part, "_orig_mod", None), torch.nn.Module
        ):
            part = part._orig_mod
        else:
            return part


def mapped(tree: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """A copy of the tree with each tensor changed. Nothing of it is shared with the tree."""
    if isinstance(tree, torch.Tensor):
        return change(tree)
    if isinstance(tree, dict):
        twin = copy.copy(tree)  # keeps the type, and the `_metadata` of a module's state
        for key, value in tree.items():
            twin[key] = mapped(value, change)
        return twin
    if isinstance(tree, list):
        return [mapped(value, change) for value in tree]
    if isinstance(tree, tuple):
        values = [mapped(value, change) for value in tree]
        return type(tree)(*values) if hasattr(tree, "_fields") else tuple(values)
    return copy.deepcopy(tree)


def snapshot(tree: Any) -> Any:
    """The tree as it is now, in the CPU's memory: training may change the original right after.

    Tied weights stay tied: what is one tensor under two names is copied once.
    """
    copies: dict[tuple[Any, ...], torch.Tensor] = {}

    def copied(tensor: torch.Tensor) -> torch.Tensor:
        where = (tensor.untyped_storage().data_ptr(), tensor.storage_offset(), tensor.size(), tensor.stride())
        key = (*where, tensor.dtype, tensor.device)
        if not tensor.numel() or key not in copies:
            copies[key] = tensor.detach().to("cpu", copy=True)
        return copies[key]

    return mapped(tree, copied)


def check_plain(name: str, tree: Any) -> None:
    """See to it that the tree can be read back without running code from the file.

    Raises:
        CheckpointError: it holds more than tensors, numbers, text and containers of them.

    """
    skeleton = io.BytesIO()
    try:
        torch.save(mapped(tree, lambda tensor: torch.empty(0, dtype=tensor.dtype)), skeleton)
        skeleton.seek(0)
        torch.load(skeleton, weights_only=True)
    except Exception as error:
        raise CheckpointError(
            f"the state of {name!r} could not be loaded again: it must hold tensors, numbers, text and lists or "
            f"dictionaries of them only ({str(error).strip().splitlines()[0]})"
        ) from error


def writing(tree: Any) -> Callable[[HashedStream], object]:
    """What writes the tree to a stream."""
    return lambda stream: torch.save(tree, stream)  # type: ignore[arg-type]


def read(storage: Storage, path: str) -> Any:
    """The tree in a file, on the CPU."""
    with storage.open(path) as file:
        return read_from(file)


def read_from(file: BinaryIO) -> Any:
    """The tree in an open file, on the CPU. Runs no code from it, whatever it holds."""
    return torch.load(file, map_location="cpu", weights_only=True)


def give(parts: Mapping[str, Stateful], trees: Mapping[str, Any]) -> None:
    """Give each part its state back.

    Raises:
        CheckpointError: the parts are others than those that were saved, or one refuses its state.

    """
    if parts.keys() != trees.keys():
        raise CheckpointError(
            f"the checkpoint holds {', '.join(sorted(trees)) or 'nothing'}, the run has "
            f"{', '.join(sorted(parts)) or 'nothing'}: start it with the same parts, or with resume: never"
        )
    for name, part in parts.items():
        try:
            unwrapped(part).load_state_dict(trees[name])
        except Exception as error:
            raise CheckpointError(f"{name!r} refuses its state: {error}") from error
