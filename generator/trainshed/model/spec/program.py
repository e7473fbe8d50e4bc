"""What a job runs: the program, its code, its environment."""

from typing import Literal

from trainshed.model.spec.scalars import Commit, Name, Names, Text, Texts
from trainshed.model.spec.written import Written


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


class Code(Written):
    """Where the code comes from when it is not in the image."""

    files: Texts | None = None
    """Further files beside this spec that travel with the script."""
    git: Git | None = None
    """A commit of a Git repository, cloned to /code."""


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
