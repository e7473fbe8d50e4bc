"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from trainshed.report.outcome import FORMATS, TEXT

F = TypeVar("F", bound=Callable[..., Any])


def repository_option(command: F) -> F:
    """`--repository`: where specs/ lies."""
    return click.option(
        "--repository",
        "-C",
        "root",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        default=Path(),
        help="The repository, which holds specs/.  [default: the current folder]",
    )(command)


def only_option(command: F) -> F:
    """`--only`: some apps in place of all."""
    return click.option(
        "--only",
        metavar="SORT=NAME",
        multiple=True,
        help="Only job=NAME, team=NAME or cluster=NAME. Can be repeated: one sort adds up, several narrow down.",
    )(command)


def format_option(command: F) -> F:
    """`--format`: text for people, documents for programs."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default=TEXT,
        show_default=True,
        help="How findings are printed: for people, programs, code scanning, GitLab, annotations on GitHub.",
    )(command)
