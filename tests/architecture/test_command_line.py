"""The command line is frozen: `--help` of every command, word for word, in `help/`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from trainshed.cli.main import cli

HELP = Path(__file__).parent / "help"

Words = tuple[str, ...]


def commands(group: click.Group, words: Words = ()) -> Iterator[Words]:
    """Every command, groups too, by the words behind `trainshed`; asked for as the shell would, for they load late."""
    yield words
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name)


COMMANDS = list(commands(cli))


def file_of(words: Words) -> str:
    return "-".join(("trainshed", *words))


def help_of(words: Words) -> str:
    asked = CliRunner().invoke(cli, [*words, "--help"], prog_name="trainshed", terminal_width=100)
    assert asked.exit_code == 0, asked.output
    return asked.output


@pytest.mark.parametrize("words", COMMANDS, ids=file_of)
def test_help_is_what_was_agreed_on(words: Words, golden: Any) -> None:
    golden.check(HELP / f"{file_of(words)}.txt", help_of(words))


def test_every_command_keeps_a_help_text_and_no_other_does() -> None:
    assert len(COMMANDS) > len(cli.list_commands(click.Context(cli)))
    assert sorted(path.stem for path in HELP.glob("*.txt")) == sorted(map(file_of, COMMANDS))


@pytest.mark.parametrize("words", COMMANDS, ids=file_of)
def test_no_sentence_of_help_is_cut_off(words: Words) -> None:
    _, *lines = help_of(words).splitlines()
    assert [line for line in lines if len(line) > 100 or line.endswith("...")] == []
