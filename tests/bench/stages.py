"""What each stage of `trainshed render` takes, measured around the stages of the real command.

The command runs in a process of its own, where each stage says when it begins and ends; whoever watches that
process reads the clock. Nothing of the product knows of this.
"""

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.bench.again import surroundings
from tests.bench.measure import NOTHING, Cost, watch

STAGES: Mapping[str, tuple[str, str]] = {
    "load": ("trainshed.pipeline", "load_inputs"),
    "resolve": ("trainshed.pipeline", "resolve_plan"),
    "compile": ("trainshed.pipeline", "compile_manifests"),
    "overlay": ("trainshed.pipeline", "overlay_manifests"),
    "hydrate": ("trainshed.pipeline", "hydrate_tree"),
    "validate": ("trainshed.pipeline", "validate_rendered"),
    "compare": ("trainshed.pipeline", "plan_changes"),
    "write": ("trainshed.cli.street", "commit_changes"),
}
"""Where the command looks for each stage when it calls it."""

PARTS: Mapping[str, tuple[str, str]] = {
    "schemas": ("trainshed.validate.hearing", "ask_schemas"),
    "judges": ("trainshed.validate.hearing", "ask_judges"),
    "together": ("trainshed.validate.hearing", "hear_together"),
    "rules": ("trainshed.validate.hearing", "check_rules"),
    "house rules": ("trainshed.validate.hearing", "check_house_rules"),
}
"""The parts of validate, each called once a cluster."""

CHAIN = ("judges", "together")
"""The parts in which the code of the cluster judges: asking, waiting, and reading the answers."""

START, ALL = "start", "all"
BEGIN, END = "stage begins:", "stage ends:"


def measure(repository: Path) -> dict[str, Cost]:
    """What a render of the repository takes: the start of the program, each stage and part, and all of it."""
    costs: dict[str, Cost] = {}
    running = [START]
    command = [sys.executable, "-m", __spec__.name, repository]
    for line in watch(command, Path.cwd(), surroundings(repository)):
        if not line.text:
            costs[ALL] = line.cost
            continue
        for name in running:
            costs[name] = costs.get(name, NOTHING) + line.cost
        if line.text.startswith(BEGIN):
            running = [*(name for name in running if name != START), line.text.removeprefix(BEGIN).strip()]
        elif line.text.startswith(END):
            running.remove(line.text.removeprefix(END).strip())
    return costs


def main(repository: str) -> None:
    """Render the repository, and say when each stage begins and ends."""
    for name, (module, function) in {**STAGES, **PARTS}.items():
        _announce(importlib.import_module(module), function, name)
    sys.argv = ["trainshed", "render", "-C", repository]
    importlib.import_module("trainshed.cli.main").main()


def _announce(module: Any, function: str, name: str) -> None:
    stage: Callable[..., Any] = getattr(module, function)

    def announced(*arguments: Any, **named: Any) -> Any:
        print(BEGIN, name, flush=True)
        result = stage(*arguments, **named)
        if isinstance(result, Iterator):  # a generator has done nothing yet
            result = list(result)
        print(END, name, flush=True)
        return result

    setattr(module, function, announced)


if __name__ == "__main__":
    main(sys.argv[1])
