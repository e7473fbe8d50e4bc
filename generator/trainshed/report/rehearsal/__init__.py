"""A rehearsal in; a live table, the verdict in words, a record for programs and a picture of it out, a file each."""

import os
import sys
from pathlib import Path

import click

from trainshed.model.verdict import Rehearsal
from trainshed.report.rehearsal.document import format_json
from trainshed.report.rehearsal.html import format_html
from trainshed.report.rehearsal.text import format_text
from trainshed.report.terminal import use_color


def write_rehearsal(rehearsal: Rehearsal, record: Path | None, picture: Path | None) -> None:
    """The verdict to standard output; the record and the picture to their files, where they are asked for."""
    if record is not None:
        record.write_text(format_json(rehearsal), "utf-8")
    if picture is not None:
        picture.write_text(format_html(rehearsal), "utf-8")
    color = use_color(sys.stdout, os.environ)
    click.echo(format_text(rehearsal, color), color=color, nl=False)
