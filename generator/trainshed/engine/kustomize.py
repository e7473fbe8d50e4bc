r"""`kustomize build` for Python: files in, objects out, nothing written, nothing fetched, nothing installed.

    from trainshed.engine.kustomize import build

    objects = build({
        "kustomization.yaml": "namespace: ml\nresources: [service.yaml]\n",
        "service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
    })

`build` raises `KustomizeError` with the file and line where Kustomize's words lead to them. `build_many`
builds many trees in one go and raises nothing for a tree that cannot be built: each result has either
objects or a problem. A folder on disk becomes files with `read_tree`.

Kustomize 5.8 (`sigs.k8s.io/kustomize/api v0.21`) runs as a library in the engine's process, with its own
defaults: `../base` may be built upon, files outside a root may not be read. Remote bases, Helm charts,
plug-ins and functions are refused. File names are ASCII letters, digits and `-_.:`, as Kustomize's file
system in memory holds no others. Starting an engine costs some ten milliseconds: for many builds, pass one
`Engine` or `EnginePool`.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from trainshed.engine.batches import batches
from trainshed.engine.client import Caller, lent
from trainshed.engine.messages import Build, BuildResult, JsonObject

TREES_PER_CALL = 16
PASSED_OVER = ".git"


class KustomizeError(Exception):
    """Files that cannot be built. `path` is empty and `line` is 0 where nothing says which."""

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        super().__init__(message, path, line)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.message}" if place else self.message


def build(files: Mapping[str, str], root: str = ".", *, engine: Caller | None = None) -> list[JsonObject]:
    """The objects of the kustomization in folder `root`, in Kustomize's order; `files` is text by path."""
    (result,) = build_many([Build(files, (root,))], engine=engine)
    if result.problem is not None:
        raise KustomizeError(result.problem.message, result.problem.path, result.problem.line)
    return list(result.objects)


def build_many(builds: Iterable[Build], *, engine: Caller | None = None) -> list[BuildResult]:
    """One result for each root of each tree, in their order."""
    trees = list(builds)
    for tree in trees:
        refuse_half_characters(tree.files)
    bodies = [{"builds": [tree.to_json() for tree in batch]} for batch in batches(trees, TREES_PER_CALL)]
    with lent(engine) as caller:
        replies = caller.call_many("build", bodies)
    return [BuildResult.from_json(result) for reply in replies for result in reply["builds"]]


def read_tree(folder: Path) -> dict[str, str]:
    """The text of every file below `folder` by POSIX path, for `build`.

    Raises `KustomizeError` for links to folders or out of this one, for pipes and devices, and for files
    that are not UTF-8. Git's own folder is passed over.
    """
    home = folder.resolve()
    if not home.is_dir():
        raise KustomizeError("not a folder", folder.as_posix())
    paths = (path for path in home.rglob("*") if PASSED_OVER not in path.relative_to(home).parts)
    return {
        path.relative_to(home).as_posix(): read_text(path, home)
        for path in sorted(paths)
        if path.is_symlink() or not path.is_dir()
    }


def read_text(path: Path, home: Path) -> str:
    """The text of one file that lies, itself and by its links, below `home`."""
    name = path.relative_to(home).as_posix()
    if not path.is_file():
        raise KustomizeError("not a file, nor a link to one", name)
    if not path.resolve().is_relative_to(home):
        raise KustomizeError("a link leads out of the folder", name)
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise KustomizeError("not UTF-8 text", name) from error


def refuse_half_characters(files: Mapping[str, str]) -> None:
    """Python text may hold half of a surrogate pair; no file can."""
    for path, text in files.items():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise KustomizeError("not Unicode text", path, text.count("\n", 0, error.start) + 1) from error
