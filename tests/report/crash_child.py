"""Kills forked children with SIGKILL before every single file operation; prints what each crash left.

A program of its own, so that it may fork: run with an empty folder as its only argument.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from trainshed.report.changes import plan_changes
from trainshed.report.commit import commit_changes, recover

OLD = {
    "overlays/a/base/k.yaml": "k\n",
    "rendered/x/a/job.yaml": "old\n",
    "rendered/x/b/deep/gone.yaml": "gone\n",
    "rendered/x/gone.yaml": "gone\n",
}
NEW = {
    "overlays/a/base/k.yaml": "k\n",
    "overlays/n/base/k.yaml": "n\n",
    "rendered/x/a/job.yaml": "new\n",
    "rendered/y/n/job.yaml": "n\n",
}
OPERATIONS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir", "fcntl.flock"}


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_before(operation: int) -> None:
    """Arms this process: it dies before its n-th file operation, and in the middle of a write."""
    left = [operation]

    def count(event: str, _: object = None) -> bool:
        left[0] -= event in OPERATIONS
        return event in OPERATIONS and left[0] < 0

    def audit(event: str, _: object) -> None:
        if count(event):
            die()

    def half_write(file: int, content: bytes) -> int:
        if count("open"):
            write(file, content[: len(content) // 2])
            die()
        return write(file, content)

    def counted_sync() -> None:
        # SIGKILL loses nothing that was written, so that a real sync would only cost time.
        audit("open", None)

    write = os.write
    os.write, os.sync = half_write, counted_sync
    sys.addaudithook(audit)


def is_killed(work: Callable[[], object], operation: int) -> bool:
    child = os.fork()
    if child == 0:
        die_before(operation)
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit("the child failed")
    return os.WIFSIGNALED(status)


def lay_out(root: Path, files: dict[str, str]) -> None:
    shutil.rmtree(root)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def render(root: Path) -> None:
    planned = plan_changes(root, {PurePosixPath(path): text for path, text in NEW.items()})
    if planned.value is None or commit_changes(root, planned.value):
        os._exit(1)


def roll_forward(root: Path) -> None:
    if recover(root).findings:
        os._exit(1)


def list_tree(root: Path) -> dict[str, str | None]:
    return {
        str(path.relative_to(root)): path.read_text() if path.is_file() else None
        for path in sorted(root.rglob("*"))
        if ".trainshed" not in path.parts
    }


def crash_everywhere(root: Path) -> Iterator[dict[str, object]]:
    lay_out(root, OLD)
    names = {json.dumps(list_tree(root)): "old"}
    lay_out(root, NEW)
    names[json.dumps(list_tree(root))] = "new"

    def name_tree() -> str:
        return names.get(json.dumps(list_tree(root)), "mixed")

    operation, crashed = 0, True
    while crashed:
        second, crashed_again = 0, True
        while crashed_again:
            lay_out(root, OLD)
            crashed = is_killed(lambda: render(root), operation)
            is_promised = (root / ".trainshed/journal").exists()
            left = name_tree()
            crashed_again = is_killed(lambda: roll_forward(root), second)
            roll_forward(root)
            leftovers = {".trainshed/journal", ".trainshed/stage"}
            yield {
                "operation": operation,
                "second": second,
                "is_promised": is_promised,
                "left": left,
                "recovered": name_tree(),
                "leftovers": [name for name in sorted(leftovers) if (root / name).exists()],
            }
            second += 1
        operation += 1


if __name__ == "__main__":
    print(json.dumps(list(crash_everywhere(Path(sys.argv[1])))))
