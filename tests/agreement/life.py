"""What a sequence of commits does to a real control plane, with Argo CD's own sync library as the hand that applies.

    uv run python tests/agreement/life.py --kit KIT

KIT is a folder with a control plane (`kit.py`). A small repository is made and rendered commit by commit
(`commits.py`), and its Applications are synced by the controller of `generator/engine/life`, which the tests run
against an API in memory, on the real one (`life/hand`). After each commit it is seen which runs came and went, that no
other was touched, that every claim is the one from before, and that every app is in sync with nothing refused.
The exit code is 1 if anything was otherwise.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from checkout import Checkout
from commits import COMMITS, FIRST
from kit import run_as
from pods import BOOTED
from theatre import Theatre

ENGINE = Path(__file__).parents[2] / "generator/engine"


def main() -> int:
    parser = argparse.ArgumentParser(description="Plays commits on a real control plane.")
    parser.add_argument("--kit", type=Path, required=True, help="the folder of the control plane")
    options = parser.parse_args()
    if BOOTED in os.environ:
        return play(Path(os.environ[SCRATCH]))
    cache = os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")  # the kit hides /tmp from the operators
    with tempfile.TemporaryDirectory(dir=cache, prefix="life.") as folder:
        scratch = Path(folder)
        build = ["go", "build", "-trimpath", "-o", f"{scratch}/hand", "./life/hand"]
        subprocess.run(build, cwd=ENGINE, env=os.environ | {"CGO_ENABLED": "0"}, check=True)
        checkout = Checkout(scratch / "repository")
        checkout.write(FIRST)
        checkout.trainshed("render")
        os.environ[SCRATCH] = folder
        return run_as(checkout.path / "rendered/lab", options.kit, scratch, [sys.executable, *sys.argv])


SCRATCH = "LIFE_SCRATCH"
"""Where the repository and the hand lie, once the kit is up."""


def play(scratch: Path) -> int:
    """Merges each commit, and prints what came of it."""
    theatre = Theatre(Checkout(scratch / "repository"), scratch / "hand")
    missed = 0
    for commit in COMMITS:
        seen = theatre.play(commit)
        missed += bool(seen.misses)
        print(f"{'MISSED' if seen.misses else 'as said':8} {commit.title}: {seen.words}", flush=True)
        for miss in seen.misses:
            print(f"           {miss}", flush=True)
    print(f"{len(COMMITS)} commits, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
