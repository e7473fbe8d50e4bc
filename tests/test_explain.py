"""`trainshed explain` through the real command: in a pipe, on a terminal, and from an installed wheel."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from repositories import JOB, SMALL, Project, write_project

from trainshed.model.code_groups import group_codes
from trainshed.model.codes import Code

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "findings"
HINT = "learn more: trainshed explain"
TYPING_ERROR = {**SMALL, "specs/jobs/vision/resnet.yaml": JOB + "nodse: 2\n"}


def run_on_terminal(folder: Path, *arguments: str, **env: str) -> str:
    """What a person sees of the command on a terminal."""
    reading, writing = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "trainshed", *arguments],
        cwd=folder,
        env={**os.environ, "TERM": "xterm-256color", "NO_COLOR": "", **env},
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    seen = b""
    try:
        while part := os.read(reading, 65536):
            seen += part
    except OSError:
        pass  # Linux says so that the other end is closed
    finally:
        os.close(reading)
        process.wait()
    return seen.decode().replace("\r\n", "\n")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Project:
    """A folder without any specs: an explanation needs none."""
    return write_project(tmp_path, {})


def test_in_a_pipe_a_page_is_the_plain_text_of_its_file(elsewhere: Project) -> None:
    done = elsewhere.run("explain", "unknown-field")
    assert (done.code, done.err) == (0, "")
    assert done.out == (PAGES / "unknown-field.md").read_text("utf-8")


def test_on_a_terminal_a_page_is_set_in_color_and_without_markup(tmp_path: Path) -> None:
    seen = run_on_terminal(tmp_path, "explain", "unknown-field")
    assert "\x1b[1m" in seen
    plain = re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert "How to mend it" in plain
    assert "## " not in plain
    assert "```" not in plain


def test_on_a_terminal_without_color_a_page_is_plain_text(tmp_path: Path) -> None:
    seen = run_on_terminal(tmp_path, "explain", "unknown-field", NO_COLOR="1")
    assert seen == (PAGES / "unknown-field.md").read_text("utf-8")


def test_an_unknown_code_is_answered_with_the_nearest(elsewhere: Project) -> None:
    done = elsewhere.run("explain", "unknown-fild")
    assert (done.code, done.out) == (2, "")
    assert 'no finding has the code "unknown-fild"; did you mean "unknown-field"?' in done.err


def test_a_code_that_is_like_none_is_answered_with_where_to_look(elsewhere: Project) -> None:
    done = elsewhere.run("explain", "zzz")
    assert (done.code, done.out) == (2, "")
    assert "`trainshed explain` lists them all" in done.err


def test_without_a_code_all_are_listed_by_group(elsewhere: Project) -> None:
    done = elsewhere.run("explain")
    assert done.code == 0
    titles = re.findall(r"^(\S.*):$", done.out, re.MULTILINE)
    assert titles == list(group_codes())
    assert re.findall(r"^  (\S+)", done.out, re.MULTILINE) == [code.value for code in Code]
    words = " ".join(done.out.split())
    assert [code for code in Code if f"{code} {code.meaning}" not in words] == []


def test_the_list_fits_the_terminal(tmp_path: Path) -> None:
    assert max(map(len, run_on_terminal(tmp_path, "explain", COLUMNS="70").splitlines())) <= 70


def test_the_shell_completes_codes(elsewhere: Project) -> None:
    program = shutil.which("trainshed", path=str(Path(sys.executable).parent))
    assert program
    words = {
        "_TRAINSHED_COMPLETE": "bash_complete",
        "COMP_WORDS": "trainshed explain bad-r",
        "COMP_CWORD": "2",
    }
    done = subprocess.run([program], env={**os.environ, **words}, capture_output=True, text=True)
    assert done.stdout.split() == ["plain,bad-rule"]


def test_an_installed_wheel_has_the_pages(tmp_path: Path) -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    (package,) = build["targets"]["wheel"]["packages"]
    shutil.copytree(ROOT / package, tmp_path / "trainshed", ignore=shutil.ignore_patterns("__pycache__"))
    for source, target in build["targets"]["wheel"]["force-include"].items():
        if source.startswith("docs/"):
            shutil.copytree(ROOT / source, tmp_path / target)
    script = (
        "import sys, trainshed; sys.argv = ['trainshed', 'explain', 'bad-rule']; print(trainshed.__file__);"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{script} from trainshed.cli.main import main; main()"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )
    place, _, page = done.stdout.partition("\n")
    assert Path(place).is_relative_to(tmp_path), done.stderr
    assert page == (PAGES / "bad-rule.md").read_text("utf-8")


def test_on_a_terminal_a_report_with_errors_ends_with_where_to_learn_more(tmp_path: Path) -> None:
    project = write_project(tmp_path, TYPING_ERROR)
    seen = run_on_terminal(tmp_path, "check", NO_COLOR="1")
    assert seen.endswith(f"1 error\n{HINT} unknown-field\n")
    assert HINT not in project.run("check").out


def test_on_a_terminal_a_report_for_programs_holds_no_hint(tmp_path: Path) -> None:
    write_project(tmp_path, TYPING_ERROR)
    assert HINT not in run_on_terminal(tmp_path, "check", "--format", "json")


def test_on_a_terminal_a_report_of_warnings_gives_no_hint(tmp_path: Path) -> None:
    write_project(tmp_path, {**SMALL, "specs/jobs/vision/resnet.yaml": JOB + "priority: high\nqueue: none\n"})
    seen = run_on_terminal(tmp_path, "render", NO_COLOR="1")
    assert "warning[priority-unused]" in seen
    assert HINT not in seen
