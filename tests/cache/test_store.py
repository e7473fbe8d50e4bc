"""What is kept is given back whole or not at all, and only to the user who kept it."""

import os
import sqlite3
from pathlib import Path

import pytest

from trainshed.cache import store
from trainshed.cache.store import open_store

ANSWER = "läßt\0".encode() + bytes(range(256))


@pytest.fixture
def caches(tmp_path: Path) -> Path:
    return tmp_path / "caches"


def keep(caches: Path, root: Path, **answers: bytes) -> None:
    with open_store(root, {"XDG_CACHE_HOME": str(caches)}) as opened:
        for question, answer in answers.items():
            opened.write(question, answer)


def recall(caches: Path, root: Path, question: str) -> bytes | None:
    with open_store(root, {"XDG_CACHE_HOME": str(caches)}) as opened:
        return opened.read(question)


def file_of(caches: Path) -> Path:
    (file,) = caches.rglob("*.sqlite")
    return file


def test_an_answer_comes_back_as_it_was(caches: Path, tmp_path: Path) -> None:
    keep(caches, tmp_path / "repository", one=ANSWER, two=b"")
    assert recall(caches, tmp_path / "repository", "one") == ANSWER
    assert recall(caches, tmp_path / "repository", "two") == b""
    assert recall(caches, tmp_path / "repository", "three") is None


def test_a_byte_that_is_damaged_loses_answers_and_never_changes_one(caches: Path, tmp_path: Path) -> None:
    keep(caches, tmp_path / "repository", one=ANSWER, two=b"two")
    whole = file_of(caches).read_bytes()
    lost = 0
    for index in range(0, len(whole), 61):
        file_of(caches).write_bytes(whole[:index] + bytes([whole[index] ^ 0x41]) + whole[index + 1 :])
        found = recall(caches, tmp_path / "repository", "one")
        assert found in (None, ANSWER), index
        lost += found is None
        keep(caches, tmp_path / "repository", three=b"three")
        keep(caches, tmp_path / "repository", three=b"three")
        assert recall(caches, tmp_path / "repository", "three") == b"three", index
        file_of(caches).unlink()
        keep(caches, tmp_path / "repository")
    assert lost


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100], ids=["empty", "text"])
def test_what_is_no_database_is_begun_anew(caches: Path, tmp_path: Path, content: bytes) -> None:
    keep(caches, tmp_path / "repository", one=ANSWER)
    file_of(caches).write_bytes(content)
    assert recall(caches, tmp_path / "repository", "one") is None
    keep(caches, tmp_path / "repository", one=ANSWER)
    assert recall(caches, tmp_path / "repository", "one") == ANSWER


def test_what_was_written_before_a_failure_or_is_taken_back_is_not_kept(caches: Path, tmp_path: Path) -> None:
    def fail() -> None:
        with open_store(tmp_path / "repository", {"XDG_CACHE_HOME": str(caches)}) as opened:
            opened.write("one", ANSWER)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    with open_store(tmp_path / "repository", {"XDG_CACHE_HOME": str(caches)}) as opened:
        opened.write("two", ANSWER)
        opened.forget()
    assert recall(caches, tmp_path / "repository", "one") is None
    assert recall(caches, tmp_path / "repository", "two") is None


def test_an_answer_to_another_question_is_none(caches: Path, tmp_path: Path) -> None:
    keep(caches, tmp_path / "repository", one=ANSWER)
    with sqlite3.connect(file_of(caches)) as database:
        database.execute("UPDATE kept SET question = 'other'")
    database.close()
    assert recall(caches, tmp_path / "repository", "other") is None


def test_only_its_user_can_look_into_it(caches: Path, tmp_path: Path) -> None:
    keep(caches, tmp_path / "repository", one=ANSWER)
    file = file_of(caches)
    assert [path.stat().st_mode & 0o777 for path in (file.parent, file)] == [0o700, 0o600]
    file.chmod(0o666)
    assert recall(caches, tmp_path / "repository", "one") is None
    file.chmod(0o600)
    file.parent.chmod(0o777)
    assert recall(caches, tmp_path / "repository", "one") is None


def test_a_link_in_its_place_is_not_followed(caches: Path, tmp_path: Path) -> None:
    keep(caches, tmp_path / "repository", one=ANSWER)
    file = file_of(caches)
    file.rename(tmp_path / "planted")
    file.symlink_to(tmp_path / "planted")
    assert recall(caches, tmp_path / "repository", "one") is None


def test_nothing_is_read_or_written_below_the_repository(tmp_path: Path) -> None:
    """A pull request could bring the answer along that it wishes for."""
    keep(tmp_path / "repository" / "caches", tmp_path / "elsewhere", one=ANSWER)
    assert recall(tmp_path / "repository" / "caches", tmp_path / "repository", "one") is None
    (tmp_path / "link").symlink_to(tmp_path / "repository" / "caches")
    assert recall(tmp_path / "link", tmp_path / "repository", "one") is None


def test_it_can_be_switched_off_and_a_place_that_is_no_path_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    off = {"TRAINSHED_CACHE": "off", "XDG_CACHE_HOME": str(tmp_path / "caches")}
    with open_store(tmp_path / "repository", off) as opened:
        opened.write("one", ANSWER)
        assert not opened.is_open
    with open_store(tmp_path / "repository", {"XDG_CACHE_HOME": "caches"}) as opened:
        opened.write("one", ANSWER)
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert file_of(tmp_path / "home" / ".cache").is_file()


def test_where_nothing_can_be_written_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "caches").write_text("a file")
    keep(tmp_path / "caches", tmp_path / "repository", one=ANSWER)
    assert recall(tmp_path / "caches", tmp_path / "repository", "one") is None


def test_the_older_half_goes_before_it_grows_too_large(
    caches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LIMIT_BYTES", 2**16)
    for number in range(20):
        keep(caches, tmp_path / "repository", **{f"q{number}": os.urandom(10_000)})
        assert file_of(caches).stat().st_size <= 2**16 + 2**14
    assert recall(caches, tmp_path / "repository", "q0") is None
    assert recall(caches, tmp_path / "repository", "q19") is not None
