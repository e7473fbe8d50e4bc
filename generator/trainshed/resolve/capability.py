"""Whether a job could ever run in a Volcano queue, which has one ledger for all of its pools."""

from collections.abc import Mapping
from fractions import Fraction

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup
from trainshed.model.quantity import describe_amount, parse_quantity


def check_capability(target: Target, queue: str) -> tuple[Diagnostic, ...]:
    """A finding for what the run asks for more of than the queue is capable of."""
    ceilings = target.team.capability
    asks: dict[str, Fraction] = {}
    for group in target.groups:
        for resource, quantity in counted(group):
            asks[resource] = asks.get(resource, Fraction(0)) + parse_quantity(quantity) * group.max_pods
    short = next((name for name, ask in _devices_first(asks) if ask > ceilings.get(name, Fraction(0))), "")
    if not short:
        return ()
    quota = next(iter(target.team.quotas.values()))
    return (
        error(
            Code.QUOTA_EXCEEDED,
            target.sources.find("nodes"),
            f'{describe_amount(short, asks[short])} are asked for, queue "{queue}" can never give more than '
            f"{describe_amount(short, ceilings.get(short, Fraction(0)))} on {target.cluster.name}",
            "ask for less, or raise the team's quota or what it may borrow",
            [Related(quota.source, "the quota is written here")],
        ),
    )


def _devices_first(asks: Mapping[str, Fraction]) -> list[tuple[str, Fraction]]:
    """What people count in first: GPUs, then CPU and memory, which follow from them."""
    return sorted(asks.items(), key=lambda item: item[0] in ("cpu", "memory"))


def counted(group: PodGroup) -> list[tuple[str, str]]:
    """What a queue counts of a pod: all but local disk, which Kueue is told to leave out."""
    return [(name, amount) for name, amount in group.charges.items() if name != "ephemeral-storage"]
