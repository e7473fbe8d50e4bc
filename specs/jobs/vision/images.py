"""Says what is on an image: a residual network, on one GPU or many, on as many nodes as there are at the time.

    python images.py
    torchrun --standalone --nproc-per-node=2 images.py --depth=26

Without a data set it makes one up, and the network small: that takes seconds on a laptop. trainshed_runtime lets it go
on where it was: after a crash, after its node was taken away, with more nodes or fewer.
"""

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset
from trainshed_runtime import ElasticSampler, Run, init_process_group

Labelled = ConcatDataset[tuple[Tensor, ...]] | TensorDataset
"""Images (channels, height, width), each with the number of its class."""

MADE_UP = int(os.environ.get("MADE_UP_EXAMPLES", "512"))
"""How many images there are where there is no data set."""

BLOCKS = {14: (1, 1, 1, 1), 26: (2, 2, 2, 2), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3)}
"""How many blocks each of the four stages has, by the number of layers in all."""


class Bottleneck(nn.Module):
    """Adds to its input what three convolutions make of it; the middle one is narrow, and may halve the sides."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.change = nn.Sequential(
            *normed(channels, width, 1),
            nn.ReLU(),
            *normed(width, width, 3, stride),
            nn.ReLU(),
            *normed(width, 4 * width, 1),
        )
        same = stride == 1 and channels == 4 * width
        self.keep = nn.Identity() if same else nn.Sequential(*normed(channels, 4 * width, 1, stride))

    def forward(self, images: Tensor) -> Tensor:
        return torch.relu(self.keep(images) + self.change(images))


def normed(channels: int, width: int, size: int, stride: int = 1) -> tuple[nn.Module, nn.Module]:
    """A convolution, and the normalisation after it."""
    return nn.Conv2d(channels, width, size, stride, size // 2, bias=False), nn.BatchNorm2d(width)


def make_network(depth: int, width: int, num_classes: int) -> nn.Module:
    """A residual network: each of its four stages is twice as wide as the one before, and sees half as much."""
    layers: list[nn.Module] = [*normed(3, width, 3), nn.ReLU()]
    channels = width
    for stage, num_blocks in enumerate(BLOCKS[depth]):
        for block in range(num_blocks):
            stride = 2 if stage and not block else 1
            layers.append(Bottleneck(channels, width << stage, stride))
            channels = 4 * (width << stage)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, num_classes))


def load_images(files: list[Path]) -> Labelled:
    """The shards together: each holds `images`, 0 to 1, and `labels`, which are read from the disk when needed."""
    shards = [torch.load(file, mmap=True, weights_only=True) for file in files]
    return ConcatDataset([TensorDataset(shard["images"], shard["labels"]) for shard in shards])


def make_images(seed: int, num_classes: int, num_images: int = MADE_UP, side: int = 16) -> Labelled:
    """Made-up images, the same every time: one pattern for each class, under noise."""
    random = torch.Generator().manual_seed(seed)
    patterns = torch.rand(num_classes, 3, side, side, generator=random)
    labels = torch.randint(num_classes, (num_images,), generator=random)
    return TensorDataset(
        patterns[labels] + 0.3 * torch.randn(num_images, 3, side, side, generator=random), labels
    )


def train(images: Labelled, network: nn.Module, args: argparse.Namespace, device: torch.device) -> None:
    """Train for the epochs that are left, and say every ten steps how it goes."""
    sampler = ElasticSampler(len(images), args.batch_size)  # of all ranks together, however many there are
    optimizer = torch.optim.SGD(network.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs * len(sampler))
    parallel = DistributedDataParallel(network)
    with Run(model=network, optimizer=optimizer, scheduler=scheduler, sampler=sampler) as run:
        for epoch in run.epochs(args.epochs):
            for pixels, labels in DataLoader(images, batch_sampler=sampler, num_workers=args.loaders):
                loss = nn.functional.cross_entropy(parallel(pixels.to(device)), labels.to(device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
                run.step(loss=loss)
                if run.position.step % 10 == 0 and dist.get_rank() == 0:
                    print(f"step {run.position.step}, epoch {epoch}: loss {loss.item():.4f}", flush=True)


def main() -> None:
    """Join the other ranks, train, leave."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("/data"))
    parser.add_argument("--depth", type=int, choices=BLOCKS, default=14)
    parser.add_argument("--width", type=int, help="channels of the first stage: 64, or 8 for made-up images")
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=128, help="images in a step, on all ranks together")
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--loaders", type=int, default=0, help="processes that read ahead, on each rank")
    args = parser.parse_args()
    device = init_process_group()
    torch.manual_seed(0)
    files = sorted(args.data.glob("*.pt"))
    if not files and dist.get_rank() == 0:
        print(f"no images in {args.data}: made-up ones, and a small network")
    images = load_images(files) if files else make_images(seed=1, num_classes=args.classes)
    network = make_network(args.depth, args.width or (64 if files else 8), args.classes).to(device)
    train(images, network, args, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
