"""A1: the recommender really trains, and trains the same model every time."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np

FOLDER = Path(__file__).parents[2] / "specs/jobs/recsys"


def train(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=FOLDER,
        env={**os.environ, "MODEL_DIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )


def test_model_holds_ten_neighbours_for_each_of_200_books(tmp_path: Path) -> None:
    done = train(tmp_path, "item_knn.py")
    assert (done.returncode, done.stderr) == (0, "")
    model = joblib.load(tmp_path / "model.joblib")
    assert model["books"].shape == model["similarities"].shape == (200, 10)
    assert not (model["books"] == np.arange(200)[:, None]).any(), "a book is not its own neighbour"
    assert (np.diff(model["similarities"]) <= 0).all(), "the nearest come first"
    assert model["similarities"].min() > 0
    assert model["similarities"].max() <= 1


def test_books_of_one_genre_are_neighbours(tmp_path: Path) -> None:
    train(tmp_path, "item_knn.py")
    books = joblib.load(tmp_path / "model.joblib")["books"]
    of_same_genre = books % 8 == np.arange(200)[:, None] % 8
    assert of_same_genre.mean() > 0.5, "by chance it would be one in eight"


def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
        train(folder, "item_knn.py")
    digests = {hashlib.sha256((folder / "model.joblib").read_bytes()).hexdigest() for folder in folders}
    assert len(digests) == 1


def test_nothing_but_the_model_is_left_behind(tmp_path: Path) -> None:
    train(tmp_path, "item_knn.py")
    train(tmp_path, "item_knn.py")
    assert [path.name for path in tmp_path.iterdir()] == ["model.joblib"]


def test_failed_write_leaves_the_last_model(tmp_path: Path) -> None:
    (tmp_path / "model.joblib").write_text("the last model")
    broken = "import item_knn; item_knn.write_model(item_knn.Neighbours(lambda: 0, 0), item_knn.MODEL)"
    done = train(tmp_path, "-c", broken)
    assert done.returncode != 0
    assert (tmp_path / "model.joblib").read_text() == "the last model"


def test_neighbours_found_in_parts_are_those_found_at_once(tmp_path: Path) -> None:
    code = """
import numpy as np
from item_knn import SEED, count_purchases, find_neighbours, make_orders
purchases = count_purchases(make_orders(SEED))
whole = find_neighbours(purchases, range(200))
parts = [find_neighbours(purchases, range(start, start + 50)) for start in range(0, 200, 50)]
for column in range(2):
    assert (np.concatenate([part[column] for part in parts]) == whole[column]).all()
"""
    done = train(tmp_path, "-c", code)
    assert (done.returncode, done.stderr) == (0, "")
