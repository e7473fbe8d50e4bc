"""What a change asks for in; text, Markdown, a page or a document out, one file a format."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import get_terminal_size

import click

from trainshed.model.asks import Prospect
from trainshed.report.plan.document import format_json
from trainshed.report.plan.html import format_html
from trainshed.report.plan.markdown import format_markdown
from trainshed.report.plan.text import format_text
from trainshed.report.terminal import use_color

TEXT = "text"
DOCUMENTS: Mapping[str, Callable[[Prospect], str]] = {
    "markdown": format_markdown,
    "html": format_html,
    "json": format_json,
}
FORMATS = (TEXT, *DOCUMENTS)

_FILE_COLUMNS = 140


def write_prospect(prospect: Prospect, form: str, output: Path | None) -> None:
    """In one of `FORMATS`, to a file or to standard output."""
    color = form == TEXT and output is None and use_color(sys.stdout, os.environ)
    if form == TEXT:
        columns = get_terminal_size((_FILE_COLUMNS, 0)).columns if output is None else _FILE_COLUMNS
        text = format_text(prospect, color, columns)
    else:
        text = DOCUMENTS[form](prospect)
    if output is None:
        click.echo(text, color=color, nl=False)
    else:
        output.write_text(text, "utf-8")
