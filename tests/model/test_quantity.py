"""Quantities, beside what Kubernetes' own `resource.Quantity` makes of the same text."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainshed.model.quantity import (
    QuantityError,
    canonical_quantity,
    format_binary,
    format_decimal,
    parse_quantity,
)

KUBERNETES: dict[str, Any] = json.loads(
    Path(__file__).with_name("kubernetes_quantities.json").read_text("utf-8")
)
"""What the real thing answered; the file says how it was asked."""

SUFFIXES = ("", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E2", "e-2")
quantities = st.builds(
    lambda whole, fraction, suffix: f"{whole}{fraction}{suffix}",
    st.integers(0, 10**6),
    st.sampled_from(["", ".", ".0", ".5", ".25", ".125"]),
    st.sampled_from(SUFFIXES),
).filter(lambda text: _is_quantity(text))


def _is_quantity(text: str) -> bool:
    try:
        parse_quantity(text)
    except QuantityError:
        return False
    return True


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("1000", "1k"),
        ("1024", "1024"),
        ("0.5", "500m"),
        (".5", "500m"),
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("1e3", "1k"),
        ("1E", "1E"),
        ("12E6", "12M"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("1000Mi", "1000Mi"),
        ("0Gi", "0"),
        ("0.000000001", "1n"),
    ],
)
def test_a_quantity_has_one_spelling(written: str, canonical: str) -> None:
    assert canonical_quantity(written) == canonical


def test_every_spelling_is_that_of_kubernetes() -> None:
    expected = KUBERNETES["canonical"]
    assert {written: canonical_quantity(written) for written in expected} == expected


@pytest.mark.parametrize("text", [*KUBERNETES["refused"], "", " 1", "1 ", "-1", "+1", "٣", "1n5"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text)


@pytest.mark.parametrize("text", ["0.1n", "1.0000000001", "1e-10"])
def test_what_kubernetes_would_round_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text)


@pytest.mark.parametrize("text", ["9223372036854775808", "8Ei", "10E", "1e19", "1e99"])
def test_what_kubernetes_would_cap_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text)


def test_the_largest_quantity_is_taken() -> None:
    assert parse_quantity("9223372036854775807") == 2**63 - 1


@settings(deadline=None)
@given(quantities)
def test_the_canonical_spelling_means_the_same(text: str) -> None:
    assert parse_quantity(canonical_quantity(text)) == parse_quantity(text)


@settings(deadline=None)
@given(quantities)
def test_the_canonical_spelling_of_a_canonical_spelling_is_itself(text: str) -> None:
    canonical = canonical_quantity(text)
    assert canonical_quantity(canonical) == canonical


@settings(deadline=None)
@given(st.integers(0, 2**63 - 1))
def test_a_number_of_bytes_comes_back(number: int) -> None:
    assert parse_quantity(format_binary(number)) == number
    assert parse_quantity(format_decimal(number)) == number


def test_a_part_of_a_byte_keeps_its_decimals() -> None:
    assert format_binary(Fraction(2049, 2)) == "1024500m"
    with pytest.raises(QuantityError):
        format_decimal(Fraction(1, 3))
