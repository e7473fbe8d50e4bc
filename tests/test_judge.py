"""`trainshed judge`: manifests that nobody rendered, before the judges of those that were."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from repositories import SMALL, Project

Make = Callable[..., Project]

CONFIG = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: team-vision}\ndata:\n  debug: DEBUG\n"
)
GOOD = CONFIG.replace("DEBUG", '"yes"')
OTHER = GOOD.replace("name: a", "name: b")
BAD = CONFIG.replace("DEBUG", "yes")
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: 12345}\n"


def pipe(project: Project, text: str, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "trainshed", "judge", *arguments],
        cwd=project.path,
        input=text,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_object_that_fits_passes(project: Make) -> None:
    done = project({"deploy/a.yaml": GOOD}).run("judge", "deploy")
    assert (done.code, done.out, done.err) == (0, "all is well: 1 object judged\n", "")


def test_finding_stands_at_the_line_of_the_manifest(project: Make) -> None:
    done = project({"deploy/a.yaml": f"# heading\n---\n{OTHER}---\n{BAD}"}).run("judge", "deploy")
    assert done.code == 1
    assert done.out.startswith(
        "deploy/a.yaml:13:3: error[schema-invalid]: ConfigMap team-vision/a does not fit its schema: "
        "got boolean, want string\n   13 |   debug: yes\n      |   ^^^^^^^^^^\n"
    )


def test_standard_input_is_judged_and_its_lines_are_shown(project: Make) -> None:
    code, out = pipe(project({}), BAD, "-")
    assert code == 1
    assert out.startswith("<stdin>:5:3: error[schema-invalid]: ")
    assert "    5 |   debug: yes\n" in out


def test_no_line_of_a_secret_is_shown(project: Make) -> None:
    code, out = pipe(project({}), f"{SECRET}---\n{BAD}", "-")
    assert code == 1
    assert "Secret s" in out
    assert "12345" not in out
    assert "debug: yes" in out


def test_formats_are_those_of_check(project: Make) -> None:
    code, out = pipe(project({}), BAD, "-", "--format", "json")
    assert code == 1
    assert "schema-invalid" in {finding["code"] for finding in json.loads(out)}
    code, out = pipe(project({}), GOOD, "-", "--format", "sarif")
    assert (code, json.loads(out)["runs"][0]["results"]) == (0, [])


def test_cluster_is_judged_by_its_own_releases(project: Make) -> None:
    queue = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: other}\n"
    older = SMALL["specs/clusters/lab.yaml"].replace("kueue: v0.19.2", "kueue: v0.14.0")
    made = project({**SMALL, "specs/clusters/lab.yaml": older, "flavor.yaml": queue})
    assert made.run("judge", "flavor.yaml").code == 0
    done = made.run("judge", "flavor.yaml", "--cluster", "lab")
    assert done.code == 1
    assert (
        "flavor.yaml:1:1: error[schema-unchecked]: ResourceFlavor other could not be checked on lab"
        in done.out
    )


def test_what_is_rendered_can_be_judged_as_it_stands(project: Make) -> None:
    made = project(SMALL)
    assert made.run("render").code == 0
    done = made.run("judge", "rendered", "--cluster", "lab")
    assert done.code == 0, done.out
    assert done.out.endswith(" objects judged\n")


def test_unknown_cluster_is_a_mistake_of_the_command_line(project: Make) -> None:
    done = project({**SMALL, "a.yaml": GOOD}).run("judge", "a.yaml", "--cluster", "lob")
    assert (done.code, done.out) == (2, "")
    assert done.err == 'trainshed: there is no cluster "lob"; did you mean "lab"?\n'


def test_specs_that_are_wrong_are_said_where_a_cluster_is_asked_for(project: Make) -> None:
    made = project({**SMALL, "specs/teams/vision.yaml": "kind: Taem\n", "a.yaml": GOOD})
    done = made.run("judge", "a.yaml", "--cluster", "lab")
    assert done.code == 1
    assert "specs/teams/vision.yaml:1:7: error[unknown-kind]" in done.out
    assert "    1 | kind: Taem\n" in done.out


def test_paths_that_do_not_exist_and_none_at_all_are_mistakes_of_the_command_line(project: Make) -> None:
    made = project(SMALL)
    missing = made.run("judge", "nowhere.yaml")
    assert missing.code == 2
    assert "Path 'nowhere.yaml' does not exist." in missing.err
    assert made.run("judge").code == 2


def test_nothing_to_judge_fails(project: Make) -> None:
    done = project({}).run("judge", "-")
    assert (done.code, done.out.splitlines()[0]) == (
        1,
        "<stdin>:1:1: error[empty-file]: there is no object here",
    )


def test_closed_standard_input_is_an_empty_one(project: Make, tmp_path: Path) -> None:
    made = project({})
    words = f"{sys.executable} -m trainshed judge - <&-"
    done = subprocess.run(["bash", "-c", words], cwd=made.path, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (1, "")
    assert "there is no object here" in done.stdout


def test_text_that_no_reader_takes_is_a_finding(project: Make) -> None:
    code, out = pipe(project({}), "a: [\n", "-")
    assert code == 1
    assert out.startswith("<stdin>:1:4: error[yaml-syntax]: this bracket is not closed\n    1 | a: [\n")
