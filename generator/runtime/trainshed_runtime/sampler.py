"""Which samples each rank trains on, whatever number of ranks there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

_Batches = torch.utils.data.Sampler[list[int]]


class ElasticSampler(_Batches):
    """The batches of one rank, for `DataLoader(dataset, batch_sampler=sampler)`.

    The order of an epoch depends on `seed` and epoch alone. `batch_size` is that of the whole world: a step takes as
    many samples on two ranks as on one, and each rank its share of them. So after a change of the world nothing is
    skipped and nothing is seen twice within an epoch, and what the optimizer sees stays the same.
    A share that is too large for the memory of a smaller world is for the program to split and accumulate.

    The last two batches share evenly what is left for them, so that none is too small for the ranks; `drop_last`
    leaves out what does not fill a batch.
    """

    def __init__(
        self,
        size: int,
        batch_size: int,
        *,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> None:
        self.size = size
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        self.epoch = 0
        self.consumed = 0
        """Samples of the epoch that the whole world has trained on."""
        self._rank = rank
        self._world_size = world_size
        self._before_first: Callable[[], None] | None = None

    def set_epoch(self, epoch: int) -> None:
        """Begin the epoch; one that has begun goes on where it was."""
        if epoch != self.epoch:
            self.epoch, self.consumed = epoch, 0

    def advance(self) -> None:
        """Count one batch as trained on. `Run.step` does so: a loader with workers draws ahead of the training."""
        self.consumed = self._end_of_batch(self.consumed, self._world()[1])

    @property
    def is_exhausted(self) -> bool:
        """Whether no global batch of the epoch is left."""
        return self._end_of_batch(self.consumed, self._world()[1]) == self.consumed

    def before_first(self, act: Callable[[], None]) -> None:
        """Have this done once, before the next batch is drawn.

        A `DataLoader` draws a random number when an iteration begins (`_BaseDataLoaderIter.__init__`, torch 2.4 to
        2.15), then asks for the first batch: a run that resumes inside an epoch takes its random state on in between.
        """
        self._before_first = act

    def state_dict(self) -> dict[str, Any]:
        """Where in the data the training is, and in which order it takes them."""
        return {"epoch": self.epoch, "consumed": self.consumed, "size": self.size, "seed": self.seed}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        """Go on there.

        Raises:
            ValueError: the state is of other data: its samples cannot be told from those not seen yet.

        """
        if (state["size"], state["seed"]) != (self.size, self.seed):
            raise ValueError(
                f"the checkpoint is of {state['size']} samples in the order of seed {state['seed']}, "
                f"the sampler of {self.size} with seed {self.seed}"
            )
        self.epoch, self.consumed = state["epoch"], state["consumed"]

    def __len__(self) -> int:
        """Steps of a whole epoch."""
        world_size = self._world()[1]
        steps = max(0, self.size // self.batch_size - 1)
        consumed = steps * self.batch_size
        while (end := self._end_of_batch(consumed, world_size)) > consumed:
            steps, consumed = steps + 1, end
        return steps

    def __iter__(self) -> Iterator[list[int]]:
        if self._before_first is not None:
            act, self._before_first = self._before_first, None
            act()
        rank, world_size = self._world()
        order = self._order()
        start = self.consumed
        while (end := self._end_of_batch(start, world_size)) > start:
            # A world that grew before the epoch's last few samples may outnumber them: then some are seen again.
            yield order[start + rank % (end - start) : end : world_size].tolist()
            start = end

    def _end_of_batch(self, start: int, world_size: int) -> int:
        """Where the global batch that begins at `start` ends; `start` itself at the end of the epoch."""
        rest = self.size - start
        if rest < self.batch_size and self.drop_last:
            return start
        if rest >= 2 * self.batch_size or self.drop_last:
            return start + self.batch_size
        if rest <= self.batch_size or rest // 2 < world_size:
            return self.size
        return start + (rest + 1) // 2

    def _order(self) -> torch.Tensor:
        if not self.shuffle:
            return torch.arange(self.size)
        generator = torch.Generator()
        generator.manual_seed(self.seed + self.epoch)
        return torch.randperm(self.size, generator=generator)

    def _world(self) -> tuple[int, int]:
        """The rank, and the number of ranks, as they are now."""
        joined = dist.is_available() and dist.is_initialized()
        rank = self._rank if self._rank is not None else dist.get_rank() if joined else 0
        world_size = self._world_size or (dist.get_world_size() if joined else 1)
        if world_size > min(self.batch_size, self.size):
            raise ValueError(
                f"{min(self.batch_size, self.size)} samples for {world_size} ranks: some would have none; "
                "give a larger batch_size (it is that of all ranks together)"
            )
        return rank, world_size


@dataclass
class Place:
    """How many batches of the epoch each rank has trained on: what a loader that begins anew has to pass over."""

    batches: int = 0

    def state_dict(self) -> dict[str, Any]:
        """The place now."""
        return {"batches": self.batches}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        """Go on there."""
        self.batches = state["batches"]
