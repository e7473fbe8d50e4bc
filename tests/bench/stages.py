"""What each stage of `trainshed render` takes, measured around the stages of the real command.

The command runs in a process of its own, where each stage says when it begins and ends; whoever watches that
process reads the clock. Nothing of the product knows of this.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.bench.measure import Cost, watch

STAGES: Mapping[str, tuple[str, str]] = {
    "load": ("trainshed.pipeline", "load_inputs"),
    "resolve": ("trainshed.pipeline", "resolve_plan"),
    "compile": ("trainshed.pipeline", "compile_manifests"),
    "overlay": ("trainshed.pipeline", "overlay_manifests"),
    "hydrate": ("trainshed.pipeline", "hydrate_tree"),
    "validate": ("trainshed.pipeline", "validate_rendered"),
    "compare": ("trainshed.cli.render", "plan_changes"),
    "write": ("trainshed.cli.render", "commit_changes"),
}
"""Where the command looks for each stage when it calls it."""

START, ALL = "start", "all"
BEGIN, END = "stage begins:", "stage ends:"


def measure(repository: Path) -> dict[str, Cost]:
    """What a render of the repository takes: the start of the program, each stage, and all of it."""
    costs: dict[str, Cost] = {}
    for line in watch([sys.executable, "-m", __spec__.name, repository], Path.cwd()):
        if line.text.startswith(BEGIN):
            costs.setdefault(START, line.cost)
        elif line.text.startswith(END):
            costs[line.text.removeprefix(END).strip()] = line.cost
        elif not line.text:
            costs[ALL] = line.cost
    return costs


def main(repository: str) -> None:
    """Render the repository, and say when each stage begins and ends."""
    for name, (module, function) in STAGES.items():
        _announce(importlib.import_module(module), function, name)
    sys.argv = ["trainshed", "render", "-C", repository]
    importlib.import_module("trainshed.cli.main").main()


def _announce(module: Any, function: str, name: str) -> None:
    stage: Callable[..., Any] = getattr(module, function)

    def announced(*arguments: Any, **named: Any) -> Any:
        print(BEGIN, name, flush=True)
        result = stage(*arguments, **named)
        print(END, name, flush=True)
        return result

    setattr(module, function, announced)


if __name__ == "__main__":
    main(sys.argv[1])
