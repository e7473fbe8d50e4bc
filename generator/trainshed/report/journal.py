"""The journal: what a render has promised to do once its new content is safe on disk."""

import json
from dataclasses import asdict, dataclass
from typing import cast

from trainshed.report.changes import is_inside

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Journal:
    """Paths below the root, with slashes. The n-th of `writes` has its content in the staged file `n`."""

    writes: tuple[str, ...]
    removals: tuple[str, ...]


def encode_journal(journal: Journal) -> bytes:
    """The journal as ASCII JSON; names that are no text survive as escapes."""
    return json.dumps({"version": _VERSION} | asdict(journal)).encode("ascii")


def decode_journal(content: bytes, folders: tuple[str, ...]) -> Journal | None:
    """The journal, or None unless it is complete, of this version, and stays inside the folders.

    A journal may come with a foreign checkout, so nothing in it is believed.
    """
    try:
        document: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    fields = cast("dict[str, object]", document)
    if fields.keys() != {"version", "writes", "removals"} or fields["version"] != _VERSION:
        return None
    writes, removals = (_decode_paths(fields[name], folders) for name in ("writes", "removals"))
    return None if writes is None or removals is None else Journal(writes, removals)


def _decode_paths(value: object, folders: tuple[str, ...]) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    paths = [path for path in cast("list[object]", value) if isinstance(path, str)]
    is_sound = len(paths) == len(cast("list[object]", value)) and all(
        is_inside(path, folders) for path in paths
    )
    return tuple(paths) if is_sound else None
