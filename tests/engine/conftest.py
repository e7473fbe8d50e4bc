"""One engine for the whole run; tests that end theirs start their own."""

from collections.abc import Iterator

import pytest

from trainshed.engine.client import Engine


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running
