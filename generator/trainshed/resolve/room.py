"""Room for containers beside the training: what they need is taken off the training's share of the node."""

from collections.abc import Mapping
from fractions import Fraction

from trainshed.model.codes import Code
from trainshed.model.pods import PodGroup
from trainshed.model.quantity import describe_amount, parse_quantity, subtract_quantities
from trainshed.resolve.draft import Draft


def make_room(draft: Draft, group: PodGroup, needed: Mapping[str, str], whose: str) -> dict[str, str]:
    """What is left to the training container; a finding where the spec's own words leave the others none."""
    left: dict[str, str] = {}
    for resource, amount in needed.items():
        asked = group.requests[resource]
        at = (*group.field, resource) if draft.sources.has(*group.field, resource) else (resource,)
        if not draft.sources.has(*at):
            left[resource] = subtract_quantities(asked, amount)
            continue
        most = max((pool.resources[resource] for pool in group.pools), default=Fraction(0))
        if group.pools and parse_quantity(asked) + parse_quantity(amount) > most:
            draft.refuse(
                Code.TOO_LARGE_FOR_NODE,
                at,
                f"{describe_amount(resource, parse_quantity(asked))} leave none of the "
                f"{describe_amount(resource, parse_quantity(amount))} that {whose} need",
                f"write at most {describe_amount(resource, most - parse_quantity(amount))}, or leave it out",
            )
    return left
