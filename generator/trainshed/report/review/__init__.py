"""A review in; text, Markdown, a page or a document out, one file a format."""

import os
import sys
from pathlib import Path

import click

from trainshed.model.review import Review
from trainshed.report.review.document import format_json
from trainshed.report.review.html import format_html
from trainshed.report.review.markdown import LIMIT_CHARACTERS, format_markdown
from trainshed.report.review.text import format_text
from trainshed.report.terminal import use_color

TEXT = "text"
FORMATS = (TEXT, "markdown", "html", "json")


def write_review(review: Review, form: str, output: Path | None) -> None:
    """To a file, or to standard output. Markdown that is cut stands whole in `<output>.full.md`."""
    if form == TEXT:
        color = output is None and use_color(sys.stdout, os.environ)
        _write(format_text(review, color), output, color=color)
    elif form == "markdown":
        beside = output.with_name(f"{output.stem}.full.md") if output else None
        whole = format_markdown(review)
        if len(whole) > LIMIT_CHARACTERS:
            _write(format_markdown(review, LIMIT_CHARACTERS, beside.name if beside else ""), output)
            if beside:
                _write(whole, beside)
        else:
            _write(whole, output)
    else:
        _write({"html": format_html, "json": format_json}[form](review), output)


def _write(text: str, output: Path | None, color: bool = False) -> None:
    if output is None:
        click.echo(text, color=color, nl=False)
    else:
        output.write_text(text, "utf-8")
