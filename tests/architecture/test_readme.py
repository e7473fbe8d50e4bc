"""README: one screen, and nothing in it that is not so."""

import re
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = ["uv run trainshed render", "uv run --group train pytest"]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str, language: str) -> list[str]:
    """What stands in the fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_readme_fits_on_one_screen() -> None:
    assert len(README.splitlines()) <= 60


def test_the_gate_runs_the_very_commands_of_readme() -> None:
    ran = subprocess.run(
        ["bash", ".ci/readme-commands"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout == blocks(README, "sh")[0]
    assert [line.partition("#")[0].strip() for line in ran.stdout.splitlines()] == COMMANDS
    gate = (ROOT / ".ci" / "run").read_text("utf-8")
    assert 'bash -c "${commands[0]}"' in gate
    assert 'bash -c "${commands[1]}"' in gate


def test_spec_in_readme_is_one_of_this_repository() -> None:
    (shown,) = blocks(README, "yaml")
    path = shown.splitlines()[0].removeprefix("# ")
    committed = [line for line in (ROOT / path).read_text("utf-8").splitlines() if not line.startswith("#")]
    assert shown.splitlines()[1:] == committed
    assert 10 <= len(committed) <= 20
    assert YAML(typ="safe").load(shown)["kind"] == "TrainingJob"


def test_tree_in_readme_is_what_the_spec_renders_to() -> None:
    paths = re.findall(r"^(?:rendered|overlays)/\S+", README, re.MULTILINE)
    assert len(paths) >= 3
    assert [path for path in paths if not list(ROOT.glob(path.replace("<digest>", "*")))] == []


def test_table_of_edits_names_places_that_exist() -> None:
    rows = re.findall(r"^\| (?!to change|---)(.+?) \| (.+?) \|$", README, re.MULTILINE)
    assert 5 <= len(rows) <= 10
    places = [place for _, cell in rows for place in re.findall(r"`([^`]+)`", cell)]
    assert [
        place for place in places if not list(ROOT.glob(re.sub(r"<[^>]+>", "*", place).rstrip("/")))
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)[^)]*\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_of_docs_is_linked_from_readme() -> None:
    linked = set(re.findall(r"\((docs/[^)]+\.md)\)", README))
    assert linked == {page.relative_to(ROOT).as_posix() for page in PAGES[1:]}
