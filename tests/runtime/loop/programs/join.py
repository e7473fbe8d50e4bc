"""Meets the other ranks, waiting for a second and a half."""

import os

import torch
import torch.distributed as dist
from trainshed_runtime import init_process_group

device = init_process_group(connect_seconds=1.5)
together = torch.ones(1, device=device)
dist.all_reduce(together)
print(f"met {int(together)} ranks over {os.environ.get('GLOO_SOCKET_IFNAME')}", flush=True)
