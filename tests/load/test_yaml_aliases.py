"""Anchors and aliases: repeated as copies, within bounds."""

from collections.abc import Callable
from pathlib import PurePosixPath

import pytest

from trainshed.load.yaml_tree import read_yaml
from trainshed.model.diagnostic import Findings

Spell = Callable[[Findings], list[str]]


FILE = PurePosixPath("a.yaml")


def test_alias_repeats_a_value_with_the_places_of_the_original() -> None:
    tree = read_yaml("a: &x {b: [1]}\nc: *x\n", FILE).value
    assert tree is not None
    assert tree.data == {"a": {"b": [1]}, "c": {"b": [1]}}
    assert str(tree.value_source(("c",))) == "a.yaml:2:4"
    assert str(tree.value_source(("c", "b", 0))) == "a.yaml:1:12"
    assert str(tree.key_source(("c", "b"))) == "a.yaml:1:8"


def test_repeated_values_are_copies() -> None:
    tree = read_yaml("a: &x {b: []}\nc: *x\n", FILE).value
    assert tree is not None
    assert tree.data["a"] is not tree.data["c"]
    assert tree.data["a"]["b"] is not tree.data["c"]["b"]


def test_later_anchor_of_a_name_wins() -> None:
    tree = read_yaml("a: &x 1\nb: *x\nc: &x 2\nd: *x\n&x e: *x\n", FILE).value
    assert tree is not None
    assert tree.data == {"a": 1, "b": 1, "c": 2, "d": 2, "e": "e"}


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, levels)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("a: &x [1, *x]\n", ['1:11+2 yaml-aliases: alias "*x" stands within "&x"']),
        ("a: &x 1\nb: &x {c: *x}\n", ['2:11+2 yaml-aliases: alias "*x" stands within "&x"']),
        ("a: *nope\n", ['1:4+5 yaml-aliases: alias "*nope" repeats nothing: there is no "&nope" above it']),
        ("a: &x 1\nb: [" + "*x, " * 65 + "]\n", ["2:261+2 yaml-aliases: more than 64 aliases in one file"]),
        (bomb(9), ["4:45+3 yaml-aliases: the aliases of this file repeat more than 10000 values"]),
    ],
)
def test_alias_beyond_bounds_is_refused(text: str, findings: list[str], spell: Spell) -> None:
    outcome = read_yaml(text, FILE)
    assert outcome.value is None
    assert spell(outcome.findings) == findings


def test_64_aliases_are_read() -> None:
    assert read_yaml("a: &x 1\nb: [" + "*x, " * 64 + "]\n", FILE).findings == ()


def test_aliases_cannot_build_depth(spell: Spell) -> None:
    nested = "[" * 30
    closed = "]" * 30
    text = f"a: &a {nested}{closed}\nb: &b {nested}*a{closed}\nc: {nested}*b{closed}\n"
    assert spell(read_yaml(text, FILE).findings) == [
        "3:34+2 yaml-depth: maps and lists are nested more than 64 deep"
    ]
