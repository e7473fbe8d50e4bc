"""A1 and A2: the recommender of the laptop really trains, and one process alone writes its model."""

from pathlib import Path

import joblib
from rehearsals import rehearse


def test_the_job_writes_ten_neighbours_of_each_book_to_its_claim(tmp_path: Path) -> None:
    done = rehearse(tmp_path, "item-knn", env=())
    assert done.code == 0, done.words
    assert done.pods == ["pod-0"]
    assert done.verdict["reason"] == "CompletionsReached"
    model = joblib.load(done.claim("models") / "model.joblib")
    assert model["books"].shape == model["similarities"].shape == (200, 10)


def test_of_two_pods_the_master_alone_writes_and_its_end_ends_the_worker(tmp_path: Path) -> None:
    done = rehearse(tmp_path, "item-knn-ddp", env=("OMP_NUM_THREADS=1",))
    assert done.code == 0, done.words
    assert done.pods == ["master-0", "worker-0"]
    assert done.verdict["message"] == "master-0 succeeded"
    assert "2 processes, 200 books" in done.log("master-0", "pytorch")
    assert "books" not in done.log("worker-0", "pytorch")
    assert joblib.load(done.claim("models") / "model.joblib")["books"].shape == (200, 10)
