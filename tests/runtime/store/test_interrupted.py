"""A save that is cut off, at every class of moment: what was complete stays, what was not does not count."""

import random
import signal
import time
from pathlib import Path

import pytest
from runtime.store.processes import PROCESSES, run
from runtime.store.programs import loaded, save_for_ever, save_until_killed, saved
from trainshed_runtime.checkpoints import MARKER
from trainshed_runtime.contract import Contract

KILLED = -signal.SIGKILL
FOLDER = "step-0000000002-000001-000002"


def newest(directory: Path) -> int:
    return max((int(marker.parent.name[5:15]) for marker in directory.glob(f"step-*/{MARKER}")), default=0)


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """What a whole save writes, by file."""
    whole = tmp_path_factory.mktemp("whole")
    saved(Contract(directory=str(whole)), 1)
    return {file.name: file.stat().st_size for file in whole.glob("step-*/*")}


@pytest.mark.parametrize(
    "place",
    [
        "first byte",
        "in the file",
        "last byte",
        "first byte of the marker",
        "in the marker",
        "end of the marker",
    ],
)
def test_a_process_killed_while_it_writes_leaves_the_checkpoint_before(
    tmp_path: Path, sizes: dict[str, int], place: str
):
    state, marker = sizes["state.pt"], sizes[MARKER]
    written = {
        "first byte": 1,
        "in the file": state // 2,
        "last byte": state,
        "first byte of the marker": state + 1,
        "in the marker": state + marker // 2,
        "end of the marker": state + marker - 8,  # its duration may be some digits shorter
    }
    contract = Contract(directory=str(tmp_path))
    assert run(save_until_killed, contract, "bytes", written[place]) == KILLED
    assert (tmp_path / FOLDER).exists()
    assert not (tmp_path / FOLDER / MARKER).exists()
    assert loaded(contract) == 1


# os.replace names the marker, and nothing else. os.fsync: the folder's name, the state, the marker's temporary, the
# names in the folder; after the rename those names again.
@pytest.mark.parametrize(
    ("moment", "call", "step"),
    [
        ("fsync before", 1, 1),
        ("fsync after", 1, 1),
        ("fsync before", 2, 1),
        ("fsync after", 2, 1),
        ("fsync after", 3, 1),
        ("fsync after", 4, 1),
        ("replace before", 1, 1),
        ("replace after", 1, 2),
        ("fsync before", 5, 2),
        ("fsync after", 5, 2),
    ],
)
def test_the_rename_of_the_marker_is_what_completes_a_checkpoint(
    tmp_path: Path, moment: str, call: int, step: int
):
    contract = Contract(directory=str(tmp_path))
    assert run(save_until_killed, contract, moment, call) == KILLED
    assert loaded(contract) == step


def test_kills_at_random_moments_never_lose_a_complete_checkpoint_and_never_load_a_damaged_one(
    tmp_path: Path,
):
    contract = Contract(directory=str(tmp_path), keep_last=2)
    moments = random.Random(7)
    reached = 0
    for _ in range(25):
        process = PROCESSES.Process(target=save_for_ever, args=(contract,))
        process.start()
        enough = reached + moments.randint(1, 4)
        while newest(tmp_path) < enough and process.is_alive():
            time.sleep(0.001)
        time.sleep(0.03 * moments.random())  # somewhere in the next save
        process.kill()
        process.join()
        assert process.exitcode == KILLED  # no assertion of its own failed
        assert newest(tmp_path) >= enough
        reached = newest(tmp_path)
    assert loaded(contract) == reached


def test_the_next_writer_clears_away_what_a_killed_one_left(tmp_path: Path):
    contract = Contract(directory=str(tmp_path), keep_last=5)
    run(save_until_killed, contract, "bytes", 100)
    assert (tmp_path / FOLDER).exists()
    loaded(contract)
    assert (tmp_path / FOLDER).exists()  # to look at them removes nothing
    saved(contract, 2)
    assert sorted(folder.name for folder in tmp_path.glob("step-*")) == [
        "step-0000000001-000001-000001",
        "step-0000000002-000001-000004",
    ]
