"""Sealed runs: what stays as it is joins what was compiled, and what is rendered for the first time gets its seal.

Touches nothing. May use the engine, which reads the sealed files.
"""

from trainshed.seal.runs import seal_runs
from trainshed.seal.standing import expect, join_sealed

__all__ = ["expect", "join_sealed", "seal_runs"]
