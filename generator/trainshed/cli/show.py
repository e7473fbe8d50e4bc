"""`trainshed show`."""

import os
import sys
from pathlib import Path

import click

from trainshed.cli.options import repository_option
from trainshed.engine.pool import EnginePool
from trainshed.model.selection import Selection
from trainshed.pipeline import render_specs
from trainshed.report.choice import describe_choice
from trainshed.report.outcome import print_findings
from trainshed.report.provenance import describe_sources
from trainshed.report.terminal import open_progress


@click.command()
@click.argument("job")
@click.option("--cluster", metavar="NAME", help="Only what this cluster gets.")
@click.option("--sources", is_flag=True, help="Print each resolved value and the line it comes from instead.")
@click.option(
    "--why", is_flag=True, help="Print which kind carries it and why, and what its restarts become, instead."
)
@repository_option
def show(job: str, cluster: str | None, sources: bool, why: bool, root: Path) -> int:
    """Print what JOB renders to, as YAML.

    JOB is its name, or TEAM/NAME where several teams have one of that name. Findings go to standard error.
    """
    words = [f"job={job}", *([f"cluster={cluster}"] if cluster else [])]
    selection = Selection.parse(words)
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        journey = render_specs(root, selection, engine, progress)
    if journey.plan is None or (journey.rendered is None and not (sources or why)):
        return print_findings(journey.findings, root, "text", err=True)
    chosen = [
        target for target in selection.choose(journey.plan).targets if cluster in (None, target.cluster.name)
    ]
    own = {target.path for target in chosen}
    findings = [finding for finding in journey.findings if finding.source.path in own]
    code = print_findings(tuple(findings) if journey.rendered else journey.findings, root, "text", err=True)
    if sources or why:
        parts = [*([describe_choice] if why else []), *([describe_sources] if sources else [])]
        click.echo("\n\n".join(describe(target) for target in chosen for describe in parts))
        return code
    folders = {(target.cluster.name, target.app) for target in chosen}
    files = journey.rendered.files if journey.rendered else {}
    wanted = [path for path in sorted(files) if path.parts[0] == "rendered" and path.parts[1:3] in folders]
    click.echo("---\n".join(f"# {path}\n{files[path]}" for path in wanted), nl=False)
    return code
