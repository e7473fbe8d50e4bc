"""The files below `specs/` that a change touches, as they were and as they are."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from trainshed.load.encoding import decode_text
from trainshed.load.files import SPEC_LIMIT_BYTES, list_files, read_text
from trainshed.load.specs import SPECS, SUFFIXES
from trainshed.load.yaml_tree import read_yaml
from trainshed.model.review import SpecPair
from trainshed.model.tree import Tree


def read_spec_pairs(root: Path, base: Mapping[PurePosixPath, bytes]) -> tuple[SpecPair, ...]:
    """Every spec and code file that differs, sorted by path. `base` holds the files of the base below the repository.

    What is no text, or too large for a spec, is passed by: load says so of the working tree.
    """
    before = {path for path in base if path.parts[0] == SPECS.name}
    now = set(list_files(root, SPECS, ("",)).value or ())
    pairs = (_pair(root, path, base.get(path), path in now) for path in sorted(before | now))
    return tuple(pair for pair in pairs if pair.before != pair.after)


def _pair(root: Path, path: PurePosixPath, base: bytes | None, is_there: bool) -> SpecPair:
    before = None if base is None or len(base) > SPEC_LIMIT_BYTES else decode_text(base, path).value
    after = read_text(root, path, SPEC_LIMIT_BYTES).value if is_there else None
    if before == after:
        return SpecPair(path, before, after)
    return SpecPair(path, before, after, _tree(before, path), _tree(after, path))


def _tree(text: str | None, path: PurePosixPath) -> Tree | None:
    return read_yaml(text, path).value if text is not None and path.suffix in SUFFIXES else None
