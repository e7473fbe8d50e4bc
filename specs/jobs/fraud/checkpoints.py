"""Checkpoints as the spec asks for them: where, how often and how many comes in TRAINSHED_CHECKPOINT_*."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

_NUMBERS = ("EVERY_SECONDS", "KEEP_LAST", "KEEP_BEST")


@dataclass(frozen=True)
class Rules:
    """What the spec says under `checkpoint`. Zero: nothing said."""

    directory: Path
    every_seconds: int
    keep_last: int
    keep_best: int
    resume: bool


def read_rules(environment: Mapping[str, str]) -> Rules:
    """The rules of this run; without any, checkpoints lie below the working directory and all are kept."""
    number = {name: int(environment.get(f"TRAINSHED_CHECKPOINT_{name}", "0")) for name in _NUMBERS}
    return Rules(
        directory=Path(environment.get("TRAINSHED_CHECKPOINT_DIR", "checkpoints")),
        every_seconds=number["EVERY_SECONDS"],
        keep_last=number["KEEP_LAST"],
        keep_best=number["KEEP_BEST"],
        resume=environment.get("TRAINSHED_CHECKPOINT_RESUME", "auto") == "auto",
    )


def save(rules: Rules, step: int, loss: float, state: dict[str, Any]) -> Path:
    """Write a checkpoint, whole or not at all, and remove those that are neither among the last nor the best."""
    rules.directory.mkdir(parents=True, exist_ok=True)
    path = rules.directory / f"step-{step:010d}-loss-{loss:.6f}.pt"
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    for stale in set(_complete(rules)) - _kept(rules):
        stale.unlink()
    return path


def load_latest(rules: Rules) -> dict[str, Any] | None:
    """The newest complete checkpoint, or None where the run begins."""
    found = _complete(rules) if rules.resume else []
    return torch.load(found[-1], map_location="cpu", weights_only=True) if found else None


def _complete(rules: Rules) -> list[Path]:
    """Oldest first: steps are written with leading zeros."""
    return sorted(rules.directory.glob("step-*.pt"))


def _kept(rules: Rules) -> set[Path]:
    found = _complete(rules)
    best = sorted(found, key=lambda path: float(path.stem.rpartition("-")[2]))[: rules.keep_best]
    return {*(found[-rules.keep_last :] if rules.keep_last else found), *best}
