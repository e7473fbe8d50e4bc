"""Schemas derived from where they are defined: operator releases from their Go modules, specs from our own types."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from trainshed.engine.client import Engine
from trainshed.engine.errors import EngineFaultError
from trainshed.model.spec import API_VERSION, KINDS, describe

SCHEMAS = "schemas"
SPEC_SCHEMAS = "trainshed"
REQUEST_FIELDS = ("module", "paths", "form", "kinds")


class DeriveError(Exception):
    """A release that cannot be derived, in words for the person who asked."""


class UnknownOperatorError(DeriveError):
    """No row of the catalogue says where the operator's schemas come from."""


def read_releases() -> dict[str, dict[str, Any]]:
    """The operators whose schemas can be derived, and where from."""
    text = files("trainshed.catalog").joinpath("releases.yaml").read_text("utf-8")
    return YAML(typ="safe").load(text)


def list_releases(root: Path) -> Iterator[str]:
    """A line for each release that is kept or here, and one for each operator that has none yet."""
    for operator, row in read_releases().items():
        home = root / SCHEMAS / operator
        here = {folder.name for folder in home.iterdir()} if home.is_dir() else set[str]()
        for release in sorted({*row["releases"], *here}, key=_age):
            num = len(list((home / release).rglob("*.json")))
            yield f"{operator} {release}  {f'{num} schemas' if num else 'not here'}"
        if not row["releases"] and not here:
            yield f"{operator}  no release here yet"


def _age(release: str) -> tuple[list[int], str]:
    """Oldest first: v0.8.0 before v0.12.0."""
    return [int(number) for number in re.findall(r"\d+", release)], release


def derive_release(root: Path, operator: str, release: str) -> list[Path]:
    """Write the schemas of one release, in place of what was there; the paths written.

    Raises `UnknownOperatorError` where no row of the catalogue tells where they come from, `DeriveError` where
    they are written by hand, or the module cannot be had or holds no schema that makes sense, `EngineError` for
    a dead engine.
    """
    rows = read_releases()
    if operator not in rows:
        raise UnknownOperatorError(f'"{operator}" is not one of {", ".join([*rows, SPEC_SCHEMAS])}')
    row = rows[operator]
    if "written" in row:
        raise DeriveError(
            f"no release of {operator} can be had; its schema is written by hand, from {row['written']}"
        )
    request = {field: row[field] for field in REQUEST_FIELDS if field in row}
    with Engine() as engine:
        try:
            reply = engine.call("derive", {**request, "version": release, "environment": dict(os.environ)})
        except EngineFaultError as fault:
            raise DeriveError(fault.message) from fault
    return _write(root / SCHEMAS / operator / release, reply["schemas"])


def derive_specs(root: Path, version: str) -> list[Path]:
    """Write the JSON Schemas of our own specs, which editors use. Raises `DeriveError` for another grammar."""
    grammar, _, known = API_VERSION.partition("/")
    if version != known:
        raise DeriveError(f'this trainshed reads {grammar}/{known}; write "schemas add {grammar} {known}"')
    return _write(root / SCHEMAS / SPEC_SCHEMAS, spec_schemas())


def spec_schemas() -> dict[str, str]:
    """The JSON Schema of each kind of spec, as text by file name."""
    return {f"{kind.lower()}.json": _schema_text(kind) for kind in KINDS}


def _schema_text(kind: str) -> str:
    schema = describe(kind)
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps({**dialect, **_tidy(schema)}, indent=1, ensure_ascii=False) + "\n"


def _tidy(node: Any) -> Any:
    """No titles and no null defaults, which only fill the editor's pop-up; maps by name closed to other names."""
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    tidy = {
        key: {name: _tidy(field) for name, field in value.items()}
        if key in ("properties", "$defs")
        else _tidy(value)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str)) and not (key == "default" and value is None)
    }
    if "patternProperties" in tidy:
        tidy["additionalProperties"] = False
    return tidy


def _write(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """The files in a folder that held nothing else; a folder beside it becomes this one by a rename."""
    fresh = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    for name, text in texts.items():
        path = fresh / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    if folder.exists():
        shutil.rmtree(folder)
    fresh.rename(folder)
    return sorted(folder / name for name in texts)
