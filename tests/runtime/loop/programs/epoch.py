"""Prints the shares of every batch of an epoch; the world changes after every second step."""

import itertools
import json
import sys

from trainshed_runtime import ElasticSampler

size, batch_size, worlds = json.loads(sys.argv[1])
state, batches = None, []
for world in itertools.cycle(worlds):
    samplers = [ElasticSampler(size, batch_size, rank=rank, world_size=world) for rank in range(world)]
    for sampler in samplers:
        if state is not None:
            sampler.load_state_dict(state)
    assert len({len(sampler) for sampler in samplers}) == 1
    steps = list(itertools.islice(zip(*samplers, strict=True), 2))
    batches += steps
    for _ in steps:
        samplers[0].advance()
    state = samplers[0].state_dict()
    if not steps:
        break
print(json.dumps(batches))
