"""Where another run or lineage keeps its checkpoints: `resume: <run or lineage>`. Needs no torch."""

from __future__ import annotations

import os

from trainshed_runtime.checkpoints import CheckpointError
from trainshed_runtime.contract import Contract
from trainshed_runtime.fence import newest_claim
from trainshed_runtime.storage import Storage, is_name, open_storage


def source(contract: Contract) -> Storage:
    """The storage of the run or lineage that the contract says to resume from; it lies beside the run's own.

    What the pods of a sweep append to the directory is appended here too.

    Raises:
        CheckpointError: there is no such lineage, and no lineage that such a run has saved to.

    """
    wanted = contract.resume_from or ""
    lineage, below = _split(contract)
    beside, _, _ = lineage.rpartition("/")
    neighbours = open_storage(beside).names()
    if is_name(wanted) and wanted in neighbours:
        return open_storage(f"{beside}/{wanted}{below}")
    for name in filter(is_name, neighbours):
        storage = open_storage(f"{beside}/{name}{below}")
        if any(_is_attempt(wanted, run) for run in newest_claim(storage).attempts):
            return storage
    raise CheckpointError(
        f"resume: {wanted}: {beside} holds no lineage of that name, and none that a run of that name has saved to; "
        f"it holds {', '.join(neighbours[:10]) or 'nothing'}"
    )


def _split(contract: Contract) -> tuple[str, str]:
    """The lineage's address, and what the pods of a schedule or a sweep append to it."""
    directory = contract.directory or ""
    lineage, below = directory.rstrip("/") if "://" in directory else os.path.abspath(directory), ""
    for part in (contract.sweep_index, contract.firing):
        if part is not None and lineage.endswith(f"/{part}"):
            lineage, below = lineage.removesuffix(f"/{part}"), f"/{part}{below}"
    return lineage, below


def _is_attempt(wanted: str, run: str) -> bool:
    """Whether a name is that of the run, or of a later attempt of it: `<run>-<attempt>`."""
    return bool(run) and (
        wanted == run or (wanted.startswith(f"{run}-") and wanted[len(run) + 1 :].isdigit())
    )
