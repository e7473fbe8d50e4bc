"""The core schema of YAML 1.2, word by word."""

import math

import pytest

from trainshed.load.yaml_scalars import is_json_number, resolve_scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("NULL", None),
        ("nULL", "nULL"),
        ("true", True),
        ("False", False),
        ("tRUE", "tRUE"),
        ("yes", "yes"),
        ("on", "on"),
        ("No", "No"),
        ("y", "y"),
        ("0", 0),
        ("-0", 0),
        ("+12", 12),
        ("-19", -19),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("-0x1F", "-0x1F"),
        ("0b1", "0b1"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("190:20:30", "190:20:30"),
        ("2026-01-31", "2026-01-31"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("1e-4", 0.0001),
        ("-1.5E+2", -150.0),
        (".", "."),
        ("-", "-"),
        ("+", "+"),
        ("1.2.3", "1.2.3"),
        ("e3", "e3"),
        ("1e", "1e"),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("inf", "inf"),
        ("nan", "nan"),
        ("1Gi", "1Gi"),
        ("٣", "٣"),
        ("=", "="),
    ],
)
def test_word_resolves_by_the_core_schema(text: str, value: object) -> None:
    resolved = resolve_scalar(text)
    assert (type(resolved), resolved) == (type(value), value)


def test_not_a_number_resolves_to_nan() -> None:
    value = resolve_scalar(".NaN")
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("9223372036854775807", True),
        ("9223372036854775808", False),
        ("-9223372036854775808", True),
        ("-9223372036854775809", False),
        ("1e308", True),
        ("1e309", False),
        (".inf", False),
        (".nan", False),
        ("true", True),
        ("text", True),
        ("1" * 5_000, False),
    ],
)
def test_json_holds_finite_numbers_of_64_bits(text: str, holds: bool) -> None:
    assert is_json_number(resolve_scalar(text)) is holds
