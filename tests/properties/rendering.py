"""Specs in, objects and findings out, thousands of times: the street up to compile, in this process, without Node.

The constructs are those of every render. What crosses to cdk8s is each body as one text, and the same text comes back
(`tests/compile/test_crossing.py`), so here it is taken before it crosses.
"""

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from properties.ignored_fields import ignored_fields
from properties.leaf_rows import Data
from properties.leaf_specs import FOLDERS

from trainshed.compile import compile_manifests
from trainshed.compile.node import prepare_node
from trainshed.load import load_inputs, specs
from trainshed.model.diagnostic import Findings, has_errors
from trainshed.model.manifest import (
    AppId,
    AppManifests,
    JsonObject,
    Manifest,
    Origins,
    canonical_json,
    identify,
)
from trainshed.model.plan import Plan
from trainshed.model.shipped import SHIPPED
from trainshed.resolve import resolve_plan
from trainshed.validate.schemas import schema_folders

DIGEST = re.compile(r"\b(resnet(?:-[a-z]+)?-|/)[0-9a-f]{8}\b")
ECHO = re.compile(
    r'"trainshed\.dev/(?:tags|description|privileged-why|owner|cost-center)":"(?:[^"\\]|\\.)*",?'
)
"""Labels and annotations of ours that no controller and no code reads: they repeat the spec for people."""

REMEMBERED = 512
"""Outcomes and specs kept: what a leaf is compared with comes again with the next leaf."""


@dataclass(frozen=True)
class Outcome:
    """What became of the specs: the objects without echoes, the echoes, what was said, and fields that carry nothing."""

    objects: str
    echoes: str
    said: str
    refused: bool
    ignored: frozenset[str] = frozenset()


Render = Callable[[Mapping[str, Data], bool], Outcome]
"""From specs by their file's name. The second word says whether only jobs are compiled, or all apps."""


@contextmanager
def rendering() -> Generator[Render]:
    """A way to render specs that touches one folder, in which only changed files are written anew."""
    prepare_node()
    from trainshed.compile import apps, objects

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(specs, "read_spec", lru_cache(REMEMBERED)(specs.read_spec))
        patch.setattr(objects.PlainObject, "__init__", _keep_body)
        patch.setattr(apps, "synthesize", _collect)
        files = Files(Path(folder), {})

        @lru_cache(REMEMBERED)
        def render(text: str, jobs_only: bool) -> Outcome:
            files.write(_files(json.loads(text)))
            return _render(files.root, jobs_only)

        yield lambda wanted, jobs_only: render(json.dumps(wanted), jobs_only)


@dataclass(frozen=True)
class Files:
    """A folder, and what was written there."""

    root: Path
    written: dict[str, str]

    def write(self, files: Mapping[str, str]) -> None:
        """Make the folder hold these files and no other."""
        for name in self.written.keys() - files.keys():
            (self.root / name).unlink()
            del self.written[name]
        for name, text in files.items():
            if self.written.get(name) != text:
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                (self.root / name).write_text(text, "utf-8")
                self.written[name] = text


def _files(wanted: Mapping[str, Data]) -> dict[str, str]:
    """JSON is YAML. Code lies beside every spec that may name it."""
    files = {
        f"specs/{folder}/{name}.py": f"print('{name}')\n" for folder in FOLDERS.values() for name in "ab"
    }
    return files | {
        f"specs/{FOLDERS[spec['kind']]}/{file.lower()}.yaml": json.dumps(spec)
        for file, spec in wanted.items()
    }


def _render(root: Path, jobs_only: bool) -> Outcome:
    """Load, resolve and compile, as far as it goes."""
    loaded = load_inputs(root)
    if loaded.value is None or loaded.has_errors:
        return Outcome("", "", _say(loaded.findings), True)
    resolved = resolve_plan(loaded.value, {})
    said = _say(loaded.findings + resolved.findings)
    if resolved.value is None or has_errors(resolved.findings):
        return Outcome("", "", said, True)
    apps = _compile(resolved.value, jobs_only)
    manifests = [manifest for app in apps for manifest in app.manifests]
    unmade = tuple(finding for app in apps for finding in app.findings)
    objects = "\n".join([*(manifest.text for manifest in manifests), *_describe(resolved.value)])
    return Outcome(
        objects=DIGEST.sub(r"\1#", ECHO.sub("", objects)),
        echoes="\n".join(ECHO.findall(objects)),
        said=said + _say(unmade),
        refused=has_errors(unmade),
        ignored=frozenset(field for manifest in manifests for field in ignored_fields(manifest.body)),
    )


def _compile(plan: Plan, jobs_only: bool) -> tuple[AppManifests, ...]:
    from trainshed.compile.apps import compile_target

    if jobs_only:
        return tuple(map(compile_target, plan.targets))
    compiled = compile_manifests(plan).value
    return compiled.apps if compiled else ()


def _describe(plan: Plan) -> Iterator[str]:
    """What else the specs come to: whom runs notify, what an edit does to the run before, and what objects are judged
    by, the schemas and the rules.
    """
    from trainshed.compile.platform.argocd import subscriptions

    yield from (str(subscriptions(target.observability.notify)) for target in plan.targets)
    yield from (str(schema_folders(cluster, SHIPPED[0])) for cluster in plan.clusters.values())
    for layer in (*plan.clusters.values(), *plan.teams):
        yield from (f"{name}: {said.severity} {said.gpu_hours}" for name, said in layer.policies.items())
    for target in plan.targets:
        yield f"an edit: {target.when_edited}"
        yield from (f"waived {waiver.rule}: {waiver.because}" for waiver in target.waivers)
    for rule in plan.rules:
        yield f"{rule.name} {rule.severity} {sorted(rule.kinds)} {rule.expression}"
        yield f"{rule.message} {rule.message_expression}"


def _say(findings: Findings) -> str:
    return "\n".join(sorted(f"{finding.severity} {finding.code} {finding.summary}" for finding in findings))


_numbers = count()


def _keep_body(construct: Any, scope: object, name: str, body: JsonObject, origins: Origins) -> None:
    """In place of the constructor that crosses to Node."""
    construct.__jsii_ref__ = SimpleNamespace(ref=f"kept-{next(_numbers)}")
    construct.manifest = Manifest(identify(body), canonical_json(body), origins)


def _collect(
    identity: AppId, build: Callable[[Any], Iterable[Any]], *, has_overlay: bool = True
) -> AppManifests:
    """In place of a chart's synthesis."""
    manifests = sorted((construct.manifest for construct in build(None)), key=lambda made: made.identity)
    return AppManifests(identity, tuple(manifests), has_overlay)
