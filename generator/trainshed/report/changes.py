"""What a render would do to the generated folders, found by comparing bytes."""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TypeAlias

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error, sort_findings
from trainshed.model.naming import GENERATED
from trainshed.model.outcome import Outcome
from trainshed.model.source import Source
from trainshed.report.refusal import explain_failure
from trainshed.report.tree import Tree, read_start, read_tree

NOTHING_READ: Mapping[PurePosixPath, bytes] = MappingProxyType({})
Selects: TypeAlias = Callable[[PurePosixPath], bool]


def select_all(_: PurePosixPath) -> bool:
    """Every generated file takes part."""
    return True


def select_below(places: Iterable[PurePosixPath]) -> Selects:
    """Only these files, and those below these folders, take part."""
    chosen = frozenset(places)
    return lambda path: path in chosen or not chosen.isdisjoint(path.parents)


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference between what is wanted and what stands, paths sorted.

    `wanted` holds every selected file with its bytes; `found` holds what the changed files begin with
    now, long enough to tell the first difference.
    """

    added: tuple[PurePosixPath, ...]
    changed: tuple[PurePosixPath, ...]
    removed: tuple[PurePosixPath, ...]
    unchanged_count: int
    wanted: Mapping[PurePosixPath, bytes] = field(repr=False)
    found: Mapping[PurePosixPath, bytes] = field(repr=False)
    folders: tuple[str, ...] = GENERATED
    selects: Selects = field(default=select_all, repr=False)

    @property
    def is_empty(self) -> bool:
        """Whether the tree is already as wanted."""
        return not (self.added or self.changed or self.removed)

    @property
    def written(self) -> tuple[PurePosixPath, ...]:
        """The files to write, sorted."""
        return tuple(sorted(self.added + self.changed))


def plan_changes(
    root: Path,
    wanted: Mapping[PurePosixPath, bytes | str],
    folders: tuple[str, ...] = GENERATED,
    selects: Selects = select_all,
    read: Mapping[PurePosixPath, bytes] = NOTHING_READ,
    tree: Tree | None = None,
) -> Outcome[Changes]:
    """Compares the tree with what is wanted and writes nothing.

    `read` holds files that were read a moment before, and `tree` says what stands there if that is known.

    Every selected file below `folders` that is not wanted is to be removed. Raises ValueError for a
    wanted path outside `folders`, which no spec can cause.
    """
    contents = {path: _encode(content) for path, content in wanted.items() if selects(path)}
    names = {str(path): path for path in contents}
    above = folders_above(names)
    _require_inside(names.keys(), above, folders)
    tree = tree or read_tree(root, folders)
    findings = [*tree.findings, *_find_obstacles(names.keys(), above, tree)]
    found: dict[PurePosixPath, bytes] = {}
    standing = [path for name, path in names.items() if name in tree.files]
    for path in standing:
        try:
            content = read[path] if path in read else read_start(f"{root}/{path}", len(contents[path]) + 1)
        except OSError as failure:
            findings.append(explain_failure(root, failure, Code.UNREADABLE_FILE))
            continue
        if content != contents[path]:
            found[path] = content
    if findings:
        return Outcome(None, sort_findings(findings))
    foreign = map(PurePosixPath, tree.files - names.keys())
    return Outcome(
        Changes(
            added=tuple(sorted(contents.keys() - standing)),
            changed=tuple(sorted(found)),
            removed=tuple(sorted(filter(selects, foreign))),
            unchanged_count=len(standing) - len(found),
            wanted=contents,
            found=found,
            folders=folders,
            selects=selects,
        )
    )


def is_inside(path: str, folders: tuple[str, ...]) -> bool:
    """Whether a path with slashes names a file below one of the folders, and nothing else."""
    head, *rest = path.split("/")
    return head in folders and bool(rest) and "\0" not in path and not {"", ".", ".."}.intersection(rest)


def folders_above(paths: Iterable[str]) -> frozenset[str]:
    """Every folder that these paths lie in, up to the generated folders themselves."""
    above: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in above:
            above.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(above)


def _encode(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _require_inside(names: Set[str], above: Set[str], folders: tuple[str, ...]) -> None:
    outside = [name for name in names if not is_inside(name, folders)]
    if outside:
        raise ValueError(f"generated path lies outside {', '.join(folders)}: {min(outside)}")
    both = above & names
    if both:
        raise ValueError(f"generated path is both a file and a folder: {min(both)}")


def _find_obstacles(names: Set[str], above: Set[str], tree: Tree) -> Iterable[Diagnostic]:
    advice = "move it away, then run `trainshed render`"
    for name in names & tree.folders:
        summary = f"a folder stands where the file {name} belongs"
        yield error(Code.NOT_A_FILE, Source(PurePosixPath(name)), summary, advice)
    for name in above & tree.files:
        summary = f"a file stands where the folder {name} belongs"
        yield error(Code.NOT_A_FOLDER, Source(PurePosixPath(name)), summary, advice)
