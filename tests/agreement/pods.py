"""What a real control plane makes of a rendered cluster: what it refuses, what Kueue admits, and the pods of each run.

    uv run python tests/agreement/pods.py rendered/aws-prod --kit KIT [--pods pods.json]

KIT is a folder with a control plane (`kit.py`), which is booted with the nodes, the queues' configuration and the init
container of this cluster. The platform is applied first, then one run after the other, each alone, as quota has an end:
a run is taken away before the next one comes. A CronJob is fired once. Claims are bound to volumes that lead nowhere.
The exit code is 1 if something was refused, or if a run is without pods or without a node for one.
`--pods` writes every pod as it was last seen.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from kit import read_objects, run_as
from server import Server
from stage import Stage, Take
from table import describe

BOOTED = "CONTROL_PLANE_LOGS"
"""What the kit sets for the command that it runs."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Plays the runs of a rendered cluster on a real control plane."
    )
    parser.add_argument("cluster", type=Path, help="a folder of rendered/")
    parser.add_argument("--kit", type=Path, required=True, help="the folder of the control plane")
    parser.add_argument("--pods", type=Path, help="write every pod there, as JSON")
    options = parser.parse_args()
    if BOOTED in os.environ:
        return play(options.cluster, options.pods)
    cache = os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")  # the kit hides /tmp from the operators
    with tempfile.TemporaryDirectory(dir=cache, prefix="pods.") as scratch:
        return run_as(options.cluster, options.kit, Path(scratch), [sys.executable, *sys.argv])


def play(cluster: Path, dump: Path | None) -> int:
    """Applies the platform and each run of a cluster, and prints what came of it."""
    stage = Stage(Server.of_kubeconfig())
    runs = sorted(cluster.glob("job-*"))
    platform = [folder for folder in sorted(cluster.iterdir()) if folder not in runs]
    stage.apply(body for folder in platform for body in read_objects(folder))
    takes: list[Take] = []
    for folder in runs:
        takes.append(stage.play(folder.name.removeprefix("job-"), list(read_objects(folder))))
        print(describe(takes[-1]), flush=True)
    for unknown in stage.unknown:
        print(f"no CRD   {unknown}")
    for refusal in stage.refused:
        print(f"refused  {refusal}")
    failed = [take for take in takes if not take.is_whole]
    said = f"{stage.applied} applied, {len(stage.refused)} refused, {len(stage.unknown)} without CRD"
    print(f"{said}, {len(takes)} runs, {len(failed)} not whole")
    if dump:
        dump.write_text(json.dumps({take.name: list(take.pods.values()) for take in takes}, indent=1))
    return 1 if stage.refused or failed else 0


if __name__ == "__main__":
    sys.exit(main())
