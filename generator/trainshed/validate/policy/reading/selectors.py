"""Label selectors, as the API machinery reads them."""

from collections.abc import Mapping
from typing import Any

from trainshed.validate.policy.reading.values import items_at, map_at, maps_at, text_at


def selects(selector: Any, labels: Mapping[str, str], *, all_known: bool = True) -> bool:
    """Whether a selector takes an object with these labels; an empty one takes all.

    Where not all labels are known, it takes what it may take.
    """
    pairs = map_at(selector, "matchLabels")
    if all_known and "matchExpressions" not in map_at(selector):
        return pairs.items() <= labels.items()
    return all(
        labels.get(key) == value if key in labels or all_known else True for key, value in pairs.items()
    ) and all(_meets(term, labels, all_known) for _, term in maps_at(selector, "matchExpressions"))


def _meets(term: Mapping[str, Any], labels: Mapping[str, str], all_known: bool) -> bool:
    key, values = text_at(term, "key"), items_at(term, "values")
    if key not in labels and not all_known:
        return True
    match term.get("operator"):
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case _:
            return key not in labels
