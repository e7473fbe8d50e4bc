"""Indexes as Kubernetes writes them."""


def parse_indexes(text: str) -> set[int]:
    """`0,2-4` is 0, 2, 3 and 4 (batch/v1, `successPolicy.rules[].succeededIndexes`)."""
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found
