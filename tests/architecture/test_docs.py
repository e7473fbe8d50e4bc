"""Every command in docs/ is run: in a copy of this repository, or as far as its `--help` where it needs a network.

The fence says which: `sh` is run and must succeed; `sh fails` must leave with 1, for it shows what findings look
like; `sh network` and `sh slow` are asked for their help; of `sh cluster` every path of this repository must exist. `python` runs, and
`yaml` is a spec or goes on with the spec above it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
FENCE = re.compile(r"^```(sh(?: \w+)?|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KNOWN = {"sh", "sh fails", "sh network", "sh slow", "sh cluster", "python"}
UV_RUN = re.compile(r"\buv run (?:--with \S+ )?")
COPIED = ("specs", "schemas", "overlays", "rendered")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    number: int
    fence: str
    text: str


def blocks() -> Iterator[Block]:
    for page in PAGES:
        found = FENCE.findall(page.read_text("utf-8"))
        yield from (Block(page, number, fence, text) for number, (fence, text) in enumerate(found, 1))


BLOCKS = list(blocks())


def of(*fences: str) -> list[object]:
    chosen = [block for block in BLOCKS if block.fence in fences]
    return [pytest.param(block, id=f"{block.page.stem}-{block.number}") for block in chosen]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A copy of what a person edits and what is rendered."""
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def run(script: str, folder: Path, shell: str = "bash") -> "subprocess.CompletedProcess[str]":
    """The commands one by one, `uv run` standing for the environment that the test runs in."""
    program = Path(sys.executable).parent
    bash = [shutil.which("bash") or shell, "-euo", "pipefail", "-c", UV_RUN.sub("", script)]
    return subprocess.run(
        bash if shell == "bash" else [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def test_every_page_with_commands_is_read_here() -> None:
    text = {page.name: page.read_text("utf-8") for page in PAGES}
    opened = {
        name: len(re.findall(r"^```(?:sh|python)\b.*$", body, re.MULTILINE)) for name, body in text.items()
    }
    assert opened == {page.name: sum(block.page == page for block in BLOCKS) for page in PAGES}
    assert {block.fence for block in BLOCKS} <= KNOWN
    assert [name for name, body in text.items() if re.search(r"^\$ ", body, re.MULTILINE)] == []


@pytest.mark.parametrize("block", of("sh"))
def test_commands_succeed(block: Block, repository: Path) -> None:
    done = run(block.text, repository)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", of("sh fails"))
def test_commands_that_show_findings_find_them(block: Block, repository: Path) -> None:
    done = run(block.text, repository)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "error[" in done.stdout


@pytest.mark.parametrize("block", of("python"))
def test_python_examples_run(block: Block, repository: Path) -> None:
    done = run(block.text, repository, sys.executable)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", of("sh network", "sh slow"))
def test_commands_that_need_a_network_or_minutes_exist(block: Block) -> None:
    for line in block.text.splitlines():
        done = run(f"{line.partition('#')[0]} --help", ROOT)
        assert done.returncode == 0, done.stderr
        assert done.stdout.lower().startswith("usage: ")


@pytest.mark.parametrize("block", of("sh cluster"))
def test_commands_for_a_cluster_name_files_that_exist(block: Block) -> None:
    named = re.findall(r"(?:rendered|overlays|specs)/[\w./-]+", block.text)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_specs_in_pages_fit_their_schemas(page: Path) -> None:
    spec: dict[str, Any] = {}
    for text in re.findall(r"^```yaml\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        written = YAML(typ="safe").load(text)
        spec = written if "kind" in written else {**spec, **written}
        schema = json.loads(
            (ROOT / "schemas" / "trainshed" / f"{spec['kind'].lower()}.json").read_text("utf-8")
        )
        assert [error.message for error in Draft202012Validator(schema).iter_errors(spec)] == [], text


def test_page_of_argo_cd_names_every_setting() -> None:
    page = (ROOT / "docs" / "argocd.md").read_text("utf-8")
    settings = sorted((ROOT / "rendered").glob("*/argocd/root/configmap-argocd-cm.yaml"))
    keys = {key for path in settings for key in YAML(typ="safe").load(path.read_text("utf-8"))["data"]}
    assert keys
    assert [key for key in keys if f"`{key.split('.', 3)[0]}.{key.split('.', 3)[1]}" not in page] == []


def test_page_of_runs_lists_every_variable_that_the_code_may_count_on() -> None:
    listed = re.findall(
        r"^\| `(TRAINSHED_\w+)`", (ROOT / "docs" / "runs.md").read_text("utf-8"), re.MULTILINE
    )
    compiled = (ROOT / "generator" / "trainshed" / "compile").rglob("*.py")
    sources = [*sorted(compiled), ROOT / "generator" / "runtime" / "trainshed_runtime" / "contract.py"]
    written = {name for path in sources for name in re.findall(r'"(TRAINSHED_\w+)"', path.read_text("utf-8"))}
    assert sorted(listed) == sorted(written)
