"""Files in, typed specs with the place of every word out.

Reads `specs/`, the code files that specs name, and what is committed; never writes or prints.
"""

from pathlib import Path
from types import MappingProxyType
from typing import Any

from trainshed.load.code import named_files, read_code
from trainshed.load.committed import read_committed
from trainshed.load.specs import read_specs
from trainshed.model.diagnostic import sort_findings
from trainshed.model.inputs import Inputs, SpecFile
from trainshed.model.outcome import Outcome
from trainshed.model.remember import Remember, make_anew
from trainshed.model.snapshot import Snapshot
from trainshed.model.spec import ClusterSpec, PolicySpec, PresetSpec, TeamSpec, TrainingJobSpec

__all__ = ["load_inputs"]


def load_inputs(root: Path, remember: Remember = make_anew, seen: Snapshot | None = None) -> Outcome[Inputs]:
    """Everything that rendering depends on, with all findings at once. `seen` is for `read_committed`."""
    files, findings = read_specs(root, remember)
    code, code_findings = read_code(root, files)
    not_specs = {source.path.parent / name for name, source in named_files(files)} - {
        file.path for file in files
    }
    findings = [finding for finding in findings if finding.source.path not in not_specs]
    inputs = Inputs(
        clusters=_of(files, ClusterSpec),
        teams=_of(files, TeamSpec),
        presets=_of(files, PresetSpec),
        jobs=_of(files, TrainingJobSpec),
        policies=_of(files, PolicySpec),
        code=MappingProxyType(code),
        committed=MappingProxyType(read_committed(root, seen)),
    )
    return Outcome(inputs, sort_findings([*findings, *code_findings]))


def _of(files: list[SpecFile[Any]], spec: type[Any]) -> tuple[SpecFile[Any], ...]:
    return tuple(file for file in files if isinstance(file.spec, spec))
