"""Text that is no YAML: the place and the words of the finding."""

from collections.abc import Callable
from pathlib import PurePosixPath

import pytest

from trainshed.load.yaml_tree import read_yaml
from trainshed.model.diagnostic import Findings

Spell = Callable[[Findings], list[str]]


FILE = PurePosixPath("a.yaml")
TAB = "yaml-tab: a tab stands where spaces must indent"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("a:\n\tb: 1\n", f"2:1+1 {TAB}"),
        ("a:\n  \tb: 1\n", f"2:3+1 {TAB}"),
        ("a:\n  - b\n\t- c\n", f"3:1+1 {TAB}"),
        ("-\ta: b\n", f"1:2+1 {TAB}"),
        ("a: x\n\ty\n", f"2:1+1 {TAB}"),
        ("a: |\n \tx\n", f"2:2+1 {TAB}"),
        ("a: b: c\n", "1:5+1 yaml-syntax: a colon stands where no field can begin"),
        ("a: x\n  b: 1\n", "2:4+1 yaml-syntax: a colon stands where no field can begin"),
        ("a: 1\nword\nb: 1\n", "2:1+1 yaml-syntax: a line stands alone, without a colon"),
        ("a:\n  b: 1\n c: 2\n", "3:2+1 yaml-syntax: this does not line up with what stands above"),
        ("a: 'it's'\n", "1:8+1 yaml-syntax: this follows a value that is already complete"),
        ("- a\nb: c\n", "2:1+1 yaml-syntax: the list above goes on with something that is no item"),
        ("a: [1, 2\nb: 3\n", "1:4+1 yaml-syntax: this list is not closed, or lacks a comma"),
        ("a: {b: 1\nc: 2\n", "1:4+1 yaml-syntax: this map is not closed, or lacks a comma"),
        ("a:\n  - [b, {", "2:9+1 yaml-syntax: this bracket is not closed"),
        ("a: [b, , c]\n", "1:8+1 yaml-syntax: a value or item is missing here"),
        ("a: [b:c]\n", "1:6+1 yaml-syntax: a colon stands in the middle of a value"),
        ("a: 'x\nb: 1\n", "1:4+1 yaml-syntax: this quote is not closed"),
        ('a: "x\n---\nb', "1:4+1 yaml-syntax: this quote is not closed"),
        ('a: "\\q"\n', "1:5+1 yaml-syntax: this is no escape that YAML knows"),
        ('a: "\\xz"\n', "1:7+1 yaml-syntax: this escape lacks its hexadecimal digits"),
        ('a: "\\ud800"\n', "1:7+1 yaml-syntax: this escape stands for no character"),
        ("a: - b\n", "1:4+1 yaml-syntax: a list cannot begin here"),
        ("a: ? b\n", '1:4+1 yaml-syntax: a "?" cannot begin a value'),
        ("a: | b\n", '1:6+1 yaml-syntax: text stands behind "|" or ">"'),
        ("a: |0\n b\n", '1:5+1 yaml-syntax: "|0" is no indentation'),
        ("cron: * * * * *\n", '1:7+1 yaml-syntax: a value cannot begin with a bare "*" or "&"'),
        ("a: @b\n", '1:4+1 yaml-syntax: "@" cannot begin a value'),
        ("{a: b} c\n", "1:8+1 yaml-syntax: this belongs to nothing above"),
        ("%FOO\na: 1\n", '1:5+1 yaml-syntax: a line that begins with "%" is not read'),
        ("%YAML 2.0\n---\na: 1\n", '1:1+1 yaml-syntax: a line that begins with "%" is not read'),
        ("a: !<x\n", "1:4+1 yaml-tag: this is no YAML tag"),
        ("a: !x!y z\n", "1:4+1 yaml-tag: this is no YAML tag"),
    ],
)
def test_fault_is_told_in_plain_words(text: str, finding: str, spell: Spell) -> None:
    outcome = read_yaml(text, FILE)
    assert outcome.value is None
    assert spell(outcome.findings) == [finding]
    assert outcome.findings[0].detail


def test_unclosed_list_tells_where_reading_stopped() -> None:
    (finding,) = read_yaml("a: [1, 2\nb: 3\n", FILE).findings
    assert [(str(related.source), related.text) for related in finding.related] == [
        ("a.yaml:2:2", "reading stopped here")
    ]


@pytest.mark.parametrize(
    "text", ["a: {\n\tb: c}\n", "a:\tb\n", "a: b\t# c\n", "a: 'x\n\ty'\n", "a: |\n  x\ty\n"]
)
def test_tab_that_does_not_indent_is_fine(text: str) -> None:
    assert read_yaml(text, FILE).findings == ()
