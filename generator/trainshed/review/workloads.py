"""What a run's own object says about it, where no seal does: runs that are older than seals, kinds that live on."""

import re
from collections.abc import Iterator
from typing import Any

from trainshed.model.backend import CARRIERS
from trainshed.model.families import LASTING
from trainshed.model.manifest import JsonObject, canonical_json
from trainshed.model.seal import Seal
from trainshed.review.shapes import metadata_of, spec_of, table

_KINDS = frozenset(carrier.kind for carrier in CARRIERS.values())
_LASTING = frozenset(backend.kind for backend in LASTING)
_LABEL = "trainshed.dev/"
_ATTEMPT = re.compile(r'"name":"TRAINSHED_ATTEMPT","value":"([0-9]{1,9})"')
_DIRECTORY = re.compile(r'"name":"TRAINSHED_CHECKPOINT_DIR","value":"[^"]*/([^"/]+)"')

DEFAULT_GRACE_SECONDS = 30
"""What the API server fills in (`k8s.io/api/core/v1`, PodSpec)."""


def is_workload(kind: str) -> bool:
    """Whether objects of this kind carry runs."""
    return kind in _KINDS


def lasts(kind: str) -> bool:
    """Whether it lives on under one name when its spec is edited."""
    return kind in _LASTING


def derive_seal(cluster: str, body: JsonObject) -> Seal | None:
    """What the object of a run tells by itself; None for one that is not of a job."""
    labels = metadata_of(body, "labels")
    if not {f"{_LABEL}team", f"{_LABEL}job"} <= labels.keys():
        return None
    text = canonical_json(body)
    attempt, directory = _ATTEMPT.search(text), _DIRECTORY.search(text)
    return Seal(
        team=str(labels[f"{_LABEL}team"]),
        job=str(labels[f"{_LABEL}job"]),
        cluster=cluster,
        run=body["metadata"]["name"],
        kind=body["kind"],
        attempt=int(attempt[1]) if attempt else 1,
        digest="",
        digest_version=0,
        lineage=directory[1] if directory else "",
        defaults="",
        files={},
    )


def grace_of(body: JsonObject) -> int:
    """The longest that a pod of it may take to end, in seconds; 0 where nothing is known of it."""
    return max(_find(body, "terminationGracePeriodSeconds"), default=DEFAULT_GRACE_SECONDS) if body else 0


def recreates(body: JsonObject) -> bool:
    """Whether a Ray cluster is made anew when it is changed (`upgradeStrategy`, KubeRay v1.6)."""
    return table(spec_of(body).get("upgradeStrategy")).get("type") == "Recreate"


def _find(value: Any, key: str) -> Iterator[int]:
    """Every number of that name in it."""
    if isinstance(value, dict):
        found = value.get(key)
        if isinstance(found, int):
            yield found
        for item in value.values():
            yield from _find(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _find(item, key)
