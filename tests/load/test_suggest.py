"""The word that was probably meant."""

import pytest

from trainshed.model.suggest import did_you_mean, nearest

FIELDS = ("nodes", "gpus", "memory", "mountPath", "readOnly", "on-demand")


@pytest.mark.parametrize(
    ("word", "candidate"),
    [
        ("node", "nodes"),
        ("Nodes", "nodes"),
        ("mount_path", "mountPath"),
        ("MOUNT-PATH", "mountPath"),
        ("ondemand", "on-demand"),
        ("redaOnly", "readOnly"),
        ("zebra", None),
        ("", None),
    ],
)
def test_nearest_word_is_found_whatever_its_case_and_dashes(word: str, candidate: str | None) -> None:
    assert nearest(word, FIELDS) == candidate


def test_of_words_that_fold_alike_the_first_in_order_is_taken() -> None:
    assert nearest("readonly", ["read_only", "read-only", "readOnly"]) == "read-only"


def test_nearest_word_becomes_a_question() -> None:
    assert did_you_mean("gpu", FIELDS) == 'did you mean "gpus"?'


def test_few_words_are_listed_when_none_is_near() -> None:
    assert did_you_mean("zebra", ["b", "a", "b"]) == "known here: a, b"


def test_many_words_or_none_are_not_listed() -> None:
    assert did_you_mean("zebra", [f"w{number}" for number in range(13)]) == ""
    assert did_you_mean("zebra", []) == ""
