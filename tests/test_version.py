"""`trainshed version`: a line for each part, with the releases that are really linked."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from repositories import Project

from trainshed.validate.judges import JUDGES

GO_MOD = (Path(__file__).parents[1] / "generator" / "engine" / "go.mod").read_text("utf-8")
OURS = {"trainshed", "engine"}
OF_THE_API_SERVER = {"decoding", "schema", "rule", "change", "pod-security", "limit-range", "resource-quota"}

Projects = Callable[[Mapping[str, "str | bytes"]], Project]


def releases(project: Projects) -> dict[str, str]:
    said = project({}).run("version")
    assert (said.code, said.err) == (0, "")
    return dict(line.split() for line in said.out.splitlines())


def test_every_judge_is_named_with_the_release_that_go_mod_requires(project: Projects) -> None:
    said = releases(project)
    assert said.keys() >= set(JUDGES) - OF_THE_API_SERVER
    for part, release in said.items():
        assert re.fullmatch(r"v?\d+\.\d+\.\d+(-\d{14}-[0-9a-f]{12})?", release), part
        if part not in OURS:
            assert re.search(rf"^\t\S+/{part}(/\S+)? {re.escape(release)}$", GO_MOD, re.MULTILINE), part


def test_what_is_ours_comes_first_and_the_judges_last(project: Projects) -> None:
    assert list(releases(project))[:5] == ["trainshed", "engine", "kustomize", "kubeconform", "kubernetes"]


def test_releases_stand_in_one_column(project: Projects) -> None:
    lines = project({}).run("version").out.splitlines()
    assert len({line.rindex(" ") for line in lines}) == 1
