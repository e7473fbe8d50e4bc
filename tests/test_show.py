"""What commands print and with which code they leave: manifests, sources, findings as JSON, colours, Ctrl-C."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from io import StringIO

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM, Project
from ruamel.yaml import YAML

MakeProject = Callable[[Mapping[str, str]], Project]
TWO: Mapping[str, str] = {
    **SMALL,
    "specs/clusters/annex.yaml": CLUSTER.replace("name: lab", "name: annex"),
    "specs/teams/vision.yaml": TEAM.replace(
        "  lab: {quota: {h100: 4, cpu: 4}}", "  annex: {quota: {h100: 4}}\n  lab: {quota: {h100: 4, cpu: 4}}"
    ),
    "specs/jobs/vision/resnet.yaml": JOB + "clusters: [lab, annex]\nparameters: {lr: 0.1}\nqueue: none\n",
}
BROKEN: Mapping[str, str] = {
    **SMALL,
    "specs/jobs/vision/resnet.yaml": JOB.replace("team: vision", "team: visoin"),
}


def documents(text: str) -> dict[str, object]:
    """The documents of a stream by the path in the comment above each."""
    parts = text.split("# rendered/")[1:]
    return {
        f"rendered/{part.partition(chr(10))[0]}": YAML(typ="safe", pure=True).load(
            part.partition("\n")[2].removesuffix("---\n")
        )
        for part in parts
    }


def test_show_prints_what_render_writes(project: MakeProject) -> None:
    written = project(TWO)
    shown = written.run("show", "resnet")
    assert (shown.code, shown.err) == (0, "")
    assert not (written.path / "rendered").exists()
    assert written.run("render").code == 0
    files = {
        path: text for path, text in written.read_tree("rendered").items() if "/job-vision-resnet/" in path
    }
    assert len(files) == 4
    assert documents(shown.out) == {
        path: YAML(typ="safe", pure=True).load(text) for path, text in files.items()
    }
    assert shown.out == "---\n".join(f"# {path}\n{files[path]}" for path in sorted(files))
    assert len(list(YAML(typ="safe", pure=True).load_all(StringIO(shown.out)))) == 4


def test_show_of_one_cluster_prints_only_that(project: MakeProject) -> None:
    shown = project(TWO).run("show", "vision/resnet", "--cluster", "annex")
    assert shown.code == 0
    assert {path.split("/")[1] for path in documents(shown.out)} == {"annex"}


def test_sources_say_where_each_value_was_written_and_by_whom(project: MakeProject) -> None:
    files = {**SMALL, "specs/teams/vision.yaml": TEAM.replace("[lab]}", "[lab], memory: 4Gi}")}
    shown = project(files).run("show", "resnet", "--sources")
    assert (shown.code, shown.err) == (0, "")
    head, *rows = shown.out.splitlines()
    assert re.fullmatch(r"vision/resnet on lab \(Job resnet-[0-9a-f]{8}\)", head)
    table = {row.split()[0]: re.split(r" {2,}", row)[1:] for row in rows}
    assert table["memory"] == ["4Gi", "specs/teams/vision.yaml:10:37", 'the defaults of team "vision"']
    assert table["image"] == [
        "registry.example.com/vision/train:1.0",
        "specs/jobs/vision/resnet.yaml:5:8",
        "the job",
    ]
    assert table["run.command"] == ["python, -m, train", "specs/jobs/vision/resnet.yaml:6:7", "the job"]
    assert "clusters" not in table


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "resnt"), 'did you mean "resnet"?'),
        (("show", "visoin/resnet"), 'did you mean "vision/resnet"?'),
        (("show", "resnet", "--cluster", "labb"), 'did you mean "lab"?'),
        (("show",), "Missing argument"),
        (("rendr",), "No such command"),
        (("render", "--format", "xml"), "xml"),
        (("check", "--no-such-option"), "--no-such-option"),
        (("check", "--repository", "nowhere"), "nowhere"),
    ],
)
def test_a_wrong_command_line_is_two(project: MakeProject, arguments: tuple[str, ...], words: str) -> None:
    result = project(SMALL).run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert "Traceback" not in result.err


def test_a_job_that_is_wrong_is_explained_and_not_shown(project: MakeProject) -> None:
    shown = project(BROKEN).run("show", "resnet")
    assert (shown.code, shown.out) == (1, "")
    assert shown.err.startswith("specs/jobs/vision/resnet.yaml:4:7: error[unknown-team]: ")


def test_check_is_one_while_files_are_stale_and_nothing_once_rendered(project: MakeProject) -> None:
    written = project(SMALL)
    assert written.run("check").code == 1
    assert written.run("render").code == 0
    checked = written.run("check")
    count = len(written.read_tree("overlays", "rendered"))
    assert (checked.code, checked.out, checked.err) == (
        0,
        f"all is well: {count} files are what the specs say\n",
        "",
    )


def test_a_warning_alone_does_not_fail(project: MakeProject) -> None:
    team = TEAM.replace("  lab: {quota: {h100: 4, cpu: 4}}", "  lab: {}")
    files = {"specs/teams/vision.yaml": team, "specs/jobs/vision/resnet.yaml": JOB + "priority: high\n"}
    written = project({**SMALL, **files})
    rendered = written.run("render")
    assert rendered.code == 0
    assert "warning[priority-unused]" in rendered.out
    assert written.run("check").code == 0


def test_findings_as_json_have_these_fields_and_no_more(project: MakeProject) -> None:
    checked = project(BROKEN).run("check", "--format", "json")
    assert (checked.code, checked.err) == (1, "")
    assert json.loads(checked.out) == [
        {
            "code": "unknown-team",
            "severity": "error",
            "summary": 'team "visoin" is not described',
            "source": {"path": "specs/jobs/vision/resnet.yaml", "line": 4, "column": 7, "width": 6},
            "detail": 'did you mean "vision"?',
            "related": [],
        }
    ]


def test_no_findings_are_an_empty_json_list(project: MakeProject) -> None:
    written = project(SMALL)
    assert json.loads(written.run("render", "--format", "json").out) == []
    checked = written.run("check", "--format", "json")
    assert (checked.code, json.loads(checked.out)) == (0, [])


def run_in_terminal(project: Project, env: Mapping[str, str]) -> str:
    """What `trainshed check` writes when its output is a terminal."""
    outer, inner = pty.openpty()
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")
    }
    child = subprocess.Popen(
        [sys.executable, "-m", "trainshed", "check"],
        cwd=project.path,
        env={**environment, "TERM": "xterm-256color", **env},
        stdin=subprocess.DEVNULL,
        stdout=inner,
        stderr=subprocess.DEVNULL,
    )
    os.close(inner)
    said = b""
    while chunk := _read(outer):
        said += chunk
    os.close(outer)
    child.wait()
    return said.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""


def test_a_terminal_gets_colours_and_a_pipe_gets_none(project: MakeProject) -> None:
    written = project(BROKEN)
    piped = written.run("check", env={"NO_COLOR": "", "TERM": "xterm-256color"})
    assert "\x1b" not in piped.out + piped.err
    coloured = run_in_terminal(written, {})
    assert "\x1b[" in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured).replace("\r\n", "\n")
    assert plain == piped.out + "learn more: trainshed explain unknown-team\n"


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colours_gets_none(project: MakeProject, env: dict[str, str]) -> None:
    assert "\x1b" not in run_in_terminal(project(BROKEN), env)


INTERRUPTED = """
import os, signal, sys
from trainshed.cli.main import main

place, left = sys.argv.pop(), [1]

def interrupt(event, arguments):
    if left and event in ("open", "os.mkdir") and place in str(arguments[0]):
        left.clear()
        os.killpg(0, signal.SIGINT)

sys.addaudithook(interrupt)
main()
"""
"""The command as it is, with Ctrl-C pressed when it first touches a path that holds the last argument."""


@pytest.mark.parametrize("place", ["resnet.yaml", "tzdata", ".trainshed", ".trainshed/stage/"])
def test_an_interrupt_is_130_and_leaves_no_half_of_a_tree(project: MakeProject, place: str) -> None:
    written = project(SMALL)
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "render", place],
        cwd=written.path,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert "Traceback" not in done.stderr
    assert written.read_tree("overlays", "rendered") == {}
    assert written.run("render").code == 0
