"""How large a workload fits this machine."""

import os
import re

from trainshed.model.selection import SelectionError

AUTO, OFF = "auto", "off"
MOST_NODES, MOST_PROCS = 4, 2
_SCALE = re.compile(r"([1-9]\d{0,3})x([1-9]\d{0,3})")


def parse_scale(text: str) -> tuple[int | None, int | None]:
    """The most nodes, and the most processes of each, for `4x2`, `auto` and `off`; None for as many as there are.

    `auto` keeps at least two nodes, for a job with one has nothing to lose them by. Raises SelectionError.
    """
    if text == OFF:
        return None, None
    if text == AUTO:
        cpus = os.cpu_count() or 1
        nodes = max(2, min(MOST_NODES, cpus))
        return nodes, max(1, min(MOST_PROCS, cpus // nodes))
    found = _SCALE.fullmatch(text)
    if found is None:
        raise SelectionError(f'"{text}" is no scale', "write NODESxPROCS such as 4x2, auto, or off")
    return int(found[1]), int(found[2])
