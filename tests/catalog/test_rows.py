"""Rows of data files: what is read, and what is refused."""

from collections.abc import Callable

import pytest

from trainshed.catalog.row import Row, read_taint
from trainshed.catalog.texts import Texts, read_texts
from trainshed.model.catalog import CatalogError, NodeResources, Taint

SOURCES = {"docs": "https://docs.example.com/"}


def row(text: str) -> Row:
    cells = read_texts(text.encode())
    assert isinstance(cells, dict)
    return Row("file.yaml", cells, SOURCES)


def test_words_stay_texts_whatever_they_look_like() -> None:
    expected: Texts = {"a": "yes", "b": ["1.10", "null", "0x1"], "c": {"d": "2024-01-01"}, "e": {}}
    assert read_texts(b'a: yes\nb: [1.10, "null", 0x1]\nc: {d: 2024-01-01}\ne: {}\n') == expected


def test_a_key_that_is_written_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="written twice: cpu"):
        read_texts(b"cpu: 1\nmemory: 2Gi\ncpu: 2\n")


def test_a_row_gives_each_key_in_its_own_type() -> None:
    with row(
        "n: 8\nf: true\nm: 2Gi\nl: [a, b]\nt: {k: v}\nsources: [docs]\ntaints: ['k=v:NoSchedule']"
    ) as cells:
        assert cells.number("n") == 8
        assert cells.flag("f") is True
        assert cells.amount("m") == 2 * 1024**3
        assert cells.texts("l") == ("a", "b")
        assert cells.table("t") == {"k": "v"}
        assert cells.sources() == ("https://docs.example.com/",)
        assert cells.taints() == (Taint("k", "v", "NoSchedule"),)


def test_resources_are_thousandths_of_a_cpu_and_bytes() -> None:
    with row("cpu: 1930m\nmemory: 1Gi") as cells:
        assert cells.resources() == NodeResources(1930, 1024**3)


def test_an_unknown_key_is_refused() -> None:
    with (
        pytest.raises(CatalogError, match=r"file\.yaml: unknown keys \['gpu'\]"),
        row("cpu: 1\ngpu: 2") as cells,
    ):
        cells.number("cpu")


def test_an_unknown_key_does_not_hide_another_failure() -> None:
    with pytest.raises(CatalogError, match=r"file\.yaml: cpu is missing"), row("gpu: 2") as cells:
        cells.number("cpu")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sources: [blog]", r"sources \['blog'\]"),
        ("sources: []", "sources are missing"),
        ("a: 1", "sources are missing"),
    ],
)
def test_a_row_without_a_known_source_is_refused(text: str, said: str) -> None:
    with pytest.raises(CatalogError, match=said):
        row(text).sources()


def read_rows(cells: Row, key: str) -> object:
    return list(cells.rows(key))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("key: [a]", Row.text),
        ("key: a", Row.texts),
        ("key: [[a]]", Row.texts),
        ("key: a", Row.table),
        ("key: {a: [b]}", Row.table),
        ("key: {a: b}", read_rows),
        ("key: perhaps", Row.flag),
    ],
)
def test_a_value_of_the_wrong_form_is_refused(text: str, read: Callable[[Row, str], object]) -> None:
    with pytest.raises(CatalogError, match=r"file\.yaml"):
        read(row(text), "key")


@pytest.mark.parametrize(
    ("text", "taint"),
    [
        ("nvidia.com/gpu=present:NoSchedule", Taint("nvidia.com/gpu", "present", "NoSchedule")),
        ("dedicated:NoExecute", Taint("dedicated", "", "NoExecute")),
    ],
)
def test_taints_are_read_as_kubectl_writes_them(text: str, taint: Taint) -> None:
    assert read_taint(text) == taint
