"""`trainshed explain`."""

import os
import sys
from shutil import get_terminal_size

import click
from click.shell_completion import CompletionItem

from trainshed.model.codes import Code
from trainshed.model.suggest import did_you_mean
from trainshed.report.explanation import list_codes, read_page, show_page
from trainshed.report.terminal import use_color

_PIPE_COLUMNS = 120


def complete_code(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """The codes that begin like that, for the shell."""
    return [CompletionItem(code.value, help=code.meaning) for code in Code if code.startswith(begun)]


@click.command()
@click.argument("code", required=False, shell_complete=complete_code)
def explain(code: str | None) -> int:
    """Say what the finding CODE means, what would go wrong, and how to mend or waive it.

    Without CODE: all codes, by group, each with its meaning.
    """
    if code is None:
        click.echo(list_codes(get_terminal_size((_PIPE_COLUMNS, 0)).columns), nl=False)
    elif use_color(sys.stdout, os.environ):
        show_page(read_page(find_code(code)), sys.stdout)
    else:
        click.echo(read_page(find_code(code)), nl=False)
    return 0


def find_code(word: str) -> Code:
    """The code that is called so. Raises click.BadParameter with the nearest one."""
    if word in set(Code):
        return Code(word)
    advice = did_you_mean(word, Code) or "`trainshed explain` lists them all"
    raise click.BadParameter(f'no finding has the code "{word}"; {advice}', param_hint="CODE")
