"""What is committed names no package registry, no path of the machine it was written on, and no secret."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REGISTRIES = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("proxy", "golang", "org"),
        ("sum", "golang", "org"),
        ("crates", "io"),
        ("rubygems", "org"),
    )
]
SECRETS = re.compile(
    r"AKIA(?![0-9A-Z]{9}EXAMPLE)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22,}|glpat-[\w-]{20}"
    r"|hf_[A-Za-z0-9]{30,}|xox[baprs]-[A-Za-z0-9-]{10,}|AIza[\w-]{35}|-----BEGIN [A-Z ]*PRIVATE KEY-----\n"
)
HOMES = re.compile(
    r"/(?:home|Users)/(?!train\b|user\b|jovyan\b|mpiuser\b|ray\b|kubernetes/bin\b)[a-z][\w-]*/"
)
GENERATED = ("overlays/**", "rendered/**", "schemas/**")


@cache
def committed() -> dict[str, str]:
    """The text of every file that Git has, or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8", "replace")
        for path in paths
        if path.is_file()
    }


def files_with(pattern: "re.Pattern[str]") -> list[str]:
    return [f"{path}: {found[0]}" for path, text in committed().items() if (found := pattern.search(text))]


@pytest.mark.parametrize("registry", REGISTRIES)
def test_no_file_names_a_package_registry(registry: str) -> None:
    assert files_with(re.compile(rf"\b{re.escape(registry)}\b")) == []


def test_no_file_names_a_path_of_this_machine() -> None:
    places = [str(ROOT), *([str(ROOT.parent)] if len(ROOT.parts) > 2 else []), str(Path.home() / ".")]
    own = [re.escape(place) for place in places if place not in ("/", "/tmp", "/root", "/home", ".")]
    assert files_with(re.compile("|".join(rf"{place}(?:/|\b)" for place in own))) == []
    assert files_with(HOMES) == []


def test_no_file_holds_a_secret() -> None:
    assert files_with(SECRETS) == []


def test_no_lock_file_is_committed() -> None:
    assert [path for path in committed() if path.endswith((".lock", "requirements.txt"))] == []


def test_generated_files_are_marked_as_such() -> None:
    lines = (ROOT / ".gitattributes").read_text("utf-8").splitlines()
    marked = {line.split()[0] for line in lines if "linguist-generated" in line.split()}
    assert marked == set(GENERATED)


def test_every_text_file_ends_its_lines_the_same_way() -> None:
    assert [
        path for path, text in committed().items() if "\r" in text and not path.startswith("tests/")
    ] == []
    assert (ROOT / ".gitattributes").read_text("utf-8").startswith("* text=auto eol=lf\n")
