"""What the platform gives and takes: namespaces, quotas, operators."""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from trainshed.model.manifest import JsonObject
from trainshed.model.quantity import QuantityError, describe_amount, parse_quantity
from trainshed.model.review import Verb
from trainshed.review.objects import keeps_in_cluster
from trainshed.review.pairs import Pair
from trainshed.review.shapes import spec_of, table, tables

_LIMITS = {"nominalQuota": "may use", "borrowingLimit": "may borrow"}


def namespace_goes(pair: Pair) -> Iterator[tuple[str, str]]:
    """A namespace takes everything in it along, unless Argo CD is told to leave it."""
    if pair.verb is Verb.DELETED:
        stays = keeps_in_cluster(pair.old)
        yield (
            (
                f"{pair.identity} leaves Git and stays in the cluster"
                if stays
                else f"{pair.identity} goes with all in it"
            ),
            "",
        )


def quota_grows(pair: Pair) -> Iterator[tuple[str, str]]:
    """More of a flavor than before, of one's own or to borrow. No limit is more than any."""
    if pair.verb is not Verb.CHANGED:
        return
    before, after = _quotas(pair.old), _quotas(pair.new)
    grown: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    places: dict[tuple[str, str], str] = {}
    devices_first = sorted(after.items(), key=lambda item: "/" not in item[0][1])
    for (flavor, resource, field), (value, pointer) in devices_first:
        old = before.get((flavor, resource, field))
        if old is None or _number(value) > _number(old[0]):
            amount = describe_amount(resource, _number(value))
            was = f" ({describe_amount(resource, _number(old[0]))} before)" if old else ""
            grown[flavor, field].append(f"{amount}{was}")
            places.setdefault((flavor, field), pointer)
    for (flavor, field), amounts in grown.items():
        yield (
            f"{pair.identity} {_LIMITS[field]} more of {flavor}: {', '.join(amounts)}",
            places[flavor, field],
        )


def ceiling_grows(pair: Pair) -> Iterator[tuple[str, str]]:
    """A higher ceiling, or one that is no more."""
    if pair.verb is Verb.DELETED:
        yield f"{pair.identity} goes: nothing limits its namespace", ""
    if pair.verb is not Verb.CHANGED:
        return
    before, after = _hard(pair.old), _hard(pair.new)
    for resource, value in sorted(before.items()):
        if resource not in after:
            yield f"{pair.identity} no longer limits {resource}", "/spec/hard"
        elif _number(after[resource]) > _number(value):
            pointer = f"/spec/hard/{resource.replace('/', '~1')}"
            yield f"{pair.identity} lets {resource} grow from {value} to {after[resource]}", pointer


def operator_changes(pair: Pair) -> Iterator[tuple[str, str]]:
    """An operator of another release, or none: its CRDs and webhooks are those of every run."""
    name = pair.identity.name.partition("-operator-")[2]
    if not name:
        return
    if pair.verb is Verb.DELETED:
        yield f"operator {name} is removed: nobody looks after the objects of its kinds", ""
    before, after = _releases(pair.old), _releases(pair.new)
    if pair.verb is Verb.CHANGED and before != after:
        old, new = (", ".join(sorted(ours)) or "none" for ours in (before - after, after - before))
        yield f"operator {name} goes from {old} to {new}, under the runs that it carries", "/spec"


def definition_goes(pair: Pair) -> Iterator[tuple[str, str]]:
    """A CRD takes every object of its kind along."""
    if pair.verb is Verb.DELETED:
        yield f"{pair.identity} goes, and with it every object of its kind", ""


def _releases(body: JsonObject) -> set[str]:
    spec = spec_of(body)
    sources = [*tables(spec.get("sources")), table(spec.get("source"))]
    return {str(one["targetRevision"]) for one in sources if "targetRevision" in one}


def _quotas(body: JsonObject) -> dict[tuple[str, str, str], tuple[str, str]]:
    """What a queue may use and borrow, by flavor and resource, with its place."""
    return {
        (str(flavor.get("name")), str(resource.get("name")), field): (
            str(resource[field]),
            f"/spec/resourceGroups/{group_index}/flavors/{flavor_index}/resources/{index}/{field}",
        )
        for group_index, group in enumerate(tables(spec_of(body).get("resourceGroups")))
        for flavor_index, flavor in enumerate(tables(group.get("flavors")))
        for index, resource in enumerate(tables(flavor.get("resources")))
        for field in _LIMITS
        if field in resource
    }


def _hard(body: JsonObject) -> JsonObject:
    return table(spec_of(body).get("hard"))


def _number(value: Any) -> Fraction:
    try:
        return parse_quantity(str(value))
    except QuantityError:
        return Fraction(0)
