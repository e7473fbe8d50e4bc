"""A2 and A3: the recommender on two pods and on Ray. What it finds is in tests/scenarios/test_item_knn.py."""

from pathlib import Path

import pytest
from examples.processes import ranks, start


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What one process finds."""
    folder = tmp_path_factory.mktemp("alone")
    script = start("recsys/item_knn.py", folder=folder, MODEL_DIR=str(folder))
    assert script.leaves() == 0, script.output()
    return (folder / "model.joblib").read_bytes()


def test_two_pods_find_the_same_and_one_of_them_writes(tmp_path: Path, model: bytes) -> None:
    pods = [
        start(
            "recsys/item_knn_ddp.py",
            folder=tmp_path / rank["RANK"],
            MODEL_DIR=str(tmp_path / rank["RANK"]),
            **rank,
        )
        for rank in ranks(2)
    ]
    assert [pod.leaves() for pod in pods] == [0, 0], pods[0].output() + pods[1].output()
    assert (tmp_path / "0/model.joblib").read_bytes() == model
    assert not (tmp_path / "1/model.joblib").exists()


def test_tasks_of_ray_find_the_same(tmp_path: Path, model: bytes, ray_cluster: dict[str, str]) -> None:
    script = start("recsys/item_knn_ray.py", folder=tmp_path, MODEL_DIR=str(tmp_path), **ray_cluster)
    assert script.leaves() == 0, script.output()
    assert (tmp_path / "model.joblib").read_bytes() == model
