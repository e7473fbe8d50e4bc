"""`trainshed check --base`: a change upon a branch, as the API server will see it."""

from collections.abc import Callable

import pytest
from load.test_git_base import git
from repositories import SMALL, Project

Make = Callable[..., Project]

SMALLER = {
    "specs/teams/vision.yaml": SMALL["specs/teams/vision.yaml"].replace(
        "data: {storage: shared, size: 1Ti}", "data: {storage: shared, size: 1Gi}"
    )
}


def save(project: Project, message: str) -> None:
    git(project.path, "add", "--all")
    git(project.path, "commit", "--quiet", "--message", message)


@pytest.fixture
def committed(project: Make) -> Project:
    """The small repository, rendered and committed on main; a branch is checked out."""
    made = project({**SMALL, ".gitignore": ".trainshed/\n"})
    git(made.path, "init", "--quiet")
    assert made.run("render").code == 0
    save(made, "rendered")
    git(made.path, "switch", "--quiet", "--create", "change")
    return made


def test_nothing_changed_is_well(committed: Project) -> None:
    done = committed.run("check", "--base", "main")
    assert (done.code, done.err) == (0, ""), done.out
    assert done.out.endswith(" files are what the specs say\n")


def test_change_that_is_rendered_already_is_judged_upon_the_base(committed: Project) -> None:
    committed.write(SMALLER)
    for path in (committed.path / "rendered/lab/team-vision").glob("persistentvolumeclaim-data*"):
        path.write_text(path.read_text().replace("1Ti", "1Gi"))
    save(committed, "smaller, and rendered")
    assert "claim-changed" not in committed.run("check").out
    done = committed.run("check", "--base", "main")
    assert done.code == 1
    assert "specs/teams/vision.yaml:" in done.out
    assert (
        "error[claim-changed]: PersistentVolumeClaim team-vision/data cannot shrink from 1Ti to 1Gi"
        in done.out
    )


def test_a_team_that_changes_its_namespace_would_leave_its_data_behind(committed: Project) -> None:
    committed.write({"specs/teams/vision.yaml": f"{SMALL['specs/teams/vision.yaml']}namespace: elsewhere\n"})
    done = committed.run("render")
    assert done.code == 1
    assert (
        "error[claim-changed]: claim data cannot move from namespace team-vision to elsewhere" in done.out
    ), done.out
    assert not (committed.path / "rendered/lab/team-vision/namespace-elsewhere.yaml").exists()


def test_what_was_merged_since_the_branch_left_is_no_change_of_the_branch(committed: Project) -> None:
    git(committed.path, "switch", "--quiet", "main")
    larger = SMALL["specs/teams/vision.yaml"].replace("size: 1Ti", "size: 2Ti")
    committed.write({"specs/teams/vision.yaml": larger})
    assert committed.run("render").code == 0
    save(committed, "larger on main")
    git(committed.path, "switch", "--quiet", "change")
    done = committed.run("check", "--base", "main")
    assert done.code == 0, done.out


def test_unknown_base_is_a_finding_that_names_the_remedy(committed: Project) -> None:
    done = committed.run("check", "--base", "mian")
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        '.:1:1: error[unknown-base]: "mian" is no branch, tag or hash of this repository\n'
        '   did you mean "main"?\n'
        "\n"
        "1 error\n"
    )


def test_unknown_base_is_an_annotation_too(project: Make) -> None:
    done = project(SMALL).run("check", "--base", "origin/main", "--format", "github")
    assert done.code == 1
    assert done.out.startswith(
        "::error file=.,line=1,col=1,endColumn=2,title=unknown-base::.:1:1: there is no Git "
    )


def test_mistakes_of_specs_are_said_before_the_base_is_looked_for(project: Make) -> None:
    done = project({**SMALL, "specs/teams/vision.yaml": "kind: Taem\n"}).run("check", "--base", "nowhere")
    assert done.code == 1
    assert "unknown-kind" in done.out
    assert "unknown-base" not in done.out
