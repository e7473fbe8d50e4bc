"""item_knn.py on several processes: each finds the neighbours of its part of the books, the first one writes."""

import numpy as np
import torch.distributed as dist
from item_knn import (
    MODEL,
    NUM_BOOKS,
    SEED,
    Neighbours,
    count_purchases,
    find_neighbours,
    make_orders,
    write_model,
)


def books_of(rank: int, world_size: int) -> range:
    """The books that a rank takes care of; together the ranks take each book once."""
    return range(NUM_BOOKS * rank // world_size, NUM_BOOKS * (rank + 1) // world_size)


def join(parts: list[Neighbours]) -> Neighbours:
    """The parts of all ranks as one model."""
    return Neighbours(
        np.concatenate([part.books for part in parts]), np.concatenate([part.similarities for part in parts])
    )


def main() -> None:
    """Train this rank's part; rank 0 gathers all of them and writes the model."""
    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    part = find_neighbours(count_purchases(make_orders(SEED)), books_of(rank, world_size))
    parts = [part] * world_size if rank == 0 else None
    dist.gather_object(part, parts)
    if parts is not None:
        write_model(join(parts), MODEL)
        print(f"{world_size} processes, {NUM_BOOKS} books: {MODEL}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
