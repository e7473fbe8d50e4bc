"""What a job runs: the program, its code, its environment."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.scalars import Commit, Name, Names, Text, Texts
from trainshed.model.spec.written import Lift, Written


class Run(Written):
    """What runs in the container: a script or module through the launcher, or a plain command."""

    script: str | None = None
    """A Python script: a relative path lies beside this spec and travels with it, an absolute one is in the image."""
    module: str | None = None
    """A Python module in the image or on PYTHONPATH, run as with python -m."""
    command: Texts | None = None
    """A command and its arguments, never passed through a shell."""
    args: Texts | None = None
    """Arguments for the script or module, one list item each."""
    setup: Texts | None = None
    """Shell commands before the program, such as pip install; the first that fails ends the run. Not for MPI."""
    entrypoint: Literal["image"] | None = None
    """image: the image's own entrypoint runs, with the args."""


class Git(Written):
    """Code cloned by an init container before the run starts."""

    repo: str | None = None
    """The repository's address, as git clone takes it (https or ssh)."""
    commit: Commit | None = None
    """The full commit; branches and tags move, so they are not taken."""
    secret: Name | None = None
    """A Secret with ssh-privatekey and known_hosts, for a private repository over ssh."""
    path: str | None = None
    """The folder of the repository that scripts are looked for in, and that the run starts in."""
    submodules: bool | None = None
    """true: its submodules as well."""
    depth: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """How many commits of its history; 1 unless said otherwise, 0 for all."""


class CodeVolume(Written):
    """Code that lies on a volume of the team."""

    volume: Name | None = None
    """The volume, mounted at /code to be read."""
    path: str | None = None
    """A folder of the volume, mounted in place of the whole."""


class Code(Written):
    """Where the code comes from when it is not in the image."""

    files: Texts | None = None
    """Further files beside this spec that travel with the script."""
    git: Git | None = None
    """A commit of a Git repository, cloned to /code."""
    volume: Annotated[CodeVolume | None, Lift(("volume",), ("string",))] = None
    """A volume of the team, mounted at /code: tools, or {volume: tools, path: src}."""


class EnvValue(Written):
    """The value of one environment variable: text, or a reference to where it is kept."""

    value: Text | None = None
    """Plain text. Never a secret."""
    secret: Name | None = None
    """The Secret that holds the value."""
    config_map: Name | None = None
    """The ConfigMap that holds the value."""
    key: str | None = None
    """The key in that Secret or ConfigMap."""
    field: str | None = None
    """A field of the pod, such as status.podIP."""


class EnvFrom(Written):
    """Whole Secrets and ConfigMaps taken as environment variables."""

    secrets: Names | None = None
    """Secrets whose every key becomes a variable."""
    config_maps: Names | None = None
    """ConfigMaps whose every key becomes a variable."""
