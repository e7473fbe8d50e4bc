"""Every spec file of the repository, read, lifted and checked."""

import hashlib
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from trainshed.load.files import SPEC_LIMIT_BYTES, list_files, read_text
from trainshed.load.hints import WORDS_THAT_MEAN
from trainshed.load.lift import lift_tree
from trainshed.load.shape import read_shape
from trainshed.load.yaml_tree import read_yaml
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, error
from trainshed.model.inputs import SpecFile
from trainshed.model.remember import Remember, make_anew
from trainshed.model.source import Source
from trainshed.model.spec import API_VERSION, KINDS
from trainshed.model.suggest import did_you_mean
from trainshed.model.tree import Tree

SPECS = PurePosixPath("specs")
SUFFIXES = (".yaml", ".yml")


Read: TypeAlias = tuple[list[SpecFile[Any]], Findings]
"""The spec in a file, if it is one, and what is wrong with it."""


def read_specs(root: Path, remember: Remember = make_anew) -> tuple[list[SpecFile[Any]], list[Diagnostic]]:
    """The specs below `specs/`, sorted by path, and everything that is wrong with their files."""
    listed = list_files(root, SPECS, SUFFIXES)
    findings = list(listed.findings) if (root / SPECS).exists() else [_nothing_here()]
    texts: list[tuple[str, PurePosixPath]] = []
    for path in listed.value or ():
        text = read_text(root, path, SPEC_LIMIT_BYTES)
        findings.extend(text.findings)
        if text.value is not None:
            texts.append((text.value, path))
    questions = [(str(path), text) for text, path in texts]
    read = remember("spec", questions, lambda new: [read_spec(*texts[index]) for index in new])
    findings.extend(finding for _, wrong in read for finding in wrong)
    return [file for files, _ in read for file in files], findings


def _nothing_here() -> Diagnostic:
    return error(
        Code.UNREADABLE_FILE,
        Source(SPECS),
        f'there is no folder "{SPECS}" here',
        "run the command in the repository that holds it, or name that with --repository",
    )


def read_spec(text: str, path: PurePosixPath) -> Read:
    """The spec in one file, if it is one."""
    tree = read_yaml(text, path)
    if tree.value is None:
        return [], tree.findings
    kind = tree.value.kind
    if kind not in KINDS:
        return [], (*tree.findings, _unknown_kind(tree.value))
    model = KINDS[kind]
    lifted = lift_tree(tree.value, model)
    spec = read_shape(lifted, model, WORDS_THAT_MEAN)
    digest = hashlib.sha256(text.encode()).hexdigest()
    read = [SpecFile(path, spec.value, lifted, digest)] if spec.value is not None else []
    return read, (*tree.findings, *spec.findings)


def _unknown_kind(tree: Tree) -> Diagnostic:
    kinds = ", ".join(KINDS)
    if "kind" not in tree.data:
        return error(
            Code.MISSING_FIELD,
            tree.value_source(("name",)),
            "the file does not say what it describes",
            f"begin with apiVersion: {API_VERSION}, and kind: one of {kinds}",
        )
    kind = tree.data["kind"]
    detail = did_you_mean(kind, KINDS) if isinstance(kind, str) else f"write one of {kinds}"
    return error(Code.UNKNOWN_KIND, tree.value_source(("kind",)), f'"{kind}" is not a kind of spec', detail)
