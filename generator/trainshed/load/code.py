"""The code files that specs name, read from beside the spec that names them."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from trainshed.load.files import read_text
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.inputs import SpecFile
from trainshed.model.source import Source
from trainshed.model.spec import PresetSpec, TeamSpec, TrainingJobSpec
from trainshed.model.tree import Path as TreePath

CODE_LIMIT_BYTES = 2**20
"""No file larger than a ConfigMap may be is worth reading."""


def read_code(
    root: Path, files: Iterable[SpecFile[Any]]
) -> tuple[dict[PurePosixPath, bytes], list[Diagnostic]]:
    """The bytes of every named file that is there. One that is not is resolve's to miss, when it is needed."""
    contents: dict[PurePosixPath, bytes] = {}
    findings: list[Diagnostic] = []
    for name, source in named_files(files):
        path = source.path.parent / name
        if ".." in PurePosixPath(name).parts or name.startswith("/"):
            findings.append(
                error(
                    Code.PATH_ESCAPE,
                    source,
                    f'"{name}" leads out of the folder of its spec',
                    "code files lie beside the spec that names them, or below",
                )
            )
        elif path not in contents and os.path.lexists(root / path):
            read = read_text(root, path, CODE_LIMIT_BYTES)
            findings.extend(_at(source, finding) for finding in read.findings)
            if read.value is not None:
                contents[path] = read.value.encode()
    return contents, findings


def named_files(files: Iterable[SpecFile[Any]]) -> Iterator[tuple[str, Source]]:
    """Every relative path that a spec names as code, and the word that names it."""
    for file in files:
        for at in _bodies(file):
            code = _descend(file, (*at, "code"))
            if code.get("git"):
                continue
            for run in (
                (*at, "run"),
                *((*at, "roles", role, "run") for role in _descend(file, (*at, "roles"))),
            ):
                script = _descend(file, run).get("script")
                if script and not script.startswith("/"):
                    yield script, file.tree.value_source((*run, "script"))
            for index, name in enumerate(code.get("files") or ()):
                yield str(name), file.tree.value_source((*at, "code", "files", index))


def _bodies(file: SpecFile[Any]) -> Iterator[TreePath]:
    """Where in the file job bodies stand."""
    spec = file.spec
    if isinstance(spec, TrainingJobSpec):
        yield ()
        yield from (("clusters", name) for name in spec.clusters or {})
        yield from (("environments", name) for name in spec.environments or {})
    elif isinstance(spec, PresetSpec):
        yield ("job",)
    else:
        yield ("defaults",)
        defaults = spec.defaults if isinstance(spec, TeamSpec) else None
        yield from (("defaults", "clusters", name) for name in (defaults and defaults.clusters) or {})
        yield from (("defaults", "environments", name) for name in (defaults and defaults.environments) or {})


def _descend(file: SpecFile[Any], path: TreePath) -> dict[str, Any]:
    here: Any = file.tree.data
    for step in path:
        here = here.get(step) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else {}


def _at(source: Source, finding: Diagnostic) -> Diagnostic:
    """The finding at the word that names the file, for that is what a person can change."""
    return error(finding.code, source, finding.summary, finding.detail)
