"""What two rehearsals left, compared."""

import json
from pathlib import Path

from trainshed.model.verdict import EndState
from trainshed.rehearse.end_state import compare, digest_claims


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def marker(step: int, digest: str) -> str:
    files = {"state.pt": digest, "rank-00000.pt": f"random, not {step} as in any other run: {digest * step}"}
    return json.dumps(
        {"step": step, "files": {name: {"size": 3, "sha256": each} for name, each in files.items()}}
    )


UNDISTURBED = {
    "run/step-0000000010-000001-000001/COMPLETE.json": marker(10, "aa"),
    "run/step-0000000020-000001-000001/COMPLETE.json": marker(20, "bb"),
    "run/writers/000001-000001.json": "{}",
    "run/FINISHED.json": '{"writer": "000001-000001"}',
    "model.joblib": "model",
}


def test_the_newest_checkpoint_counts_and_who_wrote_it_does_not(tmp_path: Path) -> None:
    before = digest_claims({"checkpoints": write(tmp_path / "a", UNDISTURBED)})
    disturbed = {
        "run/step-0000000015-000001-000002/COMPLETE.json": marker(15, "zz"),
        "run/step-0000000020-000001-000002/COMPLETE.json": marker(20, "bb"),
        "run/step-0000000020-000001-000002/state.pt": "bbb",
        "run/writers/000001-000002.json": "{}",
        "run/FINISHED.json": '{"writer": "000001-000002"}',
        "model.joblib": "model",
    }
    assert compare(before, digest_claims({"checkpoints": write(tmp_path / "b", disturbed)})) == (
        EndState.SAME,
        (),
    )


def test_differences_are_named(tmp_path: Path) -> None:
    before = digest_claims({"checkpoints": write(tmp_path / "a", UNDISTURBED)})
    other = {
        "run/step-0000000020-000001-000002/COMPLETE.json": marker(20, "cc"),
        "metrics.csv": "1",
    }
    after = digest_claims({"checkpoints": write(tmp_path / "b", other)})
    assert compare(before, after) == (
        EndState.DIFFERENT,
        (
            "checkpoints/metrics.csv: not there undisturbed",
            "checkpoints/model.joblib: missing",
            "checkpoints/run/newest checkpoint/state.pt: differs",
        ),
    )


def test_claims_that_stay_empty_leave_nothing_to_compare(tmp_path: Path) -> None:
    assert compare(digest_claims({"data": tmp_path}), {}) == (EndState.NOTHING, ())


def test_a_marker_that_cannot_be_read_does_not_count(tmp_path: Path) -> None:
    files = {"step-2/COMPLETE.json": "{", "step-1/COMPLETE.json": marker(1, "aa")}
    assert digest_claims({"c": write(tmp_path, files)}) == {
        "c/newest checkpoint": "step 1",
        "c/newest checkpoint/state.pt": "aa",
    }


def test_the_books_of_the_runtime_do_not_count_beside_files_of_other_names(tmp_path: Path) -> None:
    files = {"run/booster.ubj": "trees", "run/FINISHED.json": "{}"}
    before = digest_claims({"c": write(tmp_path / "a", {**files, "run/writers/000001.json": "{}"})})
    after = digest_claims({"c": write(tmp_path / "b", {**files, "run/writers/000002.json": "{}"})})
    assert compare(before, after) == (EndState.SAME, ())
