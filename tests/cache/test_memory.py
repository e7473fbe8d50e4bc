"""Values of stages come back as they were made, and only to those who ask for exactly them."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import pytest

from trainshed.cache.memory import Memory
from trainshed.cache.store import open_store
from trainshed.model.provenance import Sources
from trainshed.model.source import Source
from trainshed.model.tree import Mark, Marks, Tree

PATH = PurePosixPath("specs/jobs/vision/resnet.yaml")
TREE = Tree({"name": "resnet"}, Marks(PATH, {("name",): ((1, 1, 4), (1, 7, 6)), (): (None, (1, 1, 1))}))
SAID = Sources(Source(PATH), {("gpus",): Source(PATH, 4, 7)}, {("gpus",): "the job"}, {("gpus",): 8})


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Only:
    value: object


@dataclass(frozen=True, slots=True)
class Pool:
    name: str
    labels: MappingProxyType[str, str]


@dataclass(frozen=True, slots=True)
class Job:
    pools: tuple[Pool, ...]
    colour: Colour
    only: Only


H100 = Pool("h100", MappingProxyType({"gpu": "h100"}))


@pytest.fixture
def asked() -> list[str]:
    return []


def remember(
    caches: Path, asked: list[str], *questions: str, around: tuple[object, ...] = (), program: str = "one"
):
    """The jobs that the questions name, each made of the first thing around."""

    def make(new: list[int]) -> Iterator[Job]:
        for index in new:
            asked.append(questions[index])
            yield Job(
                (around[0] if around else H100, Pool(questions[index], H100.labels)), Colour.RED, Only(TREE)
            )

    with open_store(caches / "repository", {"XDG_CACHE_HOME": str(caches)}) as store:
        return Memory(store, program)("job", [(question,) for question in questions], make, around)


def test_a_value_is_made_once_and_comes_back_as_it_was(tmp_path: Path, asked: list[str]) -> None:
    made = remember(tmp_path, asked, "a", "b")
    kept = remember(tmp_path, asked, "c", "b", "a")
    assert asked == ["a", "b", "c"]
    assert kept[2].pools == made[0].pools and kept[1].pools == made[1].pools
    assert kept[2].colour is Colour.RED
    with pytest.raises(TypeError):
        kept[2].pools[0].labels["gpu"] = "none"  # as frozen as it was


def test_another_program_asks_anew(tmp_path: Path, asked: list[str]) -> None:
    remember(tmp_path, asked, "a")
    remember(tmp_path, asked, "a", program="two")
    assert asked == ["a", "a"]


def test_words_that_move_from_one_part_of_a_question_to_the_next_are_another(tmp_path: Path) -> None:
    with open_store(tmp_path / "repository", {"XDG_CACHE_HOME": str(tmp_path)}) as store:
        memory = Memory(store, "one")
        assert memory("text", [("ab", "c"), ("a", "bc"), ("abc",), (b"ab", "c")], lambda new: new) == [
            0,
            1,
            2,
            3,
        ]
        assert memory("text", [("a", "bc")], lambda _: [9]) == [1]
        assert memory("word", [("a", "bc")], lambda _: [9]) == [9]


def test_what_stands_around_is_what_stands_around_now(tmp_path: Path, asked: list[str]) -> None:
    remember(tmp_path, asked, "a", around=(H100,))
    today = Pool("h100 of today", MappingProxyType({}))
    (kept,) = remember(tmp_path, asked, "a", around=(today,))
    assert asked == ["a"]
    assert kept.pools[0] is today
    assert kept.pools[1] == Pool("a", H100.labels)


def test_places_of_words_are_found_when_somebody_asks_and_can_be_kept_again(tmp_path: Path) -> None:
    with open_store(tmp_path / "repository", {"XDG_CACHE_HOME": str(tmp_path)}) as store:
        memory = Memory(store, "one")
        memory("first", [()], lambda _: [(TREE, SAID)])
        (once,) = memory("first", [()], lambda _: [])
        memory("second", [()], lambda _: [once])
        ((tree, said),) = memory("second", [()], lambda _: [])
    assert tree.data == TREE.data
    assert dict(tree.marks) == dict(TREE.marks)
    assert tree.marks["name",] == Mark(Source(PATH, 1, 1, 4), Source(PATH, 1, 7, 6))
    assert tree.value_source(("name", "nowhere")) == Source(PATH, 1, 7, 6)
    assert (said.find("gpus"), said.has("gpus"), said.has("nodes")) == (Source(PATH, 4, 7), True, False)
    assert (dict(said.layers), dict(said.values)) == (dict(SAID.layers), dict(SAID.values))


def test_without_a_store_everything_is_made_each_time(tmp_path: Path, asked: list[str]) -> None:
    (tmp_path / "trainshed").write_text("a file where the folder belongs")
    remember(tmp_path, asked, "a")
    remember(tmp_path, asked, "a")
    assert asked == ["a", "a"]
