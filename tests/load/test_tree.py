"""Places in a document, also of what nobody wrote."""

from pathlib import PurePosixPath

import pytest

from trainshed.load.yaml_tree import read_yaml
from trainshed.model.source import Source
from trainshed.model.tree import Mark, Path, Tree

FILE = PurePosixPath("a.yaml")
TEXT = "# top\nkind: Team\nnodes: {min: 2}\nlist:\n  - x\n"


@pytest.fixture(name="tree")
def read_tree() -> Tree:
    tree = read_yaml(TEXT, FILE).value
    assert tree is not None
    return tree


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        (("nodes", "min"), "3:14", "3:9"),
        (("nodes", "max"), "3:8", "3:1"),
        (("nodes", "max", 0, "deep"), "3:8", "3:1"),
        (("list", 0), "5:5", "5:5"),
        (("list", 0, "x"), "5:5", "5:5"),
        (("list", 7), "5:3", "4:1"),
        (("nothing", "there"), "2:1", "2:1"),
        ((), "2:1", "2:1"),
    ],
)
def test_what_is_not_written_stands_at_what_is_around_it(
    path: Path, value: str, key: str, tree: Tree
) -> None:
    assert (str(tree.value_source(path)), str(tree.key_source(path))) == (f"a.yaml:{value}", f"a.yaml:{key}")


def test_marks_are_a_mapping(tree: Tree) -> None:
    assert set(tree.marks) == {(), ("kind",), ("nodes",), ("nodes", "min"), ("list",), ("list", 0)}
    assert len(tree.marks) == 6
    assert tree.marks["kind",] == Mark(Source(FILE, 2, 1, 4), Source(FILE, 2, 7, 4))
    assert tree.marks["list", 0] == Mark(None, Source(FILE, 5, 5, 1))
    again = read_yaml(TEXT, FILE).value
    assert again == tree


@pytest.mark.parametrize(("text", "kind"), [("kind: Team", "Team"), ("kind: 1", None), ("a: 1", None)])
def test_kind_is_what_the_document_states(text: str, kind: str | None) -> None:
    tree = read_yaml(text, FILE).value
    assert tree is not None
    assert tree.kind == kind
