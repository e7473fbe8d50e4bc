"""One table: what a full render of N jobs on E clusters takes, stage by stage, and what peers take for the same.

    uv run python -m tests.bench.run
    uv run python -m tests.bench.run --jobs 100 1000 --clusters 4 --no-peers --json
    uv run python -m tests.bench.run --jobs 1000 --clusters 1 --no-peers --warm --one

Every size begins from nothing: no generated file, no cache of ours. Peers run right after, on the same machine.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.bench import kapitan, kustomize, stages
from tests.bench.again import measure_one, measure_warm
from tests.bench.kustomize import Estimate
from tests.bench.measure import Cost
from tests.bench.workload import Workload

SIZES = (1, 100, 1000, 4000)
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Result:
    """One size: the cost of each stage by name, of the commands after the first, and of the peers."""

    num_jobs: int
    num_clusters: int
    stages: dict[str, Cost]
    again: dict[str, Cost]
    kapitan: Cost | None = None
    one_by_one: Estimate | None = None


AGAIN = {"warm": measure_warm, "one": measure_one}
"""What may be measured after the first render, by its option."""


def measure(workload: Workload, with_peers: bool, afterwards: Iterable[str]) -> Result:
    """Render one workload in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="trainshed-bench-") as name:
        ours, theirs = Path(name, "trainshed"), Path(name, "kapitan")
        workload.write(ours)
        costs = stages.measure(ours)
        again = {name: cost for option in afterwards for name, cost in AGAIN[option](ours).items()}
        if not with_peers:
            return Result(workload.num_jobs, workload.num_clusters, costs, again)
        return Result(
            workload.num_jobs,
            workload.num_clusters,
            costs,
            again,
            kapitan.measure(workload, ours, theirs),
            kustomize.measure(ours),
        )


def make_table(results: list[Result]) -> Table:
    """A column a size, a row a stage."""
    title = (
        f"{results[0].num_clusters} clusters, {os.cpu_count()} cores; wall time, peak memory of all processes"
    )
    table = Table("", title=title, title_justify="left")
    for result in results:
        table.add_column(f"{result.num_jobs:,} jobs", justify="right")
    for stage in (stages.START, *stages.STAGES):
        table.add_row(stage, *(_show(result.stages.get(stage)) for result in results))
        if stage == "validate":
            for part in stages.PARTS:
                table.add_row(f"  {part}", *(_show(result.stages.get(part)) for result in results))
    table.add_section()
    table.add_row("trainshed, all of it", *(_show(result.stages[stages.ALL]) for result in results))
    table.add_row("  processor time", *(_cpu(result.stages[stages.ALL]) for result in results))
    table.add_row("  the dearest stage", *(_dominant(result) for result in results))
    table.add_row("  the chain, of a check", *(_chain(result) for result in results))
    for name in results[0].again:
        costs = [result.again[name] for result in results]
        table.add_section()
        table.add_row(name, *map(_show, costs))
        table.add_row("  processor time", *map(_cpu, costs))
        table.add_row("  over the first render's", *map(_ratio, costs, results))
    peers = {
        "Kapitan 0.36.3": [result.kapitan for result in results],
        "one kustomize an overlay": [one.one_by_one.cost if one.one_by_one else None for one in results],
    }
    for name, costs in peers.items():
        if any(costs):
            table.add_section()
            table.add_row(name, *map(_show, costs))
            table.add_row("  processor time", *map(_cpu, costs))
            table.add_row("  over trainshed's", *map(_ratio, costs, results))
    sampled = [result.one_by_one for result in results]
    if any(sampled):
        table.add_row(
            "  sampled", *(f"{one.num_sampled} of {one.num_overlays}" if one else "" for one in sampled)
        )
    return table


def _show(cost: Cost | None) -> str:
    return f"{cost.seconds:.2f} s {cost.peak_bytes / MEGABYTE:5.0f} MB" if cost else ""


def _cpu(cost: Cost | None) -> str:
    return f"{cost.cpu_seconds:.2f} s" if cost else ""


def _ratio(other: Cost | None, result: Result) -> str:
    """How many times the processor time: others may use the machine, and that spoils wall time first."""
    return f"x {other.cpu_seconds / result.stages[stages.ALL].cpu_seconds:.2g}" if other else ""


def _dominant(result: Result) -> str:
    """The stage that takes the most processor time, and its part of all of it."""
    costs = {
        name: cost.cpu_seconds
        for name, cost in result.stages.items()
        if name in (stages.START, *stages.STAGES)
    }
    name = max(costs, key=lambda stage: costs[stage])
    return f"{name} {costs[name] / result.stages[stages.ALL].cpu_seconds:.0%}"


def _chain(result: Result) -> str:
    """The processor time of the code that judges in the cluster, and its part of a `check`, which writes nothing."""
    seconds = sum(result.stages[part].cpu_seconds for part in stages.CHAIN)
    checking = result.stages[stages.ALL].cpu_seconds - result.stages["write"].cpu_seconds
    return f"{seconds:.1f} s {seconds / checking:.0%}"


def main() -> None:
    """Measure every size and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--clusters", type=int, default=4, metavar="E")
    parser.add_argument("--no-peers", action="store_true", help="trainshed alone")
    parser.add_argument("--warm", action="store_true", help="also a check when nothing has changed")
    parser.add_argument("--one", action="store_true", help="also render and check when one spec has")
    parser.add_argument("--json", action="store_true", help="all figures, for programs")
    asked = parser.parse_args()
    afterwards = [option for option in AGAIN if getattr(asked, option)]
    results = [measure(Workload(num, asked.clusters), not asked.no_peers, afterwards) for num in asked.jobs]
    if asked.json:
        print(json.dumps([asdict(result) for result in results], indent=1))
    else:
        Console().print(make_table(results))


if __name__ == "__main__":
    main()
