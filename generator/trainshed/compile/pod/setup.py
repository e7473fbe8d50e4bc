"""Commands before the program: a strict shell that stops at the first failure and then becomes the program."""

import re

from trainshed.model.pods import PodGroup

_EXPANDED = re.compile(r"\$(?=[$(])")
"""What Kubernetes would take for a variable of its own, or an escape, in a container's command."""


def container_command(group: PodGroup) -> list[str]:
    """The container's command. The shell is replaced by the program, which so gets the signals itself."""
    if not group.setup:
        return list(group.command)
    lines = [_EXPANDED.sub("$$", line) for line in group.setup]
    return ["/bin/sh", "-euc", "\n".join([*lines, 'exec "$@"']), "--", *group.command]
