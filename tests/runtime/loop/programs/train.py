"""A small training with all that has a state: dropout, momentum, a schedule, shuffled data, augmentation.

Records every step that each rank makes, and at the end a digest of all state.
"""

import hashlib
import json
import os
import random
import resource
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from trainshed_runtime import ElasticSampler, Run, init_process_group

EPOCHS = int(os.environ.get("EPOCHS", "2"))
SAMPLES = int(os.environ.get("SAMPLES", "50"))
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0"))
FAIL_AT = int(os.environ.get("FAIL_AT", "0"))
HANG_AT = int(os.environ.get("HANG_AT", "0"))
FULL_AT = json.loads(os.environ.get("FULL_AT", "[]"))
FULL_FILE_BYTES = 6000
ITSELF = "ITSELF" in os.environ  # the loader is iterated, without the run
ACCUMULATE = int(os.environ.get("ACCUMULATE", "1"))  # batches to a step
WORKERS = os.environ.get("WORKERS")  # a loader of the program's own, with so many of them
RECORD = Path(os.environ["RECORD"])


class Noisy(Dataset):
    """Samples that differ each time that they are looked at."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        return torch.full((4,), index / SAMPLES) + 0.1 * torch.randn(4) + 0.1 * random.random(), index


class SlowToSave(nn.Linear):
    """A layer whose state takes a while to take."""

    def state_dict(self, *args, **kwargs):
        time.sleep(float(os.environ.get("SAVE_SECONDS", "0")))
        return super().state_dict(*args, **kwargs)


def digest(value):
    """The same for the same values, to the last bit."""
    if isinstance(value, torch.Tensor):
        return hashlib.sha256(
            value.detach().cpu().reshape(-1).view(torch.uint8).numpy(force=True).tobytes()
        ).hexdigest()
    if isinstance(value, dict):
        return {str(key): digest(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [digest(one) for one in value]
    return repr(value)


def limit_files(size):
    """Have writes fail beyond this size, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def main():
    device = init_process_group(connect_seconds=60)
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(7)
    random.seed(7 + rank)
    net = nn.Sequential(SlowToSave(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1)).to(device)
    model = DistributedDataParallel(net)
    torch.manual_seed(7 + rank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 40)
    sampler, loader = None, DataLoader(Noisy(), batch_size=8, shuffle=True, num_workers=int(WORKERS or 0))
    if WORKERS is None:
        sampler = ElasticSampler(SAMPLES, 8, seed=3)
        loader = DataLoader(Noisy(), batch_sampler=sampler)
    life = [f"{os.getpid()}"]
    dist.broadcast_object_list(life)
    journal = os.open(RECORD / f"steps-{rank}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    with Run(**parts, sampler=sampler) as run:
        for epoch in run.epochs(EPOCHS):
            for number, (values, indices) in enumerate(loader if ITSELF else run.batches(loader), 1):
                step = run.position.step + 1
                if step == FAIL_AT:
                    sys.exit(3)
                while step == HANG_AT:
                    time.sleep(1)
                loss = model(values.to(device)).square().mean()
                loss.backward()
                seen = {"life": life[0], "at": time.time(), "step": step, "epoch": epoch, "world": world}
                os.write(journal, (json.dumps({**seen, "indices": indices.tolist()}) + "\n").encode())
                if number % ACCUMULATE:
                    continue
                optimizer.step()
                optimizer.zero_grad()
                scheduler.step()
                time.sleep(STEP_SECONDS)
                limit_files(FULL_FILE_BYTES if step in FULL_AT else resource.RLIM_INFINITY)
                run.step(loss=loss, **({"batches": ACCUMULATE} if ITSELF else {}))
    state = {name: digest(part.state_dict()) for name, part in parts.items()}
    state |= {
        "sampler": sampler and sampler.state_dict(),
        "torch": digest(torch.get_rng_state()),
        "python": random.random(),
    }
    (RECORD / f"end-{rank}.json").write_text(json.dumps(state, indent=1, sort_keys=True))


main()
