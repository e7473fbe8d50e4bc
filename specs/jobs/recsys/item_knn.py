"""Books that are bought together: the nearest neighbours of every book, by cosine similarity over customers.

The shop's data is made up, the same every time, so that the model is as well.
"""

import os
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
from scipy.sparse import csr_matrix, diags

NUM_CUSTOMERS = 800
NUM_BOOKS = 200
NUM_ORDERS = 5_000
NUM_NEIGHBOURS = 10
SEED = 42
MODEL = Path(os.environ.get("MODEL_DIR", "/models")) / "model.joblib"


class Orders(NamedTuple):
    """One order at each index: who bought what."""

    customers: np.ndarray
    books: np.ndarray


class Neighbours(NamedTuple):
    """A row for each book: its neighbours, the nearest first, and how near they are (0 to 1)."""

    books: np.ndarray
    similarities: np.ndarray


def make_orders(seed: int) -> Orders:
    """Orders of a shop in which few books sell much, and customers keep to one of eight genres, mostly."""
    random = np.random.default_rng(seed)
    genre_of_book = np.arange(NUM_BOOKS) % 8
    genre_of_customer = random.integers(8, size=NUM_CUSTOMERS)
    popularity = 1 / np.arange(1, NUM_BOOKS + 1) ** 0.7
    customers = random.integers(NUM_CUSTOMERS, size=NUM_ORDERS)
    books = np.empty(NUM_ORDERS, dtype=np.int64)
    for genre in range(8):
        theirs = genre_of_customer[customers] == genre
        liking = popularity * np.where(genre_of_book == genre, 10, 1)
        books[theirs] = random.choice(NUM_BOOKS, size=theirs.sum(), p=liking / liking.sum())
    return Orders(customers, books)


def count_purchases(orders: Orders) -> csr_matrix:
    """Customers by books: how often each bought each."""
    ones = np.ones(len(orders.books))
    return csr_matrix((ones, (orders.customers, orders.books)), shape=(NUM_CUSTOMERS, NUM_BOOKS))


def find_neighbours(purchases: csr_matrix, books: range, count: int = NUM_NEIGHBOURS) -> Neighbours:
    """The books most alike to each of `books`, never the book itself; equals in the order of their numbers."""
    lengths = np.sqrt(purchases.multiply(purchases).sum(axis=0)).A1
    unit = purchases @ diags(1 / np.maximum(lengths, 1e-12))
    similarities = (unit.T[books.start : books.stop] @ unit).toarray()
    similarities[np.arange(len(books)), np.arange(books.start, books.stop)] = -1
    nearest = np.argsort(-similarities, axis=1, kind="stable")[:, :count]
    return Neighbours(nearest, np.take_along_axis(similarities, nearest, axis=1))


def write_model(neighbours: Neighbours, path: Path) -> None:
    """Write the whole model or none of it: readers see the last model until the new one is complete."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        joblib.dump(neighbours._asdict(), file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def main() -> None:
    """Train on the whole catalogue and write the model."""
    purchases = count_purchases(make_orders(SEED))
    neighbours = find_neighbours(purchases, range(NUM_BOOKS))
    write_model(neighbours, MODEL)
    print(f"{NUM_BOOKS} books, {purchases.nnz} pairs bought, {NUM_NEIGHBOURS} neighbours each: {MODEL}")


if __name__ == "__main__":
    main()
