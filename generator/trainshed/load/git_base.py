"""The base of a change, read from Git's objects: no checkout, no program, nothing fetched."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from weakref import finalize

from dulwich.errors import NotGitRepository
from dulwich.graph import can_fast_forward, find_merge_base
from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.objectspec import AmbiguousShortId, parse_commit
from dulwich.repo import Repo

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, Severity, error
from trainshed.model.inputs import Base, BaseError
from trainshed.model.naming import GENERATED
from trainshed.model.outcome import Outcome
from trainshed.model.source import Source
from trainshed.model.suggest import did_you_mean

FOLDERS = (*GENERATED, "specs")

_HERE = Source(PurePosixPath("."))
_REVISION = re.compile(r"(?P<name>[^~^:]+)(?P<steps>(?:[~^][0-9]{0,9})*)")
_STEP = re.compile(r"([~^])([0-9]*)")
_SHORT = 8
_DEEPEN = "fetch more: `git fetch --deepen=100 origin`, or `fetch-depth: 0` in actions/checkout"


def load_base(root: Path, ref: str) -> Outcome[Base]:
    """What stands below `root` where HEAD left `ref`; at `ref` itself where the two share no commit.

    `ref` is a branch, tag, remote branch or hash, with `~n` and `^n` behind it.
    """
    with ExitStack() as opened:
        try:
            repository = opened.enter_context(_open(root))
            commit, notes = _find_start(repository, _resolve(repository, ref), ref)
            files = _Files(repository, _list_files(repository, commit, root))
        except BaseError as unknown:
            return Outcome(None, (unknown.finding,))
        except Exception as broken:  # whatever dulwich comes upon in a repository that is damaged
            return Outcome(None, (_explain_damage(broken).finding,))
        finalize(files, opened.pop_all().close)
        return Outcome(Base(commit.id.decode(), files), notes)


class _Files(Mapping[PurePosixPath, bytes]):
    """Files by path, each read when it is asked for. Raises BaseError where that fails.

    The repository stays open for as long as these are held.
    """

    def __init__(self, repository: Repo, blobs: Mapping[PurePosixPath, ObjectID]) -> None:
        self._repository = repository
        self._blobs = blobs

    def __getitem__(self, path: PurePosixPath) -> bytes:
        name = self._blobs[path]
        try:
            blob = self._repository.object_store[name]
        except Exception as broken:
            raise _explain_damage(broken) from broken
        return blob.data if isinstance(blob, Blob) else b""

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)


def _open(root: Path) -> Repo:
    try:
        return Repo.discover(root)
    except NotGitRepository as missing:
        raise _refuse(
            "there is no Git repository here",
            "--base compares with a commit: run the command in a clone, or leave --base away",
        ) from missing


def _resolve(repository: Repo, ref: str) -> Commit:
    """The commit that `ref` names."""
    parts = _REVISION.fullmatch(ref)
    if parts is None:
        raise _refuse(
            f'"{ref}" names no commit', "write a branch, tag or hash, such as origin/main or HEAD~1"
        )
    name = "HEAD" if parts["name"] == "@" else parts["name"]
    try:
        commit = parse_commit(repository, os.fsencode(name))
    except AmbiguousShortId as several:
        raise _refuse(f'"{ref}" is the beginning of several hashes', "write more of the hash") from several
    except (KeyError, ValueError) as unknown:
        raise _explain_unknown(repository, name) from unknown
    for kind, number in _STEP.findall(parts["steps"]):
        commit = _go_back(repository, commit, kind, int(number or 1), ref)
    return commit


def _go_back(repository: Repo, commit: Commit, kind: str, number: int, ref: str) -> Commit:
    """`~n`: n first parents. `^n`: the n-th parent."""
    ways = [0] * number if kind == "~" else [number - 1] * min(number, 1)
    for way in ways:
        parents = repository.get_parents(commit.id)
        if way >= len(parents):
            cut = commit.id in repository.get_shallow()
            where = "beyond the commits that were fetched" if cut else "before the first commit"
            raise _refuse(f'"{ref}" lies {where}', _DEEPEN if cut else "name a later commit")
        commit = parse_commit(repository, parents[way])
    return commit


def _find_start(repository: Repo, other: Commit, ref: str) -> tuple[Commit, Findings]:
    """The newest commit that HEAD and `ref` share, as a pull request is compared; without one, that of `ref`.

    What is just being merged counts as HEAD does: the commit that ends the merge will have both.
    """
    heads = list(_heads(repository))
    if not heads:
        return other, ()
    starts = [shared[-1] for head in heads if (shared := find_merge_base(repository, [head, other.id]))]
    if starts:
        newest = starts[0]
        for start in starts[1:]:
            newest = start if can_fast_forward(repository, newest, start) else newest
        return parse_commit(repository, newest), ()
    is_cut = bool(repository.get_shallow())
    note = Diagnostic(
        code=Code.UNKNOWN_BASE,
        severity=Severity.NOTE,
        summary=f'HEAD and "{ref}" share no commit that is here: compared with "{ref}" itself',
        source=_HERE,
        detail=_DEEPEN if is_cut else "what was merged there since then counts as changed here",
    )
    return other, (note,)


def _heads(repository: Repo) -> Iterator[ObjectID]:
    """HEAD, and while a merge is resolved what is merged into it (`MERGE_HEAD` of gitrepository-layout)."""
    try:
        yield parse_commit(repository, b"HEAD").id
    except KeyError:
        return
    merging = repository.get_named_file("MERGE_HEAD")
    if merging is not None:
        with merging:
            names = merging.read().split()
        yield from (parse_commit(repository, name).id for name in names)


def _list_files(repository: Repo, commit: Commit, root: Path) -> dict[PurePosixPath, ObjectID]:
    """The regular files of our folders, by their path below `root`."""
    store = repository.object_store
    prefix = PurePosixPath(root.resolve().relative_to(Path(repository.path).resolve()).as_posix())
    top = _descend(repository, commit.tree, prefix.parts)
    found: dict[PurePosixPath, ObjectID] = {}
    for folder in FOLDERS:
        tree = _descend(repository, top, (folder,))
        for entry in store.iter_tree_contents(tree) if tree else ():
            if entry.path and entry.sha and stat.S_ISREG(entry.mode or 0):
                if entry.sha not in store:
                    raise _explain_missing(entry.sha)
                found[PurePosixPath(folder, os.fsdecode(entry.path))] = entry.sha
    return dict(sorted(found.items()))


def _descend(repository: Repo, tree: ObjectID | None, names: tuple[str, ...]) -> ObjectID | None:
    """The tree of a folder below another, None where there is none."""
    for name in names:
        entries = repository.object_store[tree] if tree else None
        mode, below = (0, None)
        if isinstance(entries, Tree) and os.fsencode(name) in entries:
            mode, below = entries[os.fsencode(name)]
        tree = below if stat.S_ISDIR(mode) else None
    return tree


def _explain_unknown(repository: Repo, name: str) -> BaseError:
    remote, slash, branch = name.partition("/")
    if slash and remote in _remotes(repository):
        fetch = f"git fetch --depth=1 {remote} +refs/heads/{branch}:refs/remotes/{name}"
        return _refuse(f'"{name}" is not in this clone', f"fetch it: `{fetch}`")
    prefixes = (b"refs/heads/", b"refs/tags/", b"refs/remotes/")
    known = {
        os.fsdecode(ref.removeprefix(prefix))
        for prefix in prefixes
        for ref in repository.refs.allkeys()
        if ref.startswith(prefix)
    }
    advice = did_you_mean(name, known)
    if repository.get_shallow():
        advice = "; or ".join(filter(None, (advice, f"fetch it: `git fetch --depth=1 origin {name}`")))
    return _refuse(f'"{name}" is no branch, tag or hash of this repository', advice)


def _refuse(summary: str, detail: str) -> BaseError:
    return BaseError(error(Code.UNKNOWN_BASE, _HERE, summary, detail))


def _remotes(repository: Repo) -> set[str]:
    sections = repository.get_config().sections()
    return {os.fsdecode(section[1]) for section in sections if len(section) > 1 and section[0] == b"remote"}


def _explain_missing(name: ObjectID) -> BaseError:
    return _refuse(
        f"object {name.decode()[:_SHORT]} of the base is not in this clone",
        "fetch it whole: `git fetch --refetch --filter=blob:limit=10m origin`, or clone without a filter",
    )


def _explain_damage(cause: Exception) -> BaseError:
    words = " ".join(f"{type(cause).__name__}: {cause}".split())
    return _refuse(
        f"the Git repository cannot be read: {words}",
        "look at what `git fsck` says; in a clone that is not whole, `git fetch` what is missing",
    )
