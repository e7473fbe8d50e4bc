"""What a stage may ask for: the values of before, where everything that they are made from is the same."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

Question: TypeAlias = tuple[str | bytes, ...]
"""Everything that a value is made from, beside trainshed itself: file names, bytes of files, hashes of them."""


class Remember(Protocol):
    """Whoever makes values, or knows them. With one that knows, the values are the same, and only sooner there."""

    def __call__(
        self,
        about: str,
        questions: Sequence[Question],
        make: Callable[[list[int]], Iterable[T]],
        around: Sequence[Any] = (),
    ) -> list[T]:
        """A value for each question; `make` makes those of the questions at some positions, in their order.

        `about` tells kinds of questions apart. `around` are values that many answers hold, given and not kept: the
        questions have to say what those are made from.
        """
        ...


def make_anew(
    about: str,  # noqa: ARG001 - the signature of Remember
    questions: Sequence[Question],
    make: Callable[[list[int]], Iterable[T]],
    around: Sequence[Any] = (),  # noqa: ARG001
) -> list[T]:
    """The one that knows nothing."""
    return list(make([*range(len(questions))]))
