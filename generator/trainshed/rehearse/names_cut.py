"""Names of pods that a smaller workload does not have any more, where commands wait for them or list them."""

import re
from collections.abc import Iterator

from trainshed.model.manifest import JsonObject
from trainshed.rehearse.tree import maps_in


def leave_out_names(body: JsonObject, role: str, count: int) -> Iterator[str]:
    """Take `<workload>-<role>-<index>` from `count` on out of commands: whole words, or parts of a list with commas."""
    stem = re.escape(f"{body['metadata'].get('name')}-{role.lower()}-")
    pod = re.compile(rf"{stem}(\d+)(?=[.:]|$)")

    def is_left(name: str) -> bool:
        found = pod.match(name)
        return not found or int(found[1]) < count

    gone: set[str] = set()
    for each in maps_in(body):
        for field in ("command", "args"):
            words = each.get(field)
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                continue
            listed = [(word.split(","), list(filter(is_left, word.split(",")))) for word in words]
            gone |= {name for names, left in listed for name in names if name not in left}
            each[field] = [",".join(left) for _, left in listed if left]
    if gone:
        yield f"{', '.join(sorted(gone))}: left out of commands"
