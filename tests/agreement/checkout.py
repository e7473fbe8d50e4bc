"""A small repository in a folder, and the command line in it. What is in the folder is merged: there is no Git."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

WRITTEN = ("specs", "overlays", "rendered")


@dataclass
class Checkout:
    """`trees` are the repository after each commit."""

    path: Path
    trees: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def write(self, files: Mapping[str, str | None]) -> None:
        """Writes files, and takes away those that are None."""
        for name, text in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text)

    def read(self, *folders: str) -> dict[str, str]:
        """The text of every file below the folders, by path."""
        return {
            path.relative_to(self.path).as_posix(): path.read_text()
            for folder in folders
            for path in sorted((self.path / folder).rglob("*"))
            if path.is_file()
        }

    def merge(self) -> dict[str, str]:
        """Ends a commit, and gives what Argo CD reads of it."""
        self.trees.append(self.read(*WRITTEN))
        return self.read("rendered")

    def revert(self) -> None:
        """Takes everything back to before the last commit."""
        self.write({**dict.fromkeys(self.trees[-1]), **self.trees[-2]})

    def trainshed(self, *command: str, said: str = "") -> None:
        """Runs a command, which must succeed; `said` is its standard input."""
        program = [sys.executable, "-m", "trainshed", *command]
        done = subprocess.run(program, cwd=self.path, input=said, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"trainshed {' '.join(command)}: {done.stdout}{done.stderr}")

    def lineages(self, job: str) -> dict[str, str]:
        """The lineage that each seal of a job records, by the name of the run."""
        paths = self.path.glob(f"overlays/*-{job}/lab/seals/*.json")
        return {path.stem: json.loads(path.read_text())["lineage"] for path in paths}
