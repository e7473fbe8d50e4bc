"""`trainshed version`."""

from collections.abc import Iterator
from importlib.metadata import version as installed_version

import click

from trainshed.engine.client import Engine
from trainshed.engine.messages import Greeting


def read_version() -> str:
    """The release of trainshed that is installed."""
    return installed_version("trainshed")


@click.command()
def version() -> int:
    """Print the releases of trainshed, its engine, and the judges that are linked into it."""
    with Engine() as engine:
        releases = list(releases_of(engine.greeting))
    width = max(len(name) for name, _ in releases)
    for name, release in releases:
        click.echo(f"{name:{width}}  {release}")
    return 0


def releases_of(greeting: Greeting) -> Iterator[tuple[str, str]]:
    """Every part with its release: our own, then the libraries, then the judges, the API server's own code first."""
    yield "trainshed", read_version()
    yield "engine", greeting.engine
    yield "kustomize", greeting.kustomize
    yield "kubeconform", greeting.kubeconform
    yield from sorted(greeting.judges.items(), key=lambda judge: (judge[0] != "kubernetes", judge))
