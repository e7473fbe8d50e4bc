"""The training runtime as a run carries it: files of Python, small enough for a ConfigMap."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from trainshed.catalog.row import CatalogError

PACKAGE = "trainshed_runtime"
_SHIPPED = (
    Path(__file__).parents[1] / PACKAGE,
    Path(__file__).parents[3] / "generator" / "runtime" / PACKAGE,
)
"""Where the package lies: in trainshed's wheel, or beside its source."""

_STARTED = "__main__.py"


@cache
def runtime_files() -> Mapping[str, str]:
    """The text of each file by its path below a folder that Python can start: `python <folder> <command>`.

    Raises CatalogError where trainshed was installed without them.
    """
    for package in _SHIPPED:
        if package.is_dir():
            files = {path.name: path.read_text("utf-8") for path in sorted(package.glob("*.py"))}
            started = {_STARTED: files.pop(_STARTED)}
            return MappingProxyType(started | {f"{PACKAGE}/{name}": text for name, text in files.items()})
    raise CatalogError(f"{PACKAGE} is missing: trainshed was installed without it")
