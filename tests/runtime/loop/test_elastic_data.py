"""An epoch is seen once, whoever trains on it."""

import json
import subprocess
from itertools import chain

import pytest
from runtime.loop.pods import HERE, Cluster


@pytest.mark.parametrize(
    ("size", "batch_size", "worlds"),
    [
        (48, 8, [1]),
        (50, 8, [2]),
        (50, 8, [4]),
        (33, 8, [2, 1, 2]),
        (41, 8, [1, 4, 2, 3]),
        (7, 8, [2]),
        (9, 8, [8]),
        (100, 3, [3, 1, 2]),
    ],
)
def test_no_sample_is_skipped_or_seen_twice_whatever_worlds_an_epoch_has(
    cluster: Cluster, size: int, batch_size: int, worlds: list[int]
) -> None:
    seen = trained(cluster, size, batch_size, worlds)
    assert sorted(index for batch in seen for share in batch for index in share) == list(range(size))


def test_a_global_batch_holds_the_same_samples_on_one_rank_and_on_four(cluster: Cluster) -> None:
    alone, shared = trained(cluster, 64, 8, [1]), trained(cluster, 64, 8, [4])
    assert [sorted(chain(*batch)) for batch in alone] == [sorted(chain(*batch)) for batch in shared]
    assert {len(share) for batch in shared for share in batch} == {2}


def trained(cluster: Cluster, size: int, batch_size: int, worlds: list[int]) -> list[list[list[int]]]:
    """The shares of every batch of an epoch whose world changes after every second step."""
    asked = json.dumps([size, batch_size, worlds])
    program = [*cluster.python, str(HERE / "programs" / "epoch.py"), asked]
    return json.loads(subprocess.check_output(program))
