"""`trainshed version`."""

from importlib.metadata import version as installed_version

import click

from trainshed.engine.client import Engine


def read_version() -> str:
    """The release of trainshed that is installed."""
    return installed_version("trainshed")


@click.command()
def version() -> int:
    """Print the releases of trainshed, its engine, and the libraries that judge."""
    with Engine() as engine:
        greeting = engine.greeting
    click.echo(f"trainshed {read_version()}")
    click.echo(
        f"engine {greeting.engine} (kustomize {greeting.kustomize}, kubeconform {greeting.kubeconform})"
    )
    return 0
