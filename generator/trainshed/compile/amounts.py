"""Amounts of resources as quotas and groups write them."""

from fractions import Fraction

from trainshed.model.quantity import format_binary, format_decimal


def format_amount(resource: str, amount: Fraction) -> str:
    """Bytes and devices are whole; CPUs go by the thousandth, or a job that fills a node would never be admitted."""
    if resource == "memory" or resource.startswith("hugepages-"):
        return format_binary(int(amount))
    return format_decimal(Fraction(int(amount * 1000), 1000) if resource == "cpu" else int(amount))
