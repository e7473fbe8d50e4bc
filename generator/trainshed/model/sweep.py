"""Jobs of many pods that do not talk to each other, and when a run has succeeded."""

from typing import Literal

from msgspec import Struct


class Sweep(Struct, frozen=True):
    """The parameters of each point as JSON, in the order of their indexes.

    `tolerate` is how many points may fail before the rest is given up; None to try them all.
    """

    points: tuple[str, ...]
    tolerate: int | None


class Success(Struct, frozen=True):
    """What has to end well: all or any of the run's parts, or of its pods where it has no parts; or one role."""

    done: Literal["all", "any"]
    role: str
