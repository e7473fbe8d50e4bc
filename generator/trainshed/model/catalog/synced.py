"""The catalogue's kinds that Argo CD has to be told about."""

from msgspec import Struct


class SyncedKind(Struct, frozen=True):
    """What Argo CD does not know of a kind.

    `health` is a Lua script, empty where there is nothing to tell. `fields` are the fields that hold a type of
    Kubernetes, by path (`[]` goes through a list). `written` are fields that others write once an object is there, as
    jq expressions.
    """

    group: str
    kind: str
    health: str
    fields: tuple[tuple[str, str], ...]
    written: tuple[str, ...]
    sources: tuple[str, ...]
