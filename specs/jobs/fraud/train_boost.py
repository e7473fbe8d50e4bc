"""Boosted trees that say which payments are fraud, trained on all pods of an XGBoostJob, each on its part of the data.

    python train_boost.py

The first pod keeps the tracker, by which all of them meet, and saves the trees. Where a pod is lost all start again,
and go on from the last save. Needs no PyTorch: of trainshed_runtime it takes what has no use for it.
"""

import argparse
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import xgboost
from trainshed_runtime.checkpoints import Position, is_finished, mark_finished
from trainshed_runtime.contract import Contract
from trainshed_runtime.fence import Fence
from trainshed_runtime.progress import Progress
from trainshed_runtime.storage import Storage, open_storage
from xgboost import collective
from xgboost.core import XGBoostError
from xgboost.tracker import RabitTracker

T = TypeVar("T")
RANK, WORLD_SIZE = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
MASTER, PORT = os.environ.get("MASTER_ADDR", "127.0.0.1"), int(os.environ.get("MASTER_PORT", "9999"))
"""Which pod this is, and where the first one is: the operator says so. A single process on a laptop says nothing."""

BOOSTER, LARGEST = "booster.ubj", 4 << 30
PATIENCE = 300  # seconds
ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - the other pods must reach the tracker


def load_booster(storage: Storage) -> xgboost.Booster | None:
    """The trees that the first pod finds, on every pod; None where the run begins."""
    saved = storage.read(BOOSTER, LARGEST) if RANK == 0 and BOOSTER in storage.names() else b""
    saved = collective.broadcast(saved, 0)
    return xgboost.Booster(model_file=bytearray(saved)) if saved else None


def load_payments(data: Path) -> xgboost.DMatrix:
    """This pod's share of the files (`*.npz`: payments and labels), or of made-up payments where there are no files."""
    files = sorted(data.glob("*.npz"))
    if not files:
        return make_payments(seed=7)
    parts = [np.load(file) for file in files[RANK::WORLD_SIZE]]
    payments = np.concatenate([part["payments"] for part in parts])
    return xgboost.DMatrix(payments, np.concatenate([part["labels"] for part in parts]))


def make_payments(seed: int, num_payments: int = 4_000) -> xgboost.DMatrix:
    """This pod's share of made-up payments: fraud is what is large and far from home, and some of the rest."""
    random = np.random.default_rng(seed)
    payments = random.normal(size=(num_payments, 16))
    risk = 2 * payments[:, 0] * payments[:, 1] + payments[:, 2]
    labels = risk + random.normal(size=num_payments) > 1
    return xgboost.DMatrix(payments[RANK::WORLD_SIZE], labels[RANK::WORLD_SIZE])


def patiently(act: Callable[[], T], error: type[Exception]) -> T:
    """Do it as soon as it works: a pod's name resolves once the pod is up, its port is free a while after a restart."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return act()
        except error:
            if time.monotonic() > until:
                raise
            time.sleep(1)


def main() -> None:
    """Meet the other pods, train on from the last save, say that it is done."""
    parser = argparse.ArgumentParser(description="Train boosted trees on payments.")
    parser.add_argument("--data", type=Path, default=Path("/data"))
    parser.add_argument("--rounds", type=int, default=100)
    args = parser.parse_args()
    contract = Contract.read()
    storage = open_storage(contract.directory or "checkpoints")
    if is_finished(storage, contract):
        print("this run has finished already")
        return
    if RANK == 0:
        tracker = patiently(
            lambda: RabitTracker(n_workers=WORLD_SIZE, host_ip=ANY_ADDRESS, port=PORT, sortby="task"),
            XGBoostError,
        )
        tracker.start()
    patiently(lambda: socket.getaddrinfo(MASTER, PORT), socket.gaierror)
    place = {"dmlc_tracker_uri": MASTER, "dmlc_tracker_port": PORT, "dmlc_task_id": f"{RANK:05}"}
    collective.init(**place, dmlc_retry=16)  # waits 2 s more each time, some 4 minutes in all
    train(storage, contract, args)
    collective.finalize()  # not after an error: it would wait as long for a pod that is gone


def train(storage: Storage, contract: Contract, args: argparse.Namespace) -> None:
    """Add the rounds that are left. The first pod saves after every few: the whole file or none of it."""
    fence = Fence.claim(storage, contract) if RANK == 0 else None
    progress = Progress(contract.progress, RANK)
    payments = load_payments(args.data)
    booster = load_booster(storage) if contract.resume == "auto" else None
    done = booster.num_boosted_rounds() if booster else 0
    if done:
        progress.event("resumed", done, world=WORLD_SIZE)
    while done < args.rounds:
        losses: dict[str, Any] = {}
        booster = xgboost.train(
            {"objective": "binary:logistic", "max_depth": 4, "eta": 0.1},
            payments,
            min(contract.every_steps or 10, args.rounds - done),
            xgb_model=booster,
            evals=[(payments, "all")],
            evals_result=losses,
            verbose_eval=False,
        )
        done = booster.num_boosted_rounds()
        progress.note("training", done, 0)
        if fence:
            fence.check()  # somebody else may have started this run anew, and its trees are the ones that count
            started = time.monotonic()
            storage.publish(BOOSTER, bytes(booster.save_raw("ubj")))
            progress.event("saved", done, seconds=round(time.monotonic() - started, 6))
            print(f"round {done}/{args.rounds}: loss {losses['all']['logloss'][-1]:.4f}", flush=True)
    if fence:
        mark_finished(storage, Position(done), fence.writer, contract)


if __name__ == "__main__":
    main()
