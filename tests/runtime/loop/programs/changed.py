"""A training script as people have it: DDP, a distributed sampler, a schedule. It knows nothing of any of this."""

import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from trainshed_runtime import Run


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    inputs = torch.randn(1200, 8)
    dataset = TensorDataset(inputs, inputs.sum(1, keepdim=True))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=10, sampler=sampler)
    model = DistributedDataParallel(
        nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1))
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    run = Run(model=model, optimizer=optimizer, scheduler=scheduler)
    for epoch in run.epochs(4):
        sampler.set_epoch(epoch)
        for x, y in run.batches(loader):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            run.step(loss=loss)
        scheduler.step()
        print(f"epoch {epoch} loss {loss.item():.6f}", flush=True)
    torch.save(model.module.state_dict(), os.path.join(sys.argv[1], f"model-{dist.get_rank()}.pt"))
    dist.destroy_process_group()


main()
