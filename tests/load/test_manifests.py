"""Manifests of any origin: which objects a text holds, and where each of their values stands."""

import json
from collections.abc import Callable
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainshed.load.manifests import read_manifest
from trainshed.model.diagnostic import Findings
from trainshed.model.files import RenderedObject
from trainshed.model.manifest import AppId

Spell = Callable[[Findings], list[str]]

FILE = PurePosixPath("a.yaml")
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def read(text: str) -> list[RenderedObject]:
    objects, findings = read_manifest(text, FILE, AppId("lab", ""))
    assert findings == []
    return objects


def data_of(text: str) -> object:
    (one,) = read(HEAD + text)
    return one.manifest.body.get("data")


def refused(text: str) -> Findings:
    objects, findings = read_manifest(text, FILE, AppId("", ""))
    assert objects == []
    return tuple(findings)


def test_object_has_its_identity_content_file_and_cluster() -> None:
    (one,) = read(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: team}\nspec: {replicas: 1}\n"
    )
    assert str(one.manifest.identity) == "Deployment team/d"
    assert one.manifest.identity.api_version == "apps/v1"
    assert one.manifest.body["spec"] == {"replicas": 1}
    assert (one.path, one.app) == (FILE, AppId("lab", ""))


def test_fields_stand_at_their_keys_with_single_values_beside_them() -> None:
    (one,) = read(
        HEAD + "data:\n  x/y: one\n  two: |\n    text\n  three: {four: 5}\n  list: [a,  b]\n  six:\n"
    )
    places = {
        pointer: (source.line, source.column, source.width) for pointer, source in one.manifest.origins.parts
    }
    assert places == {
        "/apiVersion": (1, 1, 14),
        "/kind": (2, 1, 15),
        "/metadata": (3, 1, 8),
        "/metadata/name": (3, 12, 7),
        "/data": (4, 1, 4),
        "/data/x~1y": (5, 3, 8),
        "/data/two": (6, 3, 6),
        "/data/three": (8, 3, 5),
        "/data/three/four": (8, 11, 7),
        "/data/list": (9, 3, 4),
        "/data/list/0": (9, 10, 1),
        "/data/list/1": (9, 14, 1),
        "/data/six": (10, 3, 3),
    }
    assert str(one.manifest.origins.whole) == "a.yaml:1:1"


def test_documents_are_read_one_by_one_and_empty_ones_are_none() -> None:
    text = (
        f"# heading\n---\n{HEAD}---\n# nothing\n---\n\n{HEAD.replace('name: a', 'name: b')}...\n---\nnull\n"
    )
    assert [
        (one.manifest.identity.name, one.manifest.origins.whole.line, one.manifest.origins.find("/kind").line)
        for one in read(text)
    ] == [("a", 3, 4), ("b", 10, 11)]


def test_lists_are_taken_apart_and_places_are_those_of_the_items() -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n"
        "- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: v1, kind: Secret, metadata: {name: b}}\n"
    )
    first, second = read(text)
    assert [str(one.manifest.identity) for one in (first, second)] == ["ConfigMap a", "Secret b"]
    assert str(first.manifest.origins.whole) == "a.yaml:4:3"
    assert str(first.manifest.origins.find("/metadata/name")) == "a.yaml:6:14"
    assert str(second.manifest.origins.find("/metadata/name")) == "a.yaml:10:47"
    assert "items" not in first.manifest.text


def test_items_of_a_list_of_one_kind_need_not_say_it_again() -> None:
    text = (
        '{"apiVersion": "apps/v1", "kind": "DeploymentList", "items": ['
        '{"metadata": {"name": "a"}}, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}}]}'
    )
    first, second = read(text)
    assert (first.manifest.identity.api_version, first.manifest.identity.kind) == ("apps/v1", "Deployment")
    assert first.manifest.body["kind"] == "Deployment"
    assert (second.manifest.identity.api_version, second.manifest.identity.kind) == ("v1", "Pod")


def test_kinds_that_end_like_lists_without_items_are_objects() -> None:
    (one,) = read("apiVersion: v1\nkind: AllowList\nmetadata: {name: a}\n")
    assert one.manifest.identity.kind == "AllowList"


def test_name_may_be_left_to_the_api_server() -> None:
    (one,) = read("apiVersion: v1\nkind: Pod\nmetadata: {generateName: train-}\n")
    assert one.manifest.identity.name == "train-"


def test_anchors_and_merge_keys_are_followed_as_kubectl_does() -> None:
    assert data_of("data: {a: &x one, b: *x}\n") == {"a": "one", "b": "one"}
    assert data_of("x: &x {a: 1, b: 2}\ndata: {<<: *x, b: 3}\n") == {"a": 1, "b": 3}
    assert data_of("data: {a: 1, <<: {a: 2, b: 3}}\n") == {"a": 2, "b": 3}
    assert data_of("data: {<<: [{a: 1}, {a: 2, b: 2}]}\n") == {"a": 1, "b": 2}
    assert data_of("data: {<<: {<<: {a: 1}, a: 2}}\n") == {"a": 2}
    assert data_of("data: {<<: []}\n") == {}
    assert data_of('data: {"<<": {a: 1}}\n') == {"<<": {"a": 1}}


def test_merged_fields_stand_where_they_are_written() -> None:
    (one,) = read(HEAD + "x: &x\n  a: 1\n  b: 2\ndata:\n  <<: *x\n  b: 3\n")
    assert str(one.manifest.origins.find("/data/a")) == "a.yaml:5:3"
    assert str(one.manifest.origins.find("/data/b")) == "a.yaml:9:3"


def test_keys_become_text_as_for_kubectl() -> None:
    assert data_of("data: {1: a, 0x10: b, yes: c, 1.5: d, n: e, 08.0: f}\n") == {
        "1": "a",
        "16": "b",
        "true": "c",
        "1.5": "d",
        "false": "e",
        "8": "f",
    }


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("data: {a: 1, a: 2}\n", ['4:14+1 duplicate-key: "a" is written twice']),
        ('data: {1: 1, "1": 2}\n', ['4:14+3 duplicate-key: "1" is written twice']),
        ("data: {~: 1}\n", ["4:8+1 yaml-key: a key cannot be nothing"]),
        ("data: {[a]: 1}\n", ["4:8+3 yaml-key: a key cannot be a list"]),
        ("data: {123456789.5: 1}\n", ["4:8+11 yaml-key: a key cannot be the number 123456789.5"]),
        (
            "data: {<<: 3}\n",
            ['4:12+1 yaml-merge: merge key "<<" takes a map or a list of maps, not the number 3'],
        ),
        (
            "data: {<<: [[a]]}\n",
            ['4:13+3 yaml-merge: merge key "<<" takes a map or a list of maps, not a list'],
        ),
        (
            "data: *x\n",
            ['4:7+2 yaml-aliases: alias "*x" repeats nothing: there is no "&x" above it in this document'],
        ),
        ("data: &x {a: *x}\n", ['4:14+2 yaml-aliases: alias "*x" stands within "&x"']),
        ("data: [\n", ["4:7+1 yaml-syntax: this bracket is not closed"]),
        ("data:\n\ta: 1\n", ["5:1+1 yaml-tab: a tab stands where spaces must indent"]),
        ("data: \x1b[2J\n", ["4:7+1 yaml-character: U+001B cannot be seen: a control character"]),
        ("data: a\u2028b\n", ["4:8+1 yaml-character: U+2028 cannot be seen: line separator"]),
    ],
)
def test_what_cannot_be_read_is_said_at_its_place(text: str, findings: list[str], spell: Spell) -> None:
    _, found = read_manifest(HEAD + text, FILE, AppId("", ""))
    assert spell(tuple(found)) == findings


def test_documents_around_a_broken_one_are_read_as_far_as_that_is_possible() -> None:
    other = HEAD.replace("name: a", "name: b")
    objects, findings = read_manifest(f"{HEAD}---\na: *x\n---\n{other}---\n[\n", FILE, AppId("", ""))
    assert [one.manifest.identity.name for one in objects] == ["a", "b"]
    assert [finding.code for finding in findings] == ["yaml-aliases", "yaml-syntax"]


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("a: 1\n", ['1:1+1 missing-field: the object has no "apiVersion"']),
        ("apiVersion: v1\n", ['1:1+10 missing-field: the object has no "kind"']),
        ("apiVersion: v1\nkind: Pod\n", ['1:1+10 missing-field: the object has no "metadata.name"']),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: 3\n",
            ['1:1+10 missing-field: the object has no "metadata.name"'],
        ),
        ("apiVersion: 1\nkind: Pod\n", ["1:1+13 wrong-type: apiVersion is the number 1, not text"]),
        ("apiVersion: v1\nkind: [a]\n", ["2:1+4 wrong-type: kind is a list, not text"]),
        (
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: 12\n",
            ["4:3+8 wrong-type: metadata.name is the number 12, not text"],
        ),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\n",
            ["3:21+12 wrong-type: metadata.namespace is false, not text"],
        ),
        ("- a\n", ["1:1+1 wrong-type: expected an object, found a list"]),
        ("text\n", ['1:1+4 wrong-type: expected an object, found text "text"']),
        ("apiVersion: v1\nkind: List\nitems: [~]\n", ["3:9+1 wrong-type: expected an object, found nothing"]),
        ('{"apiVersion": "v1"}', ['1:1+20 missing-field: the object has no "kind"']),
    ],
)
def test_what_is_no_object_is_said_at_its_place(text: str, findings: list[str], spell: Spell) -> None:
    assert spell(refused(text)) == findings


def test_json_is_read_with_places_tabs_long_keys_and_pairs_of_escapes() -> None:
    key = "k" * 3000
    text = f'\n{{\n\t"apiVersion": "v1", "kind": "ConfigMap",\n\t"metadata": {{"name":"a"}},\n\t"data": {{"{key}": "\\ud83d\\ude00", "b": [1.0, 2]}}\n}}\n'
    (one,) = read(text)
    assert one.manifest.body["data"] == {key: "\U0001f600", "b": [1.0, 2]}
    assert "[1.0,2]" in one.manifest.text
    origins = one.manifest.origins
    assert (str(origins.whole), str(origins.find("/kind"))) == ("a.yaml:2:1", "a.yaml:3:22")
    assert (origins.find("/metadata/name").column, origins.find("/metadata/name").width) == (15, 10)
    assert str(origins.find("/data/b/1")) == "a.yaml:5:3042"


def test_json_objects_may_follow_one_another() -> None:
    one = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}'
    second, third = (one.replace('"a"', f'"{name}"') for name in "bc")
    objects = read(f"{one}\n{second} {third}\n")
    assert [(each.manifest.identity.name, str(each.manifest.origins.whole)) for each in objects] == [
        ("a", "a.yaml:1:1"),
        ("b", "a.yaml:2:1"),
        ("c", "a.yaml:2:64"),
    ]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (
            '{"apiVersion": "v1", "kind": "Pod", "kind": "Pod"}',
            '1:37+6 duplicate-key: "kind" is written twice',
        ),
        (
            '{"apiVersion": "v1",\n "kind": "Pod"',
            "1:1+1 yaml-syntax: this map is not closed, or lacks a comma",
        ),
        ('{"a": "\\ud83d"}', "1:10+1 yaml-syntax: this escape stands for no character"),
    ],
)
def test_json_that_is_broken_is_said_at_its_place(text: str, finding: str, spell: Spell) -> None:
    _, findings = read_manifest(text, FILE, AppId("", ""))
    assert finding in spell(tuple(findings))


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, levels)]
    return "\n".join(lines) + "\n"


def merges(levels: int) -> str:
    lines = ["a0: &a0 {x: 1}"]
    lines += [
        f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 10)}]}}" for level in range(1, levels)
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (bomb(12), "yaml-aliases"),
        (merges(12), "yaml-aliases"),
        ("a: " + "[" * 100_000, "yaml-depth"),
        ('{"a":' * 100_000, "yaml-depth"),
        ("a: &a " + "[" * 100 + "]" * 100 + "\nb: " + "[" * 100 + "*a" + "]" * 100 + "\n", "yaml-depth"),
        (
            "x: &x {"
            + ", ".join(f"k{n}: 1" for n in range(2000))
            + "}\n"
            + "y: {<<: ["
            + "*x, " * 2000
            + "]}\n",
            "yaml-aliases",
        ),
        ("? " + "k" * 100_000 + "\n: [" + "1, " * 100_000 + "]\n", "yaml-aliases"),
    ],
)
def test_bombs_end_in_a_finding(text: str, code: str) -> None:
    assert code in {finding.code for finding in refused(text)}


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e9, 1e9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@given(PLAIN, st.sampled_from([None, 2]), st.booleans())
def test_json_of_any_content_is_read_as_it_was_written(
    data: object, indent: int | None, ascii_only: bool
) -> None:
    body = {"apiVersion": "v1", "kind": "X", "metadata": {"name": "a"}, "data": data}
    text = json.dumps(body, indent=indent, ensure_ascii=ascii_only)
    objects, findings = read_manifest(text, FILE, AppId("", ""))
    if findings:
        assert {finding.code for finding in findings} == {"yaml-character"}
        return
    (one,) = objects
    assert one.manifest.body == body
    pointers = {pointer for pointer, _ in one.manifest.origins.parts}
    assert {"/apiVersion", "/kind", "/metadata/name", "/data"} <= pointers


@given(st.text(st.sampled_from("abk:-[]{}&*<!?|>'\"%@`#,.~ \n\t01e_"), max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    _, findings = read_manifest(HEAD + "data:\n  " + text, FILE, AppId("", ""))
    last = text.count("\n") + 6
    assert all(1 <= finding.source.line <= last and finding.source.column >= 1 for finding in findings)


def test_a_colon_within_a_word_in_brackets_is_read_as_kubectl_reads_it() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: b/c:1}]}\n"
    objects, findings = read_manifest(text, PurePosixPath("a.yaml"), AppId("", ""))
    assert not findings
    (one,) = objects
    assert one.manifest.body["spec"]["containers"] == [{"name": "a", "image": "b/c:1"}]
    source = one.manifest.origins.find("/spec/containers/0/image")
    assert (source.line, source.column) == (4, 31)
