"""What nodes offer to pods, computed anew from the published rules that the machine files cite."""

from itertools import pairwise

import pytest

from trainshed import catalog
from trainshed.model.catalog import NodeResources

MIB = 1024**2

# (from, rate) steps: thousandths of a core, and Mi.
KUBELET_CPU = ((0, 0.06), (1000, 0.01), (2000, 0.005), (4000, 0.0025))
AKS_CPU = ((0, 0.06), (1000, 0.04), (2000, 0.02), (4000, 0.01))
GKE_MEMORY = ((0, 0.25), (4000, 0.2), (8000, 0.1), (16000, 0.06), (128000, 0.02))
EVICTION = 100

EKS_PODS = {
    "aws/p5.48xlarge": 100,
    "aws/p5en.48xlarge": 198,
    "aws/p4d.24xlarge": 737,
    "aws/g5.xlarge": 58,
    "aws/g5.12xlarge": 737,
    "aws/g6.12xlarge": 234,
    "aws/m7i.8xlarge": 234,
    "aws/m7i.2xlarge": 58,
    "aws/c7g.8xlarge": 234,
}


def taken(amount: int, steps: tuple[tuple[int, float], ...]) -> int:
    edges = (*steps, (max(amount, steps[-1][0]), 0.0))
    return int(sum(max(0, min(amount, end) - start) * rate for (start, rate), (end, _) in pairwise(edges)))


def on_eks(name: str, cpu: int, memory: int) -> tuple[int, int]:
    return cpu - taken(cpu, KUBELET_CPU), int(memory * 0.925) - (255 + 11 * EKS_PODS[name]) - EVICTION


def on_gke(_name: str, cpu: int, memory: int) -> tuple[int, int]:
    kernel = memory // 64 + 80
    return cpu - taken(cpu, KUBELET_CPU), memory - kernel - taken(memory, GKE_MEMORY) - EVICTION


def on_aks(_name: str, cpu: int, memory: int) -> tuple[int, int]:
    return cpu - taken(cpu, AKS_CPU), int(memory * 0.925) - min(20 * 250 + 50, memory // 4) - EVICTION


def on_premises(_name: str, cpu: int, memory: int) -> tuple[int, int]:
    return cpu - 80 - cpu // 100, int(memory * 0.95) - 330 - EVICTION


def on_kind(_name: str, cpu: int, memory: int) -> tuple[int, int]:
    return cpu, memory


RULES = {"eks": on_eks, "gke": on_gke, "aks": on_aks, "onprem": on_premises, "kind": on_kind}


@pytest.mark.parametrize("name", catalog.machines())
def test_allocatable_follows_from_the_rule_of_the_machines_provider(name: str) -> None:
    machine = catalog.machines()[name]
    cpu, memory = RULES[machine.provider](
        name, machine.capacity.cpu_millicores, machine.capacity.memory_bytes // MIB
    )
    assert machine.allocatable == NodeResources(cpu, memory * MIB)
