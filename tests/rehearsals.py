"""Rehearsals by the real command line, in a process of its own: the verdict, what happened, what lies in the claims."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

SMALL = ("OMP_NUM_THREADS=1", "MADE_UP_EXAMPLES=128", "TRAINSHED_CHECKPOINT_EVERY_STEPS=5")
"""What an image could set: a short training that saves often, by the manifest as it is."""


@dataclass(frozen=True)
class Rehearsed:
    """What a rehearsal said and left below `folder`."""

    code: int
    words: str
    record: dict[str, Any]
    folder: Path

    @property
    def verdict(self) -> dict[str, Any]:
        """The verdict, as in the record."""
        return self.record["verdict"]

    @property
    def pods(self) -> list[str]:
        """The pods that the operator makes."""
        return [pod["name"] for pod in self.record["pods"]]

    def events(self, happening: str, pod: str | None = None) -> list[dict[str, Any]]:
        """Everything of that kind, of one pod or of all, in order."""
        return [
            event
            for event in self.record["events"]
            if event["happening"] == happening and pod in (None, event.get("pod"))
        ]

    def claim(self, name: str) -> Path:
        """What a claim holds at the end."""
        return self.folder / "rehearsal/claims" / name

    def log(self, pod: str, container: str, life: int = 1) -> str:
        """What a container of a pod said; `life` counts the pods of that name."""
        return (self.folder / f"rehearsal/pods/{pod}.{life}/logs/{container}.log").read_text("utf-8")


def rehearse(folder: Path, *arguments: str, env: tuple[str, ...] = SMALL) -> Rehearsed:
    """`trainshed rehearse` in this repository; `folder` takes the record and what it leaves."""
    record, kept = folder / "record.json", folder / "kept"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "trainshed", "rehearse", *arguments),
            *("--timeout", "4m", "--json", str(record), "--keep", str(kept)),
            *(word for each in env for word in ("--env", each)),
        ],
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    words = done.stdout + done.stderr
    assert record.is_file(), words
    return Rehearsed(done.returncode, words, json.loads(record.read_text("utf-8")), kept)
