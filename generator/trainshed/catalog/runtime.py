"""The training runtime as a run carries it: files of Python, small enough for a ConfigMap."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from trainshed.catalog.row import CatalogError
from trainshed.model.shipped import RUNTIME, SHIPPED_RUNTIME

_STARTED = "__main__.py"


@cache
def runtime_files() -> Mapping[str, str]:
    """The text of each file by its path below a folder that Python can start: `python <folder> <command>`.

    Raises CatalogError where trainshed was installed without them.
    """
    for package in SHIPPED_RUNTIME:
        if package.is_dir():
            files = {path.name: path.read_text("utf-8") for path in sorted(package.glob("*.py"))}
            started = {_STARTED: files.pop(_STARTED)}
            return MappingProxyType(started | {f"{RUNTIME}/{name}": text for name, text in files.items()})
    raise CatalogError(f"{RUNTIME} is missing: trainshed was installed without it")
