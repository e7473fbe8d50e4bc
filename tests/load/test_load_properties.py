"""Whatever the bytes: findings or a value, never a traceback, and every place lies within the file."""

import json
from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from trainshed.load.encoding import decode_text
from trainshed.load.shape import read_shape
from trainshed.load.yaml_tree import read_yaml
from trainshed.model.diagnostic import Findings
from trainshed.model.source import Source
from trainshed.model.spec import KINDS

FILE = PurePosixPath("a.yaml")

WORDS_LIKE_YAML = (
    *"abk01:-?[]{},#&*!|>'\"%@`~.\\\t\né𝄞\u2028",
    *("\n  ", "\n    ", "\r\n", "  ", ": ", "- ", "? ", "<<: ", "---", "...", "\n---\n", "%YAML 1.2\n---\n"),
    *("&a ", "*a", "&b ", "*b", "!!str ", "!x ", "null", "1.5", ".inf", "a: 1\n", '"a": ', "\nrun:\n  "),
)
YAML_LIKE = st.lists(st.sampled_from(WORDS_LIKE_YAML), max_size=40).map("".join)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff\u2028\u2029")
    ),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc<", max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


def assert_within(source: Source, text: str) -> None:
    lines = text.split("\n")
    assert 1 <= source.line <= len(lines)
    assert 1 <= source.column <= len(lines[source.line - 1]) + 1
    assert 1 <= source.width <= max(1, len(lines[source.line - 1]) - source.column + 1)


def assert_findings_within(findings: Findings, text: str) -> None:
    for finding in findings:
        assert finding.summary
        assert "\n" not in finding.summary
        for source in (finding.source, *(related.source for related in finding.related)):
            assert_within(source, text)


def assert_reads(text: str) -> None:
    outcome = read_yaml(text, FILE)
    assert outcome.value is not None or outcome.findings
    assert_findings_within(outcome.findings, text)
    if outcome.value is not None:
        for mark in outcome.value.marks.values():
            assert_within(mark.value, text)
            assert mark.key is None or mark.key.path == FILE


@given(st.binary())
def test_any_bytes_are_text_or_a_finding(content: bytes) -> None:
    outcome = decode_text(content, FILE)
    assert (outcome.value is None) == bool(outcome.findings)
    assert_findings_within(outcome.findings, content.decode("utf-8", errors="surrogateescape"))


@given(st.text(st.characters()))
def test_any_text_gives_a_value_or_findings(text: str) -> None:
    assert_reads(text)


@given(YAML_LIKE)
def test_anything_like_yaml_gives_a_value_or_findings(text: str) -> None:
    assert_reads(text)


@given(st.dictionaries(st.text("abc<-", min_size=1), JSON, min_size=1))
def test_json_is_read_as_json(document: dict[str, object]) -> None:
    text = json.dumps(document, ensure_ascii=False)
    tree = read_yaml(text, FILE).value
    assert tree is not None
    assert json.dumps(tree.data) == json.dumps(document)


FIELDS = sorted(
    {field.alias or name for model in KINDS.values() for name, field in model.model_fields.items()}
)
VALUES = st.sampled_from(
    ["1", "'1'", "x", "yes", "{}", "[]", "[x]", "{a: 1}", "{min: 1, max: x}", "{x: {y: 1}}", ""]
)


@given(st.sampled_from(sorted(KINDS)), st.dictionaries(st.sampled_from(FIELDS), VALUES, min_size=1))
def test_any_spec_gives_its_type_or_findings_within_the_file(kind: str, fields: dict[str, str]) -> None:
    text = "".join(f"{field}: {value}\n" for field, value in fields.items())
    tree = read_yaml(text, FILE).value
    assert tree is not None
    outcome = read_shape(tree, KINDS[kind], {})
    assert (outcome.value is None) == bool(outcome.findings)
    assert_findings_within(outcome.findings, text)
    assert not [finding for finding in outcome.findings if "Input should" in finding.summary]
