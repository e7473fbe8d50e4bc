"""Fields in a reviewer's words, and differences of plain data."""

import pytest

from trainshed.review.fields import compare
from trainshed.review.texts import MOST_LINES, compare_texts, is_secret, say, say_lists, tell_change
from trainshed.review.words import call, role_of

POD = "spec pytorchReplicaSpecs Worker template spec"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (f"{POD} containers pytorch image", "image"),
        (f"{POD} initContainers fetch image", "image of init container fetch"),
        (f"{POD} containers pytorch resources limits nvidia.com/gpu", "GPUs"),
        (f"{POD} containers pytorch resources requests memory", "memory"),
        (f"{POD} containers pytorch resources requests cpu", "CPU"),
        (f"{POD} containers pytorch env WANDB_PROJECT value", "variable WANDB_PROJECT"),
        (f"{POD} volumes data persistentVolumeClaim claimName", "volume data"),
        ("spec pytorchReplicaSpecs Worker replicas", "nodes (Worker)"),
        ("spec rayClusterSpec workerGroupSpecs gpu maxReplicas", "Ray workers (gpu)"),
        ("metadata labels kueue.x-k8s.io/queue-name", "queue"),
        ("metadata labels kueue.x-k8s.io/priority-class", "priority"),
        ("metadata labels kueue.x-k8s.io/max-exec-time-seconds", "deadline (seconds)"),
        ("spec activeDeadlineSeconds", "deadline (seconds)"),
        ("spec resourceGroups 0 flavors h100 resources cpu nominalQuota", "quota of h100: cpu"),
        ("spec resources requests storage", "size"),
        ("spec sources 0 targetRevision", "release"),
        ("spec nobody knows this", "spec.nobody.knows.this"),
    ],
)
def test_path_has_words(path: str, words: str) -> None:
    assert call(tuple(path.split(" "))) == words


def test_role_is_that_of_the_kind() -> None:
    assert role_of(("spec", "pytorchReplicaSpecs", "Master", "replicas")) == "Master"
    assert role_of(("spec", "template", "spec")) == ""


def test_items_are_known_by_their_names_not_their_places() -> None:
    before = {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}
    after = {"env": [{"name": "B", "value": "3"}, {"name": "A", "value": "1"}]}
    (difference,) = compare(before, after)
    assert (difference.path, difference.pointer) == (("env", "B", "value"), "/env/0/value")


def test_nameless_items_differ_one_by_one() -> None:
    rule, other, more = ({"verbs": [verb]} for verb in ("get", "list", "watch"))
    assert [(one.before, one.after) for one in compare([rule, other], [other, rule])] == []
    assert [(one.before, one.after) for one in compare([rule], [rule, more])] == [(None, more)]


def test_true_is_not_one() -> None:
    assert len(list(compare({"a": True}, {"a": 1}))) == 1


def test_map_that_comes_is_told_leaf_by_leaf() -> None:
    assert [one.path for one in compare({}, {"a": {"b": 1, "c": 2}})] == [("a", "b"), ("a", "c")]


def test_of_two_lists_only_what_differs_is_said() -> None:
    assert say_lists(["-m", "a", "--lr=1"], ["-m", "a", "--lr=2"]) == ("--lr=1", "--lr=2")
    assert say_lists(["a", "b"], ["b", "a"]) == ("a b", "b a")
    assert say_lists(["a"], ["a", "b"]) == (None, "b")


def test_long_texts_are_their_lines_and_few_of_them() -> None:
    before = "".join(f"line {number}\n" for number in range(1_000))
    found = compare_texts(before, before.replace("line", "row"))
    assert (found.added, found.removed, len(found.lines)) == (1_000, 1_000, MOST_LINES)


def test_longer_texts_are_only_counted() -> None:
    before = "".join(f"line {number}\n" for number in range(10_000))
    assert compare_texts(before, before + "one more\n") == ((), 1, 0)


def test_credentials_are_never_said() -> None:
    token = "ghp_" + "a" * 36
    assert token not in (say(f"--token={token}") or "")
    assert is_secret(("spec", "env", "API_TOKEN", "value"))
    field = tell_change("variable API_TOKEN", "hunter2", "hunter3", is_hidden=True)
    assert (field.before, field.after) == ("(hidden)", "(hidden)")
    assert token not in "".join(compare_texts("a\n", f"{token}\n").lines)
