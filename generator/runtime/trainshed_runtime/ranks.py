"""The ranks of a run, doing things together: one fails, all learn of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from trainshed_runtime.checkpoints import CheckpointError
from trainshed_runtime.fence import Superseded

T = TypeVar("T")


class _Answer(NamedTuple):
    """What a rank came to: a value, or the words of its failure."""

    value: Any = None
    failure: str | None = None
    superseded: bool = False


class Ranks:
    """All ranks, over a gloo group of their own, so that nothing else waits for it. Without torch.distributed: one."""

    def __init__(self) -> None:
        # A program that has not imported it has no process group either.
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_available() or not distributed.is_initialized():
            self.rank, self.world_size, self._group = 0, 1, None
            return
        self._distributed: Any = distributed
        self.rank = int(distributed.get_rank())
        self.world_size = int(distributed.get_world_size())
        self._group = distributed.new_group(backend="gloo")

    def all(self, what: Callable[[], T]) -> list[T]:
        """What each rank came to, by rank.

        Raises:
            CheckpointError: it failed on some rank.
            Superseded: on some rank because of a newer writer.

        """
        answer = self._try(what)
        answers: list[Any] = [answer]
        if self._group is not None:
            answers = [None] * self.world_size
            self._distributed.all_gather_object(answers, answer, group=self._group)
        for rank, one in enumerate(answers):
            if one.failure is not None:
                where = f" (rank {rank})" if self.world_size > 1 else ""
                raise (Superseded if one.superseded else CheckpointError)(
                    f"{one.failure}{where}"
                ) from self._cause
        return [one.value for one in answers]

    def first(self, what: Callable[[], T]) -> T:
        """What rank 0 came to, on every rank. Raises as `all` does."""
        answers: list[Any] = [self._try(what) if self.rank == 0 else None]
        if self._group is not None:
            self._distributed.broadcast_object_list(answers, src=0, group=self._group)
        answer = answers[0]
        if answer.failure is not None:
            raise (Superseded if answer.superseded else CheckpointError)(answer.failure) from self._cause
        return answer.value

    def _try(self, what: Callable[[], object]) -> _Answer:
        self._cause: BaseException | None = None
        try:
            return _Answer(what())
        except Exception as error:
            self._cause = error
            words = str(error) if isinstance(error, (Superseded, CheckpointError)) else _words(error)
            return _Answer(failure=words, superseded=isinstance(error, Superseded))


def _words(error: BaseException) -> str:
    """What went wrong. PyTorch's own errors hide that of the disk behind them."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return f"{cause.strerror}: {cause.filename}" if cause.filename else cause.strerror
        cause = cause.__cause__ or cause.__context__
    return f"{type(error).__name__}: {error}"
