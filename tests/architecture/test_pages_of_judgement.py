"""docs/judges.md and docs/policies.md: their tables are those of the program."""

import re
from pathlib import Path

from trainshed.model.policy import DEFAULTS
from trainshed.validate.judges import JUDGES

ROOT = Path(__file__).parents[2]
MODULES = {
    "Kubernetes": "k8s.io/kubernetes",
    "Training Operator": "github.com/kubeflow/training-operator",
    "JobSet": "sigs.k8s.io/jobset",
    "Kubeflow Trainer": "github.com/kubeflow/trainer/v2",
    "Kueue": "sigs.k8s.io/kueue",
    "KubeRay": "github.com/ray-project/kuberay/ray-operator",
    "MPI Operator": "github.com/kubeflow/mpi-operator",
    "Argo CD": "github.com/argoproj/argo-cd/gitops-engine",
}


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    lines = text.partition(f"{heading}\n")[2].split("\n## ")[0].splitlines()
    table = [line for line in lines if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_releases_of_judges_are_those_that_are_linked() -> None:
    required = dict(
        re.findall(r"^\t(\S+) (v\S+)$", (ROOT / "generator/engine/go.mod").read_text("utf-8"), re.M)
    )
    judge, seen = "", set[str]()
    for name, _, code, _ in rows(page("judges.md"), "## Who"):
        judge = name or judge
        known = "Kubernetes" if "Kubernetes" in code else judge
        seen.add(known)
        assert re.findall(r"v\d[\d.]*\d(?:-\d+-\w+)?\b(?!beta)", code) == [required[MODULES[known]]], code
    assert seen == set(MODULES)


def test_every_judge_has_a_row_with_its_finding() -> None:
    named = {
        code for row in rows(page("judges.md"), "## Who") for code in re.findall(r"`([a-z-]+)`", row[-1])
    }
    assert named == {str(code) for code, _ in JUDGES.values()} - {"refused-change"} | {"never-admitted"}
    assert "`refused-change`" in page("judges.md")


def test_policies_are_listed_with_what_they_weigh_by_default() -> None:
    listed = {
        row[0].partition("`")[2].partition("`")[0]: row[2] for row in rows(page("policies.md"), "# Policies")
    }
    assert listed == {str(rule): str(severity or "off") for rule, severity in DEFAULTS.items()}


def test_example_of_a_rule_is_the_committed_one() -> None:
    committed = (ROOT / "specs" / "policies" / "cost-center.yaml").read_text("utf-8")
    rule = "".join(line for line in committed.splitlines(keepends=True) if not line.startswith("#"))
    assert f"```yaml\n{rule}```" in page("policies.md")
