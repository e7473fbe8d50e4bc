"""What stands behind a code: the page about it, the list of all, and where a report points to them."""

from pathlib import Path
from typing import TextIO

import click

from trainshed.model.code_groups import group_codes
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Findings, Severity, sort_findings

HOMES = (Path(__file__).parents[1] / "findings", Path(__file__).parents[3] / "docs" / "findings")
"""Where the pages lie: in the wheel, or beside the source."""

_WIDTH = 100


def read_page(code: Code) -> str:
    """The page of a code, as Markdown."""
    home = next(home for home in HOMES if home.is_dir())
    return (home / f"{code}.md").read_text("utf-8")


def list_codes(width: int) -> str:
    """Every code with its meaning, by group, laid out as commands are in `--help`."""
    formatter = click.HelpFormatter(width=width)
    for title, codes in group_codes().items():
        with formatter.section(title):
            formatter.write_dl([(code.value, code.meaning) for code in codes])
    return formatter.getvalue().lstrip("\n")


def show_page(text: str, stream: TextIO) -> None:
    """A page as a terminal shows it, in color."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    theme = Theme({"markdown.code": "cyan", "markdown.h2": "bold"})
    console = Console(file=stream, force_terminal=True, color_system="standard", highlight=False, theme=theme)
    console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False), width=min(console.width, _WIDTH))


def point_to_page(findings: Findings) -> str:
    """The command that explains the first of some errors."""
    first = next(finding for finding in sort_findings(findings) if finding.severity is Severity.ERROR)
    return f"learn more: trainshed explain {first.code}"
