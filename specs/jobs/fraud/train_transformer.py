"""A transformer that reads a card's last payments and says whether the next one is fraud.

torchrun starts it, on one node or many, with GPUs or without. It goes on from its newest checkpoint, and saves one
before it leaves when its node is taken away.
"""

import argparse
import os
import signal
import time
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import yaml
from checkpoints import load_latest, read_rules, save
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

NUM_PAYMENTS = 32
NUM_FEATURES = 16
LEFT_BY_SIGNAL = 128 + signal.SIGTERM
"""Not 0: the run is not finished, and whoever watches over it starts it again."""


class FraudTransformer(nn.Module):
    """Payments (cards, 32, 16) to a logit for each card."""

    def __init__(self, width: int = 64, depth: int = 2) -> None:
        super().__init__()
        self.embed = nn.Linear(NUM_FEATURES, width)
        self.place = nn.Parameter(torch.zeros(NUM_PAYMENTS, width))
        layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=4 * width, batch_first=True)
        self.encode = nn.TransformerEncoder(layer, depth)
        self.judge = nn.Linear(width, 1)

    def forward(self, payments: Tensor) -> Tensor:
        """A logit for each card: above 0 is fraud."""
        return self.judge(self.encode(self.embed(payments) + self.place)[:, -1]).squeeze(-1)


def firing_day(name: str) -> date:
    """The day that a schedule's firing was due; a CronJob ends its Jobs' names with that time, in minutes."""
    minutes = int(name.rpartition("-")[2])
    return datetime.fromtimestamp(60 * minutes, UTC).date()


def read_parameters(environment: Mapping[str, str]) -> dict[str, Any]:
    """The values of this point of a sweep, or none; an argument on the command line wins over them."""
    path = environment.get("TRAINSHED_PARAMETERS")
    return yaml.safe_load(Path(path).read_text("utf-8")) if path else {}


def select_days(data: Path, days: int, until: date | None) -> list[Path]:
    """The files of the data (one a day, `2026-01-31.pt`): all, or those of the days before `until`."""
    found = sorted(data.glob("????-??-??.pt"))
    if until is None or not days:
        return found
    return [file for file in found if until - timedelta(days=days) <= date.fromisoformat(file.stem) < until]


def load_payments(files: list[Path]) -> TensorDataset:
    """Payments and labels of all the files; made-up cards where there are none."""
    if not files:
        return make_payments(seed=7)
    parts = [torch.load(file, map_location="cpu", weights_only=True) for file in files]
    return TensorDataset(
        torch.cat([part["payments"] for part in parts]), torch.cat([part["labels"] for part in parts])
    )


def make_payments(seed: int, num_cards: int = 4_096) -> TensorDataset:
    """Made-up cards: one in four is stolen, which shows in its last payments."""
    random = torch.Generator().manual_seed(seed)
    payments = torch.randn(num_cards, NUM_PAYMENTS, NUM_FEATURES, generator=random)
    labels = (torch.rand(num_cards, generator=random) < 0.25).float()
    payments[:, -4:, 0] += 2 * labels[:, None]
    return TensorDataset(payments, labels)


class StopSignal:
    """Whether any rank was told to stop; every rank has to ask, at the same step."""

    def __init__(self) -> None:
        self.here = False
        signal.signal(signal.SIGTERM, self._note)

    def _note(self, *_: object) -> None:
        self.here = True

    def anywhere(self, device: torch.device) -> bool:
        """The same answer on all ranks."""
        told = torch.tensor(float(self.here), device=device)
        dist.all_reduce(told, dist.ReduceOp.MAX)
        return bool(told)


def train(payments: TensorDataset, epochs: int, batch_size: int, lr: float, device: torch.device) -> None:
    """Train from the newest checkpoint on; rank 0 saves in time, at the end, and when the run has to stop."""
    torch.manual_seed(0)
    rules, stop = read_rules(os.environ), StopSignal()
    model = DistributedDataParallel(FraudTransformer().to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    step, first_epoch, saved_at = 0, 0, time.monotonic()
    state = load_latest(rules)
    if state is not None:
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step, first_epoch = state["step"], state["epoch"]

    def keep(epoch: int, loss: float) -> None:
        if dist.get_rank() == 0:
            words = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
            path = save(rules, step, loss, {**words, "step": step, "epoch": epoch})
            print(f"epoch {epoch}/{epochs}, loss {loss:.4f}: {path}", flush=True)

    sampler = DistributedSampler(payments)
    for epoch in range(first_epoch, epochs):
        sampler.set_epoch(epoch)
        loss = torch.zeros(())
        for batch, labels in DataLoader(payments, batch_size=batch_size, sampler=sampler):
            logits = model(batch.to(device))
            loss = nn.functional.binary_cross_entropy_with_logits(logits, labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if stop.anywhere(device):
                keep(epoch, loss.item())
                raise SystemExit(LEFT_BY_SIGNAL)
            if rules.every_seconds and time.monotonic() - saved_at > rules.every_seconds:
                keep(epoch, loss.item())
                saved_at = time.monotonic()
        keep(epoch + 1, loss.item())


def main() -> None:
    """Join the other ranks, read the data, train, leave."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("/data"))
    parser.add_argument("--days", type=int, default=0, help="only the last days before the schedule fired")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.set_defaults(**read_parameters(os.environ))
    args = parser.parse_args()
    firing = os.environ.get("TRAINSHED_FIRING")
    files = select_days(args.data, args.days, firing_day(firing) if firing else None)
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    train(load_payments(files), args.epochs, args.batch_size, args.lr, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
