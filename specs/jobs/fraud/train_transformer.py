"""A transformer that reads a card's last payments and says whether the next one is fraud.

    python train_transformer.py
    torchrun --standalone --nproc-per-node=2 train_transformer.py --epochs=20

Without data it makes cards up. trainshed_runtime lets it go on where it was, be its nodes more or fewer than before.
"""

import argparse
import os
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import yaml
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from trainshed_runtime import ElasticSampler, Run, init_process_group

NUM_PAYMENTS = 8
NUM_FEATURES = 16
MADE_UP = int(os.environ.get("MADE_UP_EXAMPLES", "2048"))  # cards, where there is no data


class FraudTransformer(nn.Module):
    """Payments (cards, 8, 16) to a logit for each card."""

    def __init__(self, width: int = 32, depth: int = 2) -> None:
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
    if not found or until is None or not days:
        return found
    first = until - timedelta(days=days)
    wanted = [file for file in found if first <= date.fromisoformat(file.stem) < until]
    if not wanted:
        raise SystemExit(f"{data} has no payments from {first} until {until}")
    return wanted


def load_payments(files: list[Path]) -> TensorDataset:
    """Payments and labels of all the files."""
    parts = [torch.load(file, map_location="cpu", weights_only=True) for file in files]
    return TensorDataset(
        torch.cat([part["payments"] for part in parts]), torch.cat([part["labels"] for part in parts])
    )


def make_payments(seed: int, num_cards: int = MADE_UP) -> TensorDataset:
    """Made-up cards, the same every time: one in four is stolen, which shows in its last payments."""
    random = torch.Generator().manual_seed(seed)
    payments = torch.randn(num_cards, NUM_PAYMENTS, NUM_FEATURES, generator=random)
    labels = (torch.rand(num_cards, generator=random) < 0.25).float()
    payments[:, -4:, 0] += 2 * labels[:, None]
    return TensorDataset(payments, labels)


def train(payments: TensorDataset, args: argparse.Namespace, device: torch.device) -> None:
    """Train for the epochs that are left, and say every ten steps how it goes."""
    model = FraudTransformer().to(device)
    sampler = ElasticSampler(len(payments), args.batch_size)  # of all ranks together, however many there are
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    parallel = DistributedDataParallel(model)
    with Run(model=model, optimizer=optimizer, sampler=sampler) as run:
        for epoch in run.epochs(args.epochs):
            for batch, labels in DataLoader(payments, batch_sampler=sampler):
                logits = parallel(batch.to(device))
                loss = nn.functional.binary_cross_entropy_with_logits(logits, labels.to(device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                run.step(loss=loss)
                if run.position.step % 10 == 0 and dist.get_rank() == 0:
                    print(f"step {run.position.step}, epoch {epoch}: loss {loss.item():.4f}", flush=True)


def main() -> None:
    """Join the other ranks, read the data, train, leave."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("/data"))
    parser.add_argument("--days", type=int, default=0, help="only the last days before the schedule fired")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=256, help="cards in a step, on all ranks together")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.set_defaults(**read_parameters(os.environ))
    args = parser.parse_args()
    firing = os.environ.get("TRAINSHED_FIRING")
    files = select_days(args.data, args.days, firing_day(firing) if firing else None)
    device = init_process_group()
    torch.manual_seed(0)
    if not files and dist.get_rank() == 0:
        print(f"no payments in {args.data}: made-up ones")
    train(load_payments(files) if files else make_payments(seed=7), args, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
