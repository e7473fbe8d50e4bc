"""The Go programs that trainshed asks for Kustomize builds, YAML texts and verdicts."""

import sys
from importlib.metadata import version
from pathlib import Path

__version__ = version("trainshed-engine")


def program() -> Path:
    """Where the engine lies, which speaks the protocol of `trainshed.engine` on standard input and output.

    Beside it lies `trainshed-jobset`, which the engine starts when it judges a JobSet.
    """
    name = "trainshed-engine.exe" if sys.platform == "win32" else "trainshed-engine"
    return Path(__file__).parent / "bin" / name
