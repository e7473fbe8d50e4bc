"""What stands before the program: the runtime that starts it, and a strict shell for the commands before it."""

import re

from trainshed.model.contract import RUNTIME_DIRECTORY
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup

_EXPANDED = re.compile(r"\$(?=[$(])")
"""What Kubernetes would take for a variable of its own, or an escape, in a container's command."""

STARTERS = {
    "carried": ("python", RUNTIME_DIRECTORY),
    "installed": ("python", "-m", "trainshed_runtime"),
    "none": (),
}
"""What the runtime is started by: it gets the signals, and starts the program."""


def started_by_runtime(target: Target, command: tuple[str, ...]) -> list[str]:
    """The command of a program, with the runtime before it. What an operator starts by itself has none."""
    return [*STARTERS[target.runtime], *command] if command else []


def container_command(target: Target, group: PodGroup) -> list[str]:
    """The container's command. The shell is replaced by the program, which so gets the signals itself."""
    command = started_by_runtime(target, group.command)
    if not group.setup:
        return command
    lines = [_EXPANDED.sub("$$", line) for line in group.setup]
    return ["/bin/sh", "-euc", "\n".join([*lines, 'exec "$@"']), "--", *command]
