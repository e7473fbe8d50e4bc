"""The state of every source of random numbers in this process."""

from __future__ import annotations

import random
import sys
from typing import Any

import torch


class RandomState:
    """Python, PyTorch on the CPU and on this rank's GPU, and NumPy's global generator where it is imported.

    Generators that the program makes for itself are its own to save.
    """

    def __init__(self) -> None:
        self._loaded: dict[str, Any] | None = None
        self._at_epoch: dict[str, Any] | None = None

    def state_dict(self) -> dict[str, Any]:
        """The state now, and the one in which the epoch began: of tensors and plain values only."""
        return _get() | ({"epoch": self._at_epoch} if self._at_epoch else {})

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        """Go on with the numbers that would have come next when the state was taken."""
        self._loaded = state
        self._at_epoch = state.get("epoch")
        _set(state)

    def begin_epoch(self, *, resumed: bool) -> None:
        """Draw as the epoch drew when it began: the order of its data, and the seeds of the loader's workers.

        `resumed` inside an epoch, what was drawn since then is for `restore` to bring back.
        """
        if not resumed:
            self._loaded, self._at_epoch = None, _get()
        elif self._at_epoch is not None:
            _set(self._at_epoch)

    def restore(self) -> None:
        """Take on once more the state that was loaded, once the loader has begun. Works once."""
        state, self._loaded = self._loaded, None
        if state is not None:
            _set(state)


def _get() -> dict[str, Any]:
    state: dict[str, Any] = {"python": random.getstate(), "torch": torch.get_rng_state()}
    if _has_gpu():
        state["cuda"] = torch.cuda.get_rng_state()
    if "numpy" in sys.modules:
        name, keys, position, has_gauss, gauss = sys.modules["numpy"].random.get_state()
        state["numpy"] = (name, keys.tolist(), int(position), int(has_gauss), float(gauss))
    return state


def _set(state: dict[str, Any]) -> None:
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    torch.set_rng_state(state["torch"].cpu())
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state(state["cuda"].cpu())
    if "numpy" in state and "numpy" in sys.modules:
        sys.modules["numpy"].random.set_state(tuple(state["numpy"]))


def _has_gpu() -> bool:
    return torch.cuda.is_available() and torch.cuda.is_initialized()
