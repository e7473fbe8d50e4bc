"""What the engine writes as YAML, every reader takes for the same value."""

import json
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from trainshed.engine.client import Engine
from trainshed.engine.kustomize import build
from trainshed.engine.texts import emit

TRAPS = [
    *(
        "y",
        "n",
        "Yes",
        "NO",
        "on",
        "Off",
        "~",
        "null",
        "NULL",
        "true",
        "=",
        "<<",
        "-",
        "--",
        "---",
        "...",
        "|",
        ">",
    ),
    *(
        "1e3",
        "1.5e3",
        "0o14",
        "012",
        "1_000",
        "12:30:45",
        "190:20:30",
        "0x1f",
        "0b1",
        ".inf",
        "-.Inf",
        ".nan",
        "+1",
    ),
    *(
        "2026-01-31",
        "2026-01-31 10:00:00",
        "1.",
        ".5",
        "1E",
        "",
        " ",
        "\t",
        "\n",
        "a\n",
        "a\n\n",
        "\na",
        " a\nb",
    ),
    *(
        "a: b",
        "a:",
        ":a",
        "a #b",
        "#a",
        "- a",
        "? a",
        "@a",
        "`a`",
        "%a",
        "&a",
        "*a",
        "!a",
        "'a'",
        '"a"',
        "{a}",
        "[a",
    ),
    *(
        "a\tb",
        "\ta",
        "a\r\nb",
        "a\u0085b",
        "a\u2028b",
        "\u2029",
        "\ufeffa",
        "a\x00",
        "a\x1b",
        "\x7f",
        "é",
        "😀",
        "\ufffe",
    ),
    *(
        "trailing \nblank",
        "a\n  b\n\tc\n",
        "\n\n",
        "a\n \n",
        "if x:\n\n    y\n",
        "k: |\n  v\n",
        "a\\b",
        "'\"\\",
        "🙂\nb",
    ),
]
texts = st.one_of(st.sampled_from(TRAPS), st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
lines = st.lists(texts, max_size=4).map("\n".join)
numbers = st.one_of(st.integers(-(2**80), 2**80), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(st.none(), st.booleans(), numbers, texts, lines)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)
documents = st.one_of(st.dictionaries(texts, values, max_size=5), st.lists(values, max_size=5))


def read(text: str, version: tuple[int, int]) -> Any:
    reader = YAML(typ="safe", pure=True)
    reader.version = version
    return reader.load(StringIO(text))


def spelled(value: Any) -> str:
    """JSON that keeps True, 1 and 1.0 apart."""
    return json.dumps(value, sort_keys=True, allow_nan=False)


@pytest.mark.parametrize("version", [(1, 1), (1, 2)])
@settings(max_examples=400, deadline=None)
@given(document=documents)
def test_readers_of_both_versions_read_back_the_very_same_value(
    engine: Engine, version: tuple[int, int], document: Any
) -> None:
    (text,) = emit([document], engine=engine)
    assert spelled(read(text, version)) == spelled(document)


@settings(max_examples=200, deadline=None)
@given(document=documents.filter(lambda document: '"<<"' not in spelled(document)))
def test_kustomize_reads_back_the_very_same_value(engine: Engine, document: Any) -> None:
    # Kustomize takes a key that is written "<<" for a merge, quotes or no quotes; no Kubernetes kind has one.
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": document}
    (text,) = emit([thing], engine=engine)
    (built,) = build({"kustomization.yaml": "resources: [a.yaml]", "a.yaml": text}, engine=engine)
    assert spelled(built) == spelled(thing)


@pytest.mark.parametrize("version", [(1, 1), (1, 2)])
@pytest.mark.parametrize("trap", TRAPS)
def test_no_reader_takes_a_text_for_something_else(
    engine: Engine, version: tuple[int, int], trap: str
) -> None:
    document = {"text": trap, "texts": [trap, [trap]], trap: "key", "last": {"z": trap}}
    (text,) = emit([document], engine=engine)
    assert read(text, version) == document


@settings(max_examples=200, deadline=None)
@given(document=documents)
def test_a_text_ends_with_one_newline_and_never_changes(engine: Engine, document: Any) -> None:
    first, second = emit([document, json.loads(spelled(document))], engine=engine)
    assert first == second
    assert first.endswith("\n")
    assert not first.endswith("\n\n")
