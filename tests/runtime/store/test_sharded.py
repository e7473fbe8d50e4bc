"""Models in pieces, and whole ones on several ranks: saved by some number of ranks, loaded by another."""

from pathlib import Path

import pytest
import torch
from runtime.store.processes import train
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
from trainshed_runtime.checkpointer import Checkpointer
from trainshed_runtime.checkpoints import CheckpointError, Position
from trainshed_runtime.contract import Contract


@pytest.mark.parametrize(
    ("kind", "saving", "loading"),
    [
        ("fsdp", 2, [2, 4, 1]),
        ("fsdp", 4, [2]),
        ("ddp", 2, [3, 1]),
        ("ddp", 1, [2]),
        ("whole", 2, [2, 3, 1]),
    ],
)
def test_another_number_of_ranks_loads_equal_tensors(
    tmp_path: Path, kind: str, saving: int, loading: list[int]
):
    contract = Contract(directory=str(tmp_path / "lineage"))
    _, trained, epoch, _ = train(kind, contract, saving, "save", tmp_path / "meeting")
    assert any("exp_avg_sq" in name for name in trained)
    for number in loading:
        position, loaded, resumed_epoch, own = train(
            kind, contract, number, "load", tmp_path / f"meeting-{number}"
        )
        assert position == Position(3, 1)
        assert loaded == trained
        assert (resumed_epoch, own) == (epoch, 0)


@pytest.mark.parametrize("kind", ["fsdp", "ddp", "whole"])
def test_training_may_go_on_on_all_ranks_while_a_checkpoint_is_written(tmp_path: Path, kind: str):
    contract = Contract(directory=str(tmp_path / "lineage"), in_background=True)
    _, trained, *_ = train(kind, contract, 2, "save", tmp_path / "meeting")
    _, loaded, *_ = train(kind, contract, 2, "load", tmp_path / "meeting-again")
    assert loaded == trained


def test_the_files_are_those_of_torch_distributed_checkpoint(tmp_path: Path):
    contract = Contract(directory=str(tmp_path / "lineage"))
    _, trained, *_ = train("fsdp", contract, 2, "save", tmp_path / "meeting")
    dcp_to_torch_save(next((tmp_path / "lineage").glob("step-*")), tmp_path / "whole.pt")
    whole = torch.load(tmp_path / "whole.pt")
    for name, value in whole["model"].items():
        assert value.tolist() == trained[f"model.{name}"]


def test_a_checkpoint_in_pieces_is_not_loaded_as_a_whole_one(tmp_path: Path):
    model, contract = torch.nn.Linear(2, 2), Contract(directory=str(tmp_path))
    Checkpointer({"model": model}, contract, sharded=True).save(Position(1))
    with pytest.raises(CheckpointError, match="holds its tensors in pieces, this run wants them whole"):
        Checkpointer({"model": model}, contract).load()


def test_an_optimizer_of_no_module_cannot_be_saved_in_pieces(tmp_path: Path):
    optimizer = torch.optim.SGD(torch.nn.Linear(2, 2).parameters(), momentum=0.9)
    checkpointer = Checkpointer({"optimizer": optimizer}, Contract(directory=str(tmp_path)), sharded=True)
    with pytest.raises(
        CheckpointError, match="'optimizer' trains parameters that no one module among the parts holds"
    ):
        checkpointer.save(Position(1))
