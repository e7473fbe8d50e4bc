"""YAML to data with places, and the findings that leave the document readable."""

from collections.abc import Callable
from pathlib import PurePosixPath

import pytest

from trainshed.load.yaml_tree import read_yaml
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Findings
from trainshed.model.tree import Path, Tree

Spell = Callable[[Findings], list[str]]


FILE = PurePosixPath("specs/jobs/a.yaml")
SPEC = """\
# a comment
name: fraud
nodes: {min: 2, "m\u00e4x": 'four'}
run:
  args: [--epochs=50,
    "b"]
  script: |-
    line
  text: one
    two
data:
- a
-
empty:
"""


def read(text: str) -> Tree:
    outcome = read_yaml(text, FILE)
    assert outcome.value is not None, outcome.findings
    assert outcome.findings == ()
    return outcome.value


def test_data_is_plain() -> None:
    assert read(SPEC).data == {
        "name": "fraud",
        "nodes": {"min": 2, "m\u00e4x": "four"},
        "run": {"args": ["--epochs=50", "b"], "script": "line", "text": "one two"},
        "data": ["a", None],
        "empty": None,
    }


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        ((), None, (2, 1, 4)),
        (("name",), (2, 1, 4), (2, 7, 5)),
        (("nodes",), (3, 1, 5), (3, 8, 23)),
        (("nodes", "min"), (3, 9, 3), (3, 14, 1)),
        (("nodes", "m\u00e4x"), (3, 17, 5), (3, 24, 6)),
        (("run",), (4, 1, 3), (5, 3, 4)),
        (("run", "args"), (5, 3, 4), (5, 9, 13)),
        (("run", "args", 0), None, (5, 10, 11)),
        (("run", "args", 1), None, (6, 5, 3)),
        (("run", "script"), (7, 3, 6), (7, 11, 2)),
        (("run", "text"), (9, 3, 4), (9, 9, 3)),
        (("data",), (11, 1, 4), (12, 1, 1)),
        (("data", 0), None, (12, 3, 1)),
        (("data", 1), None, (13, 2, 1)),
        (("empty",), (14, 1, 5), (14, 1, 5)),
    ],
)
def test_every_key_and_value_has_its_place(
    path: Path, key: tuple[int, int, int] | None, value: tuple[int, int, int]
) -> None:
    mark = read(SPEC).marks[path]
    assert (mark.value.line, mark.value.column, mark.value.width) == value
    assert (mark.key and (mark.key.line, mark.key.column, mark.key.width)) == key
    assert mark.value.path == FILE


def test_no_value_is_without_a_mark() -> None:
    assert len(read(SPEC).marks) == 15


def test_carriage_returns_do_not_move_columns() -> None:
    tree = read("a: 1\r\nbc: de\r\nf: x\r\n  y\r\n")
    assert str(tree.value_source(("bc",))) == "specs/jobs/a.yaml:2:5"
    assert tree.value_source(("f",)).width == 1


def test_place_of_an_anchored_or_tagged_value_is_the_value() -> None:
    tree = read("a: &x !!str 12\nb: &y\n  c: 1\nd: &z [1]\ne: &t foo\n")
    assert tree.data == {"a": "12", "b": {"c": 1}, "d": [1], "e": "foo"}
    places = [
        (source.line, source.column, source.width)
        for source in map(tree.value_source, [(k,) for k in "abde"])
    ]
    assert places == [(1, 13, 2), (3, 3, 1), (4, 7, 3), (5, 7, 3)]


def test_words_of_yaml_1_1_are_text() -> None:
    assert read("on: yes\noff: 1_000\nat: 12:30\n").data == {"on": "yes", "off": "1_000", "at": "12:30"}


def test_quotes_make_text() -> None:
    assert read("a: \"12\"\nb: 'null'\n'<<': '~'\n").data == {"a": "12", "b": "null", "<<": "~"}


def test_duplicate_key_names_the_first_place_and_keeps_the_first_value(spell: Spell) -> None:
    outcome = read_yaml("a: {x: 1}\nb: 1\n'a': {y: 2}\n", FILE)
    assert spell(outcome.findings) == ['3:1+3 duplicate-key: "a" is written twice']
    (first,) = outcome.findings[0].related
    assert (str(first.source), first.text) == ("specs/jobs/a.yaml:1:1", "first written here")
    assert outcome.value is not None
    assert outcome.value.data == {"a": {"x": 1}, "b": 1}
    assert str(outcome.value.value_source(("a",))) == "specs/jobs/a.yaml:1:4"


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("", ["1:1+1 empty-file: this file holds no spec"]),
        ("# only a comment\n", ["1:1+1 empty-file: this file holds no spec"]),
        ("---\n", ["1:1+1 empty-file: this file holds no spec"]),
        ("~\n", ["1:1+1 empty-file: this file holds no spec"]),
        ("- a\n", ["1:1+1 wrong-type: expected a map of fields, found a list"]),
        ("hello\n", ['1:1+5 wrong-type: expected a map of fields, found text "hello"']),
        ("a: 1\n---\nb: 1\n", ["2:1+3 yaml-documents: a second document begins here"]),
        ("%YAML 1.1\n---\na: 1\n", ["1:1+1 yaml-syntax: only YAML 1.2 is read"]),
        ("a:\n  12: x\n", ["2:3+2 yaml-key: this key is the number 12, not text"]),
        ("true: x\n", ["1:1+4 yaml-key: this key is true, not text"]),
        ("null: x\n", ["1:1+4 yaml-key: this key is nothing, not text"]),
        ("? [a]\n: x\n", ["1:3+1 yaml-key: a map, list or alias cannot be a key"]),
        ("a: &k b\n*k : x\n", ["2:1+2 yaml-key: a map, list or alias cannot be a key"]),
        ("a:\n  <<: {b: 1}\n", ['2:3+2 yaml-merge: merge key "<<" is not read']),
        ("a: !!python/name:os.system x\n", ['1:4+23 yaml-tag: tag "!!python/name:os.system" is not read']),
        ("a: &x !foo [1]\n", ['1:7+4 yaml-tag: tag "!foo" is not read']),
        ("a: ! 12\n", ['1:4+1 yaml-tag: tag "!" is not read']),
        ("!!int a: 1\n", ['1:1+5 yaml-tag: tag "!!int" is not read']),
        ("a: .inf\n", ['1:4+4 yaml-number: ".inf" is no number that every reader can hold']),
        ("a: 'x\u202ey'\n", ["1:6+1 yaml-character: U+202E cannot be seen: right-to-left override"]),
        ("a: 1\nb: \x07\n", ["2:4+1 yaml-character: U+0007 cannot be seen: a control character"]),
        ("a: 1\rb: 2\n", ["1:5+1 yaml-character: U+000D cannot be seen: a control character"]),
        ("a: 1\n\ufeffb: 2\n", ["2:1+1 yaml-character: U+FEFF cannot be seen: zero width no-break space"]),
        ("a: \ud800\n", ["1:4+1 yaml-character: U+D800 cannot be seen: a control character"]),
    ],
)
def test_finding_stands_at_the_word(text: str, findings: list[str], spell: Spell) -> None:
    assert spell(read_yaml(text, FILE).findings) == findings


def test_findings_of_one_file_come_together(spell: Spell) -> None:
    text = "1: a\n<<: b\nc: !x 1\nc: 2\nd: .nan\ne: *e\nf: [\n"
    assert spell(read_yaml(text, FILE).findings) == [
        "1:1+1 yaml-key: this key is the number 1, not text",
        '2:1+2 yaml-merge: merge key "<<" is not read',
        '3:4+2 yaml-tag: tag "!x" is not read',
        '4:1+1 duplicate-key: "c" is written twice',
        '5:4+4 yaml-number: ".nan" is no number that every reader can hold',
        '6:4+2 yaml-aliases: alias "*e" repeats nothing: there is no "&e" above it',
        "7:4+1 yaml-syntax: this bracket is not closed",
    ]


@pytest.mark.parametrize("text", ["1: a\nb: 2\n", "a: .nan\n", "a: *x\n", "<<: {a: 1}\nb: 2\n"])
def test_document_with_a_hole_gives_no_value(text: str) -> None:
    assert read_yaml(text, FILE).value is None


def test_depth_of_64_is_read() -> None:
    assert read_yaml("a: " + "[" * 63 + "]" * 63, FILE).findings == ()


@pytest.mark.parametrize("opening", ["[", "[\n", "{a: ", "- ", "? "])
def test_deep_nesting_ends_at_the_bound(opening: str) -> None:
    codes = {finding.code for finding in read_yaml(opening * 100_000, FILE).findings}
    assert Code.YAML_DEPTH in codes
    assert codes <= {Code.YAML_DEPTH, Code.YAML_KEY}


def test_long_value_is_refused_at_its_place(spell: Spell) -> None:
    assert read_yaml(f"a: {'x' * 65_536}\n", FILE).findings == ()
    findings = read_yaml(f"a: {'x' * 65_537}\n", FILE).findings
    assert spell(findings) == ["1:4+65537 yaml-length: this value has 65537 characters, more than 65536"]


def test_large_flat_map_is_read() -> None:
    tree = read("".join(f"k{number}: {number}\n" for number in range(200_000)))
    assert len(tree.data) == 200_000
    assert tree.key_source(("k199999",)).line == 200_000
