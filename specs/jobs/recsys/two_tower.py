"""Which items a user will like: a tower for users and one for items, trained by Ray Train on all workers it gets.

    python two_tower.py --epochs=3 --out=/tmp/two-tower

Without data it makes some up. A worker that is lost costs an epoch or two, and so does the loss of the whole
cluster: the next one goes on from the newest checkpoint on the claim.
"""

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any

import ray
import torch
from ray import train
from ray.train.torch import TorchTrainer, get_device, prepare_data_loader, prepare_model
from torch import Tensor, nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

NUM_USERS, NUM_ITEMS, NUM_GENRES = 800, 200, 8
STATE = "state.pt"


class TwoTower(nn.Module):
    """Users (batch) and the items they took (batch) to how well each of them fits each item (batch, batch)."""

    def __init__(self, size: int = 32) -> None:
        super().__init__()
        self.users = nn.Embedding(NUM_USERS, size)
        self.items = nn.Embedding(NUM_ITEMS, size)

    def forward(self, users: Tensor, items: Tensor) -> Tensor:
        return nn.functional.normalize(self.users(users)) @ nn.functional.normalize(self.items(items)).T / 0.1


def load_interactions(data: Path) -> TensorDataset:
    """All of the files (`*.pt`: users and items), or made-up ones where there are none."""
    files = [torch.load(path, weights_only=True) for path in sorted(data.glob("*.pt"))]
    if not files:
        return make_interactions(seed=42)
    return TensorDataset(*(torch.cat([file[part] for file in files]) for part in ("users", "items")))


def make_interactions(seed: int, count: int = 4_096) -> TensorDataset:
    """Made-up interactions, the same every time: users keep to items of their own genre, mostly."""
    random = torch.Generator().manual_seed(seed)
    users = torch.randint(NUM_USERS, (count,), generator=random)
    items = (
        torch.randint(NUM_ITEMS // NUM_GENRES, (count,), generator=random) * NUM_GENRES + users % NUM_GENRES
    )
    strays = torch.rand(count, generator=random) < 0.1
    return TensorDataset(
        users, torch.where(strays, torch.randint(NUM_ITEMS, (count,), generator=random), items)
    )


def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    loader: DataLoader[tuple[Tensor, ...]],
    device: torch.device,
) -> float:
    """Train on everything once: of the items in a batch, each user shall fit his own best. Returns the mean loss."""
    losses = []
    for users, items in loader:
        logits = model(users.to(device), items.to(device))
        loss = nn.functional.cross_entropy(logits, torch.arange(len(users), device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


def train_worker(config: dict[str, Any]) -> None:
    """What each worker does: go on from the newest checkpoint, and report one after each epoch."""
    torch.manual_seed(0)
    context, device = train.get_context(), get_device()
    model = TwoTower()
    optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
    first_epoch = 0
    checkpoint = train.get_checkpoint()
    if checkpoint is not None:
        with checkpoint.as_directory() as folder:
            state = torch.load(Path(folder, STATE), map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first_epoch = state["epoch"]
    parallel = prepare_model(model)
    share = config["batch_size"] // context.get_world_size()  # a batch is as large on one worker as on four
    interactions = load_interactions(Path(config["data"]))
    loader = prepare_data_loader(DataLoader(interactions, batch_size=share, shuffle=True))
    for epoch in range(first_epoch, config["epochs"]):
        if isinstance(loader.sampler, DistributedSampler):
            loader.sampler.set_epoch(epoch)
        loss = train_epoch(parallel, optimizer, loader, device)
        metrics = {"epoch": epoch + 1, "loss": loss, "workers": context.get_world_size()}
        if context.get_world_rank() != 0:
            train.report(metrics)
            continue
        done = f"step {(epoch + 1) * len(loader)}, epoch {epoch + 1}/{config['epochs']}"
        print(f"{done}: loss {loss:.4f}, {metrics['workers']} workers", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1}
            torch.save(state, Path(folder, STATE))
            train.report(metrics, checkpoint=train.Checkpoint.from_directory(folder))


def has_gpus() -> bool:
    """Whether the GPUs that Ray hands out are there: a rehearsal may be on a machine without."""
    on_paper = ray.cluster_resources().get("GPU", 0) > 0
    return on_paper and ray.get(ray.remote(num_gpus=1)(torch.cuda.is_available).remote())


def main() -> None:
    """Train on the Ray cluster that there is, or on one of this machine's own; the last checkpoint is the model."""
    parser = argparse.ArgumentParser(description="Train a two-tower model by Ray Train.")
    parser.add_argument("--data", type=Path, default=Path("/data"))
    parser.add_argument("--out", type=Path, default=Path("/models/two-tower"))
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--min-workers", type=int, default=1)
    parser.add_argument("--max-workers", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=256, help="of all workers together")
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()
    ray.init()
    least, most = args.min_workers, args.max_workers
    workers = (
        most if least == most else (least, most)
    )  # of a range Ray Train takes as many as there are at the time
    trainer = TorchTrainer(
        train_worker,
        train_loop_config={**vars(args), "data": str(args.data)},
        scaling_config=train.ScalingConfig(num_workers=workers, use_gpu=has_gpus()),
        run_config=train.RunConfig(
            name="train",  # of the folder below: whoever finds a run in there goes on with it
            storage_path=os.environ.get("TRAINSHED_CHECKPOINT_DIR", str(args.out.resolve())),
            failure_config=train.FailureConfig(max_failures=3),
            checkpoint_config=train.CheckpointConfig(num_to_keep=3),
        ),
    )
    trained = trainer.fit().checkpoint
    if trained is None:
        raise SystemExit("there was no epoch to train")
    trained.to_directory(args.out)
    print(f"trained: {args.out / STATE}")


if __name__ == "__main__":
    main()
