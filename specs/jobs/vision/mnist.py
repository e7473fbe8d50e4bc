"""Handwritten digits, or what passes for them: a small convolutional network on noisy templates, with DDP.

torchrun starts it; it runs on GPUs where there are any, else on CPUs.
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

NUM_IMAGES = 8_192
SIDE = 28


def make_digits(seed: int) -> TensorDataset:
    """Images (1, 28, 28) of ten fixed templates under noise, and which of the ten each one is."""
    random = torch.Generator().manual_seed(seed)
    templates = torch.rand(10, 1, SIDE, SIDE, generator=random)
    labels = torch.randint(10, (NUM_IMAGES,), generator=random)
    noise = torch.randn(NUM_IMAGES, 1, SIDE, SIDE, generator=random)
    return TensorDataset(templates[labels] + 0.5 * noise, labels)


def make_network() -> nn.Module:
    """Two convolutions and a classifier."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 7 * 7, 10),
    )


def mean_over_ranks(value: Tensor) -> float:
    """The mean of a number that every rank has."""
    total = value.detach().clone()
    dist.all_reduce(total)
    return total.item() / dist.get_world_size()


def train(epochs: int, device: torch.device) -> None:
    """Train on this rank's share of the images, and say after each epoch how it goes."""
    torch.manual_seed(0)
    network = DistributedDataParallel(make_network().to(device))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    images = make_digits(seed=1)
    sampler = DistributedSampler(images)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        loss = torch.zeros((), device=device)
        for pixels, labels in DataLoader(images, batch_size=128, sampler=sampler):
            loss = nn.functional.cross_entropy(network(pixels.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        mean = mean_over_ranks(loss)
        if dist.get_rank() == 0:
            print(f"epoch {epoch + 1}/{epochs}: loss {mean:.4f}")


def main() -> None:
    """Join the other ranks, train, leave."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=5)
    epochs = parser.parse_args().epochs
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    train(epochs, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
