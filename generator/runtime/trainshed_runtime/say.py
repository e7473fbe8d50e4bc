"""What the runtime tells people: one line each, on the error stream, so that it is in the pod's log."""

from __future__ import annotations

import sys


def say(words: str) -> None:
    """Write the words as one line."""
    sys.stderr.write(f"trainshed-runtime: {words}\n")
    sys.stderr.flush()
