"""Which file names belong in the repository, and which files nobody means to be read."""

from pathlib import PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Findings, error
from trainshed.model.source import Source


def check_path(path: PurePosixPath) -> Findings:
    """One finding if `path` leads out of the repository or has a name that tools would trip over."""
    if path.is_absolute() or ".." in path.parts:
        detail = 'write it from the top of the repository, without "/" before it and without ".."'
        return (error(Code.PATH_ESCAPE, name_source(path), f'path "{spell(path)}" leads elsewhere', detail),)
    fault = next((fault for part in path.parts if (fault := _find_fault(part))), None)
    if fault is None:
        return ()
    detail = "rename it: letters, digits, dots, dashes and underscores are safe"
    return (error(Code.FILE_NAME, name_source(path), f'file name "{spell(path)}" {fault}', detail),)


def is_ignored(name: str) -> bool:
    """Whether a name is hidden, or is left over by an editor."""
    return name.startswith((".", "#")) or name.endswith(("~", ".bak", ".orig", ".rej", ".swp", ".tmp"))


def spell(path: PurePosixPath) -> str:
    """The path with escapes for what cannot be printed."""
    text = str(path)
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def name_source(path: PurePosixPath) -> Source:
    """The file as a whole, as it can be printed."""
    return Source(PurePosixPath(spell(path)))


def _find_fault(name: str) -> str | None:
    if name.startswith("-"):
        return 'begins with "-", like an option'
    if "\\" in name:
        return "holds a backslash"
    return None if name.isprintable() else "holds characters that cannot be seen"
