"""Workflows, CI files and hooks, ours and those of docs/ci.md: each command in them is one that exists."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from ruamel.yaml import YAML

from trainshed.cli.main import COMMANDS, cli

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
SHOWN = re.findall(r"^```yml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FILES = (".github/workflows/check.yml", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml")
COMMAND = re.compile(r"(?:^|[\s&|;(])trainshed ((?:[^|&;()<>\n]|\$\{\{.*?\}\})+)")


def read(text: str) -> Any:
    return YAML(typ="safe").load(text)


DOCUMENTS = {
    **{name: read((ROOT / name).read_text("utf-8")) for name in FILES},
    **{f"docs/ci.md {number}": read(text) for number, text in enumerate(SHOWN, 1)},
}
RUN_KEYS = {"run", "entry", "script", "before_script", "after_script"}


def scripts(value: Any) -> Iterator[str]:
    """What a runner would give to a shell."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in RUN_KEYS:
                yield from [item] if isinstance(item, str) else item
            else:
                yield from scripts(item)
    elif isinstance(value, list):
        for item in value:
            yield from scripts(item)


def commands() -> Iterator[tuple[str, str]]:
    for name, document in DOCUMENTS.items():
        for script in scripts(document):
            for words in COMMAND.findall(script):
                yield name, words.strip()


FOUND = list(commands())


def check(words: list[str]) -> None:
    """Raises click's own error for a command, option or choice that there is not."""
    name, *arguments = words
    assert name in COMMANDS
    program = click.Context(cli, **cli.context_settings)  # a command keeps the first --help that it is given
    command = cli.get_command(program, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=program)
    given, rest, _ = command.make_parser(context).parse_args(list(arguments))
    assert rest == []
    for option in command.params:
        value = given.get(option.name or "")
        if isinstance(option.type, click.Choice) and isinstance(value, str):
            option.type.convert(value, option, context)


def test_every_file_with_commands_is_read_here() -> None:
    assert {name for name, _ in FOUND} >= {*FILES, "docs/ci.md 1", "docs/ci.md 2"}
    assert {words.split()[0] for _, words in FOUND} == {"check", "diff", "judge", "plan"}
    assert sum(text.count("trainshed check ") for text in SHOWN) == sum(
        name.startswith("docs/") and words.startswith("check ") for name, words in FOUND
    )


@pytest.mark.parametrize(("name", "words"), FOUND, ids=lambda value: value)
def test_command_in_ci_has_real_options(name: str, words: str) -> None:
    check(shlex.split(words))


@pytest.mark.parametrize(
    "words", ["chek", "check --bse main", "check --format xml", "check --base", "check main"]
)
def test_commands_that_do_not_exist_would_be_seen(words: str) -> None:
    with pytest.raises((click.UsageError, AssertionError)):
        check(shlex.split(words))


def test_hooks_that_the_page_names_exist_and_their_arguments_fit() -> None:
    offered = {hook["id"]: hook for hook in DOCUMENTS[".pre-commit-hooks.yaml"]}
    (shown,) = [text for text in map(read, SHOWN) if "repos" in text]
    used = [hook for repo in shown["repos"] for hook in repo["hooks"]]
    assert {hook["id"] for hook in used} == offered.keys()
    for hook in used:
        _, *words = shlex.split(offered[hook["id"]]["entry"])
        files = ["deploy/a.yaml"] if offered[hook["id"]].get("pass_filenames", True) else []
        check([*words, *hook.get("args", []), *files])


def test_hooks_have_what_pre_commit_asks_of_them() -> None:
    for hook in DOCUMENTS[".pre-commit-hooks.yaml"]:
        assert hook.keys() >= {"id", "name", "entry", "language"}
        assert hook["language"] == "system"


def test_workflow_reads_only_and_fetches_the_whole_history() -> None:
    workflow = DOCUMENTS[FILES[0]]
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        (checkout,) = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")


def test_own_hooks_judge_the_change_as_the_offered_ones_do() -> None:
    own = {hook["id"]: hook for repo in DOCUMENTS[FILES[1]]["repos"] for hook in repo["hooks"]}
    offered = {hook["id"]: hook for hook in DOCUMENTS[FILES[2]]}
    assert own["check"]["entry"] == f"uv run {offered['trainshed-check']['entry']}"
