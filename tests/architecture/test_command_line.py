"""The command line is frozen: `--help` of every command, word for word, in `help/`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from trainshed.cli.main import cli

HELP = Path(__file__).parent / "help"


def commands(
    group: click.Group, words: tuple[str, ...] = ("trainshed",)
) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield words, group
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name), command


COMMANDS = dict(commands(cli))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_is_what_was_agreed_on(words: tuple[str, ...], golden: Any) -> None:
    context = click.Context(
        COMMANDS[words], info_name=" ".join(words), terminal_width=100, max_content_width=100
    )
    golden.check(HELP / f"{'-'.join(words)}.txt", COMMANDS[words].get_help(context) + "\n")


def test_no_help_is_kept_for_a_command_that_is_gone() -> None:
    assert {path.stem for path in HELP.glob("*.txt")} == {"-".join(words) for words in COMMANDS}
