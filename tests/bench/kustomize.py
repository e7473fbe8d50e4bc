"""One Kustomize process for each overlay, as scripts around Kustomize do it: timed on a sample, then multiplied."""

from dataclasses import dataclass
from pathlib import Path

from tests.bench.environment import install_kustomize
from tests.bench.measure import Cost, run

SAMPLE = 20


@dataclass(frozen=True, slots=True)
class Estimate:
    """What all overlays would take one after another, from `num_sampled` of `num_overlays`."""

    cost: Cost
    num_sampled: int
    num_overlays: int


def measure(rendered: Path) -> Estimate:
    """What building every overlay of a rendered repository would take; memory is that of the largest process."""
    overlays = sorted(path.parent for path in rendered.glob("overlays/*/*/kustomization.yaml"))
    overlays = [folder for folder in overlays if folder.name != "base"]
    sample = overlays[:: max(len(overlays) // SAMPLE, 1)][:SAMPLE]
    command = install_kustomize()
    costs = [run([*command, folder], rendered) for folder in sample]
    factor = len(overlays) / len(sample)
    total = Cost(
        seconds=sum(cost.seconds for cost in costs) * factor,
        cpu_seconds=sum(cost.cpu_seconds for cost in costs) * factor,
        peak_bytes=max(cost.peak_bytes for cost in costs),
    )
    return Estimate(total, len(sample), len(overlays))
