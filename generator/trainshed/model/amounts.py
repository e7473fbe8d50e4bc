"""Amounts of resources in the words that people use for them."""

from fractions import Fraction

from trainshed.model.gpus import SHARED_SUFFIX, is_gpu

_MIG = "nvidia.com/mig-"
_GIB = 2**30


def unit_of(resource: str) -> str:
    """What one of it is called, in the plural: `GPUs`, `slices of 3g.40gb`, `CPUs`, `GiB of memory`."""
    if resource == "memory":
        return "GiB of memory"
    if resource == "cpu":
        return "CPUs"
    if resource.startswith(_MIG):
        return f"slices of {resource.removeprefix(_MIG)}"
    if is_gpu(resource):
        return "shared GPUs" if resource.endswith(SHARED_SUFFIX) else "GPUs"
    return resource


def say_number(resource: str, value: Fraction) -> str:
    """The number alone: memory in GiB, at most one decimal, thousands apart."""
    number = value / _GIB if resource == "memory" else value
    return f"{float(number):,.1f}".removesuffix(".0")


def say_amount(resource: str, value: Fraction) -> str:
    """The number and its unit: `1 GPU`, `8 GPUs`, `238.8 GiB of memory`."""
    unit = unit_of(resource)
    return f"{say_number(resource, value)} {_singular(unit) if value == 1 else unit}"


def _singular(unit: str) -> str:
    first, space, rest = unit.partition(" ")
    if first in ("GPUs", "CPUs", "slices"):
        return f"{first[:-1]}{space}{rest}"
    return unit.replace("shared GPUs", "shared GPU")
