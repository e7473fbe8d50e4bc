"""Contracts on the source that import-linter cannot say: who starts processes, who prints, and how large files are."""

import ast
import statistics
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "generator" / "trainshed"
SOURCES = sorted(PACKAGE.rglob("*.py"))
PACKAGES = [path for path in SOURCES if path.name == "__init__.py"]

STARTS_PROCESSES = {"subprocess", "multiprocessing", "concurrent.futures.ProcessPoolExecutor", "pty"}
MAY_START_PROCESSES = {PurePosixPath("engine/client.py")}
REHEARSES = "rehearse"
"""The package that runs what is rendered: it starts processes, wires them together, and goes by the clock."""

MAY_PRINT = {"cli", "report"}
REACHES_THE_NETWORK = {"socket", "urllib.request", "http.client", "ftplib", "smtplib"}
ASKS_WHETHER_FILES_STOOD_STILL = PurePosixPath("cache/file_hashes.py")
TELLS_TIME_OR_CHANCE = {"random", "secrets", "uuid", "time"}
BANNED_NAMES = {
    "utils",
    "common",
    "misc",
    "helper",
    "helpers",
    "manager",
    "handler",
    "handlers",
    "base",
    "core",
}
BANNED_WORDS = ("TODO", "FIXME", "XXX", "NotImplementedError")


def place(path: Path) -> PurePosixPath:
    return PurePosixPath(path.relative_to(PACKAGE).as_posix())


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def calls_of(path: Path) -> Iterator[str]:
    return (ast.unparse(node.func) for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call))


def importers_of(modules: set[str]) -> set[PurePosixPath]:
    return {place(path) for path in SOURCES if modules & set(imports_of(path))}


def outside_rehearsals(places: set[PurePosixPath]) -> set[PurePosixPath]:
    return {path for path in places if path.parts[0] != REHEARSES}


def test_layers_are_those_that_the_architecture_page_draws() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    drawn = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("```")[1].strip()
    assert drawn.replace("\n", " ").split(" > ") == [layer.replace("trainshed.", "") for layer in layers]


def test_cdk8s_lives_in_compile_and_torch_nowhere() -> None:
    constructs = importers_of({"cdk8s", "constructs", "jsii"})
    assert {path.parts[0] for path in constructs} == {"compile"}
    assert importers_of({"torch"}) == set()


def test_only_the_engines_client_and_rehearsals_start_processes() -> None:
    assert outside_rehearsals(importers_of(STARTS_PROCESSES)) == MAY_START_PROCESSES
    forks = {"os.system", "os.popen", "os.fork", "os.execv", "os.execvp", "os.spawnv", "os.posix_spawn"}
    assert outside_rehearsals({place(path) for path in SOURCES if forks & set(calls_of(path))}) == set()


def test_only_report_and_the_command_line_print() -> None:
    speaks = {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}
    speakers = {place(path).parts[0] for path in SOURCES if speaks & set(calls_of(path))}
    assert speakers <= MAY_PRINT


def test_nothing_but_a_rehearsal_reaches_a_network() -> None:
    assert outside_rehearsals(importers_of(REACHES_THE_NETWORK)) == set()


def test_nothing_that_is_rendered_depends_on_time_or_chance() -> None:
    tellers = outside_rehearsals(importers_of(TELLS_TIME_OR_CHANCE))
    assert {path for path in tellers if path.parts[0] not in MAY_PRINT} == {ASKS_WHETHER_FILES_STOOD_STILL}
    clocks = {"datetime.now", "datetime.today", "datetime.utcnow", "date.today"}
    assert {place(path) for path in SOURCES if clocks & set(calls_of(path))} == set()


def test_files_stay_small_enough_to_be_read_at_once() -> None:
    sizes = {place(path): len(path.read_text("utf-8").splitlines()) for path in SOURCES}
    assert {path: size for path, size in sizes.items() if size >= 400} == {}
    assert statistics.median(sizes.values()) < 100


def test_no_file_is_named_for_nothing() -> None:
    assert {place(path) for path in SOURCES if BANNED_NAMES & {*place(path).with_suffix("").parts}} == set()


@pytest.mark.parametrize("word", BANNED_WORDS)
def test_nothing_is_left_for_later(word: str) -> None:
    assert {place(path) for path in SOURCES if word in path.read_text("utf-8")} == set()


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: place(path).parent.as_posix())
def test_package_says_what_comes_in_and_what_goes_out(path: Path) -> None:
    docstring = ast.get_docstring(tree_of(path)) or ""
    assert docstring.endswith(".")
    assert len(docstring.split()) >= 8


@pytest.mark.parametrize("stage", ["load", "resolve", "compile", "overlay", "hydrate", "validate", "report"])
def test_stage_names_its_input_and_its_output(stage: str) -> None:
    first = (ast.get_docstring(tree_of(PACKAGE / stage / "__init__.py")) or "").split("\n\n")[0]
    assert " in" in first
    assert " out" in first
