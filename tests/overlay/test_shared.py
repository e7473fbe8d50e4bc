"""What documents share, and what must be added to get each of them back."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainshed.model.manifest import JsonObject, canonical_json
from trainshed.overlay.shared import differences, shared_part

scalars = st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "1", "true", "~", "/"])
keys = st.sampled_from(["a", "b", "c", "d/e", "f~g", "~1", ""])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)
documents = st.dictionaries(keys, values, max_size=4)


@st.composite
def relatives(draw: st.DrawFn) -> list[JsonObject]:
    """Documents that are variations of one, as those of several clusters are."""
    first = draw(documents)
    return [first, *(_vary(draw, deepcopy(first)) for _ in range(draw(st.integers(0, 3))))]


def _vary(draw: st.DrawFn, value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _vary(draw, item) for key, item in value.items() if draw(st.integers(0, 5))}
        return kept | (draw(documents) if not draw(st.integers(0, 8)) else {})
    if isinstance(value, list):
        varied = [_vary(draw, item) for item in value]
        return varied[1:] if not draw(st.integers(0, 8)) else varied
    return value if draw(st.integers(0, 5)) else draw(scalars)


def apply(document: Any, operations: list[JsonObject]) -> Any:
    """RFC 6902, `add` into maps: all that is ever asked for."""
    document = deepcopy(document)
    for operation in operations:
        assert operation.keys() == {"op", "path", "value"}
        assert operation["op"] == "add"
        _, *tokens = operation["path"].split("/")
        *parents, last = (token.replace("~1", "/").replace("~0", "~") for token in tokens)
        here = document
        for token in parents:
            here = here[int(token)] if isinstance(here, list) else here[token]
        assert isinstance(here, dict)
        assert last not in here
        here[last] = deepcopy(operation["value"])
    return document


@settings(deadline=None)
@given(relatives())
def test_the_shared_part_and_the_differences_give_each_document_back(given_: list[JsonObject]) -> None:
    shared = shared_part(given_)
    for document in given_:
        assert canonical_json(apply(shared, differences(shared, document))) == canonical_json(document)


@settings(deadline=None)
@given(relatives())
def test_only_what_all_documents_say_is_shared(given_: list[JsonObject]) -> None:
    shared = shared_part(given_)
    assert all(_is_part(shared, document) for document in given_)


def _is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _is_part(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(_is_part, part, whole))
    return canonical_json(part) == canonical_json(whole)


@settings(deadline=None)
@given(documents)
def test_equal_documents_are_shared_whole(document: JsonObject) -> None:
    assert shared_part([document, deepcopy(document)]) == document
    assert differences(document, document) == []


@settings(deadline=None)
@given(relatives())
def test_the_order_of_the_documents_does_not_matter(given_: list[JsonObject]) -> None:
    assert canonical_json(shared_part(given_)) == canonical_json(shared_part(given_[::-1]))


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 1}),
        ({"a": {"x": 1, "y": 1}}, {"a": {"x": 1}}, {"a": {"x": 1}}),
        ({"a": {"x": 1}}, {"a": {"y": 1}}, {}),
        ({"a": {}}, {"a": {}}, {"a": {}}),
        ({"a": {}}, {"a": {"x": 1}}, {}),
        ({"a": [1, 2]}, {"a": [1, 2]}, {"a": [1, 2]}),
        ({"a": [1, 2]}, {"a": [1, 3]}, {}),
        ({"a": [1]}, {"a": [1, 2]}, {}),
        ({"a": [{"x": 1, "y": 1}]}, {"a": [{"x": 1, "y": 2}]}, {"a": [{"x": 1}]}),
        ({"a": [{"x": 1}, {"y": 1}]}, {"a": [{"x": 1}, {"y": 2}]}, {}),
        ({"a": 1}, {"a": True}, {}),
        ({"a": "1"}, {"a": 1}, {}),
        ({"a": {"x": 1}}, {"a": [1]}, {}),
    ],
)
def test_maps_are_shared_by_key_and_lists_of_one_length_by_item(
    first: JsonObject, second: JsonObject, shared: JsonObject
) -> None:
    assert canonical_json(shared_part([first, second])) == canonical_json(shared)


def test_differences_are_written_as_adds_in_the_order_of_their_keys() -> None:
    whole = {"z": 1, "a/b": {"c~d": [1]}, "list": [{"x": 1, "y": 2}]}
    assert differences({"a/b": {}, "list": [{"x": 1}]}, whole) == [
        {"op": "add", "path": "/a~1b/c~0d", "value": [1]},
        {"op": "add", "path": "/list/0/y", "value": 2},
        {"op": "add", "path": "/z", "value": 1},
    ]
