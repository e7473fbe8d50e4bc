"""What makes a run the same run: the digest over a job's own words, and the lineage over what is trained."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from trainshed.model.manifest import canonical_json
from trainshed.model.pods import CodeFile
from trainshed.model.seal import DIGEST_VERSION

FOR_PEOPLE = frozenset({"description", "tags", "owner", "costCenter", "notify", "waive"})
"""Fields that change nothing about a run."""

NOT_IN_DIGEST = FOR_PEOPLE | {
    "apiVersion",
    "kind",
    "clusters",
    "environments",
    "attempt",
    "state",
    "whenEdited",
}
"""Fields left out of the digest: the attempt is appended to the name, a further cluster restarts nothing, a run that
is stopped and started again is the same run, and what the next edit does to it is no edit of it."""

TRAINED = frozenset(
    {"framework", "launcher", "image", "code", "parameters", "workingDir", "run", "env", "data"}
)
"""What is trained, as opposed to how: runs that agree on these share their checkpoints. Of variables only the job's
own count: a team that sets one more for NCCL or a tracker takes nobody's checkpoints away."""

POINTS = frozenset({"grid", "points"})
"""What of a sweep is trained; how many points run at once is not."""


def digest_job(own: Mapping[str, Any], code: Iterable[CodeFile]) -> str:
    """SHA-256 over the job's own words for one cluster, normalised, and the code files that they name.

    `own` is the validated dump of what the job itself wrote: no preset, no default, no spelling.
    """
    return _hash("run", {key: value for key, value in own.items() if key not in NOT_IN_DIGEST}, code)


def digest_lineage(merged: Mapping[str, Any], code: Iterable[CodeFile]) -> str:
    """SHA-256 over what is trained, with all defaults merged in: raise the memory and the run resumes."""
    words = {key: value for key, value in merged.items() if key in TRAINED and value is not None}
    sweep = {key: value for key, value in merged.get("sweep", {}).items() if key in POINTS}
    return _hash("lineage", words | ({"sweep": sweep} if sweep else {}), code)


def digest_words(merged: Mapping[str, Any]) -> str:
    """SHA-256 over everything that is said about a run, with all defaults merged in: it tells whether they changed."""
    return _hash("words", {key: value for key, value in merged.items() if key not in NOT_IN_DIGEST}, ())


def _hash(purpose: str, words: Mapping[str, Any], code: Iterable[CodeFile]) -> str:
    files = {file.mounted_as: hashlib.sha256(file.content).hexdigest() for file in code}
    document = {"version": DIGEST_VERSION, "purpose": purpose, "spec": _plain(words), "code": files}
    return hashlib.sha256(canonical_json(document).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Tuples as lists, so that the dump is JSON."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
