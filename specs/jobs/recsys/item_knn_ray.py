"""item_knn.py on a Ray cluster: each task finds the neighbours of some books, the driver on the head writes."""

import numpy as np
import ray
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

BOOKS_PER_TASK = 50


def main() -> None:
    """Train in tasks, gather them in order, write the model."""
    ray.init()
    purchases = ray.put(count_purchases(make_orders(SEED)))
    find = ray.remote(find_neighbours)
    starts = range(0, NUM_BOOKS, BOOKS_PER_TASK)
    parts = ray.get([find.remote(purchases, range(start, start + BOOKS_PER_TASK)) for start in starts])
    model = Neighbours(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    write_model(model, MODEL)
    print(f"{len(parts)} tasks, {NUM_BOOKS} books: {MODEL}")


if __name__ == "__main__":
    main()
