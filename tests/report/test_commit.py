"""What a render does to the generated folders, and what it refuses to do."""

import errno
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Findings
from trainshed.report.changes import plan_changes, select_below
from trainshed.report.commit import commit_changes, recover

Render = Callable[..., Findings]
Listing = Callable[[], dict[str, str]]

OLD = {"overlays/a/base/k.yaml": "k\n", "rendered/x/a/job.yaml": "old\n"}
SPEC = {"specs/a.yaml": "kind: TrainingJob\n"}


def say(findings: Findings) -> list[str]:
    return [f"{finding.source}: {finding.code}: {finding.summary}" for finding in findings]


def test_plan_tells_added_changed_removed_and_unchanged(root: Path) -> None:
    (root / "rendered/README.md").write_text("mine\n")
    wanted = {
        "overlays/a/base/k.yaml": b"k\n",
        "rendered/x/a/job.yaml": "new\n",
        "rendered/x/b/job.yaml": "b\n",
    }
    changes = plan_changes(root, {PurePosixPath(path): text for path, text in wanted.items()}).value
    assert changes is not None
    assert changes.added == (PurePosixPath("rendered/x/b/job.yaml"),)
    assert changes.changed == (PurePosixPath("rendered/x/a/job.yaml"),)
    assert changes.removed == (PurePosixPath("rendered/README.md"),)
    assert changes.unchanged_count == 1
    assert changes.found == {PurePosixPath("rendered/x/a/job.yaml"): b"old\n"}


def test_render_replaces_the_tree_and_nothing_beside_it(render: Render, listing: Listing, root: Path) -> None:
    assert render({"rendered/x/a/job.yaml": "new\n", "rendered/y/b/c/job.yaml": "b\n"}) == ()
    assert listing() == SPEC | {"rendered/x/a/job.yaml": "new\n", "rendered/y/b/c/job.yaml": "b\n"}
    assert not (root / "overlays").exists()
    assert sorted(path.name for path in (root / ".trainshed").iterdir()) == [".gitignore", "lock"]


def test_nothing_changed_writes_nothing_at_all(render: Render, root: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    assert render(OLD) == ()
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


def test_unchanged_files_are_not_written_again(render: Render, root: Path) -> None:
    kept = root / "overlays/a/base/k.yaml"
    before = kept.stat()
    assert render(OLD | {"rendered/x/a/job.yaml": "new\n"}) == ()
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_new_files_take_the_umask_into_account(render: Render, root: Path) -> None:
    umask = os.umask(0o027)
    try:
        assert render(OLD | {"rendered/z/job.yaml": "z\n"}) == ()
    finally:
        os.umask(umask)
    assert stat.S_IMODE((root / "rendered/z/job.yaml").stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "rendered/z").stat().st_mode) == 0o750


def test_selection_leaves_the_other_apps_alone(render: Render, listing: Listing, root: Path) -> None:
    (root / "rendered/x/b").mkdir()
    (root / "rendered/x/b/gone.yaml").write_text("gone\n")
    selects = select_below([PurePosixPath("rendered/x/b")])
    wanted = {"rendered/x/b/new.yaml": "new\n", "rendered/x/c/not-selected.yaml": "c\n"}
    assert render(wanted, selects) == ()
    assert listing() == SPEC | OLD | {"rendered/x/b/new.yaml": "new\n"}


@pytest.mark.parametrize(
    "path", ["specs/a.yaml", "rendered", "/rendered/x", "rendered/../specs/a.yaml", "rendered/x/a/job.yaml/y"]
)
def test_a_path_that_no_spec_can_cause_is_a_fault_of_the_generator(root: Path, path: str) -> None:
    with pytest.raises(ValueError, match="generated path"):
        plan_changes(root, {PurePosixPath(path): "", PurePosixPath("rendered/x/a/job.yaml"): ""})


def link_overlays(root: Path) -> None:
    (root / "overlays").rename(root / "elsewhere")
    (root / "overlays").symlink_to("elsewhere")


def link_cluster(root: Path) -> None:
    (root / "rendered/x").rename(root / "elsewhere")
    (root / "rendered/x").symlink_to(root / "elsewhere")


def link_file(root: Path) -> None:
    (root / "rendered/x/a/job.yaml").unlink()
    (root / "rendered/x/a/job.yaml").symlink_to(root / "specs/a.yaml")


def pipe_file(root: Path) -> None:
    (root / "rendered/x/a/job.yaml").unlink()
    os.mkfifo(root / "rendered/x/a/job.yaml")


def file_for_tree(root: Path) -> None:
    (root / "overlays").rename(root / "elsewhere")
    (root / "overlays").write_text("")


def file_for_folder(root: Path) -> None:
    (root / "rendered/y").write_text("")


def folder_for_file(root: Path) -> None:
    (root / "rendered/y/b/job.yaml/inner").mkdir(parents=True)


def link_workshop(root: Path) -> None:
    (root / "elsewhere").mkdir()
    (root / ".trainshed").symlink_to("elsewhere")


def file_for_workshop(root: Path) -> None:
    (root / ".trainshed").write_text("")


def link_lock(root: Path) -> None:
    (root / ".trainshed").mkdir()
    (root / ".trainshed/.gitignore").write_text("*\n")
    (root / ".trainshed/lock").symlink_to(root / "specs/created")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (link_overlays, "overlays:1:1: symlink: overlays is a symbolic link"),
        (link_cluster, "rendered/x:1:1: symlink: rendered/x is a symbolic link"),
        (link_file, "rendered/x/a/job.yaml:1:1: symlink: rendered/x/a/job.yaml is a symbolic link"),
        (
            pipe_file,
            "rendered/x/a/job.yaml:1:1: not-a-file: rendered/x/a/job.yaml is neither a file nor a folder",
        ),
        (file_for_tree, "overlays:1:1: not-a-folder: overlays is not a folder"),
        (file_for_folder, "rendered/y:1:1: not-a-folder: a file stands where the folder rendered/y belongs"),
        (
            folder_for_file,
            "rendered/y/b/job.yaml:1:1: not-a-file: "
            "a folder stands where the file rendered/y/b/job.yaml belongs",
        ),
        (link_workshop, ".trainshed:1:1: symlink: .trainshed is a symbolic link"),
        (file_for_workshop, ".trainshed:1:1: not-a-folder: .trainshed is not a folder"),
        (
            link_lock,
            ".trainshed/lock:1:1: symlink: cannot write .trainshed/lock: too many levels of symbolic links",
        ),
    ],
)
def test_what_stands_in_the_way_is_told_and_nothing_is_written(
    root: Path, render: Render, damage: Callable[[Path], None], said: str
) -> None:
    damage(root)
    before = {path: path.lstat().st_mtime_ns for path in root.rglob("*") if path.name != ".trainshed"}
    assert say(render({"rendered/x/a/job.yaml": "new\n", "rendered/y/b/job.yaml": "b\n"})) == [said]
    after = {path: path.lstat().st_mtime_ns for path in root.rglob("*") if path.name != ".trainshed"}
    assert after == before


def test_a_full_disk_leaves_the_old_tree(
    root: Path, render: Render, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def write_until_full(file: int, content: bytes) -> int:
        if bytes(content) == b"second\n":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, content)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write_until_full)
        findings = render({"rendered/x/a/job.yaml": "first\n", "rendered/x/b/job.yaml": "second\n"})
    assert say(findings) == [
        "rendered/x/b/job.yaml:1:1: disk-full: cannot write rendered/x/b/job.yaml: no space left on device"
    ]
    assert findings[0].detail == "no generated file was touched; free some space, then run the command again"
    assert listing() == SPEC | OLD
    assert not (root / ".trainshed/stage").exists()


def test_a_file_beyond_the_size_limit_leaves_the_old_tree(render: Render, listing: Listing) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        findings = render({"rendered/x/a/job.yaml": "x" * 5000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert say(findings) == [
        "rendered/x/a/job.yaml:1:1: unwritable-file: cannot write rendered/x/a/job.yaml: file too large"
    ]
    assert listing() == SPEC | OLD


AS_NOBODY = """
import os, sys
from pathlib import Path, PurePosixPath
from trainshed.report.changes import plan_changes
from trainshed.report.commit import commit_changes
os.chdir(sys.argv[1])
if os.getuid() == 0:
    os.setuid(65534)
planned = plan_changes(Path("."), {PurePosixPath("rendered/x/a/job.yaml"): "new\\n"})
findings = commit_changes(Path("."), planned.value) if planned.value else planned.findings
print(*(f"{finding.source}: {finding.code}: {finding.summary}" for finding in findings), sep="\\n")
"""


@pytest.mark.parametrize(
    ("path", "mode", "said"),
    [
        (
            "rendered/x/a",
            0o555,
            "rendered/x/a:1:1: unwritable-file: cannot write into the folder rendered/x/a",
        ),
        (
            "overlays/a/base",
            0o555,
            "overlays/a/base:1:1: unwritable-file: cannot write into the folder overlays/a/base",
        ),
        (
            "rendered/x/a/job.yaml",
            0o000,
            "rendered/x/a/job.yaml:1:1: unreadable-file: "
            "cannot read rendered/x/a/job.yaml: permission denied",
        ),
        (
            "rendered/x/a",
            0o000,
            "rendered/x/a:1:1: unreadable-file: cannot read rendered/x/a: permission denied",
        ),
    ],
)
def test_a_missing_permission_leaves_the_old_tree(
    root: Path, listing: Listing, path: str, mode: int, said: str
) -> None:
    if os.getuid() == 0:
        for place in (root, *root.rglob("*")):
            os.chown(place, 65534, 65534)
    (root / path).chmod(mode)
    try:
        child = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(root)], capture_output=True, text=True, check=False
        )
    finally:
        (root / path).chmod(0o755)
    assert (child.stdout, child.stderr) == (said + "\n", "")
    assert listing() == SPEC | OLD


def test_a_stage_without_a_journal_is_cleared(root: Path, listing: Listing) -> None:
    (root / ".trainshed/stage").mkdir(parents=True)
    (root / ".trainshed/stage/0").write_text("half")
    assert recover(root).value is False
    assert not (root / ".trainshed/stage").exists()
    assert listing() == SPEC | OLD


@pytest.mark.parametrize(
    "journal",
    [
        "",
        "[]",
        "{",
        '{"version": 1, "writes": []}',
        '{"version": 2, "writes": [], "removals": []}',
        '{"version": 1, "writes": "rendered/x", "removals": []}',
        '{"version": 1, "writes": [3], "removals": []}',
        '{"version": 1, "writes": ["specs/a.yaml"], "removals": []}',
        '{"version": 1, "writes": [], "removals": ["specs/a.yaml"]}',
        '{"version": 1, "writes": [], "removals": ["rendered/../specs/a.yaml"]}',
        '{"version": 1, "writes": [], "removals": ["/etc/passwd"]}',
        "[" * 100_000,
    ],
)
def test_a_foreign_journal_is_refused(root: Path, render: Render, listing: Listing, journal: str) -> None:
    (root / ".trainshed/stage").mkdir(parents=True)
    (root / ".trainshed/journal").write_text(journal)
    said = [".trainshed/journal:1:1: broken-journal: .trainshed/journal is not a journal of this release"]
    assert say(recover(root).findings) == said
    assert say(render({"rendered/x/a/job.yaml": "new\n"})) == said
    assert listing() == SPEC | OLD


def test_a_journal_does_not_lead_through_a_link(root: Path, listing: Listing) -> None:
    (root / ".trainshed/stage").mkdir(parents=True)
    (root / ".trainshed/stage/0").write_text("evil\n")
    (root / ".trainshed/journal").write_text(
        '{"version": 1, "writes": ["rendered/l/a.yaml"], "removals": []}'
    )
    (root / "rendered/l").symlink_to(root / "specs")
    assert say(recover(root).findings) == ["rendered/l:1:1: symlink: rendered/l is a symbolic link"]
    assert listing() == SPEC | OLD | {"rendered/l": f"-> {root / 'specs'}"}


def test_a_linked_journal_is_refused(root: Path, listing: Listing) -> None:
    (root / ".trainshed/stage").mkdir(parents=True)
    (root / "journal").write_text('{"version": 1, "writes": [], "removals": ["rendered/x/a/job.yaml"]}')
    (root / ".trainshed/journal").symlink_to(root / "journal")
    assert [finding.code for finding in recover(root).findings] == [Code.SYMLINK]
    assert listing().items() >= OLD.items()


def test_a_pipe_for_a_journal_is_refused_without_waiting_for_a_writer(root: Path) -> None:
    (root / ".trainshed").mkdir()
    os.mkfifo(root / ".trainshed/journal")
    assert [finding.code for finding in recover(root).findings] == [Code.BROKEN_JOURNAL]


def test_a_render_first_finishes_what_a_crashed_one_promised(
    root: Path, render: Render, listing: Listing
) -> None:
    (root / ".trainshed/stage").mkdir(parents=True)
    (root / ".trainshed/stage/0").write_text("promised\n")
    (root / ".trainshed/journal").write_text(
        '{"version": 1, "writes": ["rendered/x/b/job.yaml"], "removals": ["rendered/x/a/job.yaml"]}'
    )
    selects = select_below([PurePosixPath("rendered/x/c")])
    assert render({"rendered/x/c/job.yaml": "c\n"}, selects) == ()
    assert listing() == SPEC | {
        "overlays/a/base/k.yaml": "k\n",
        "rendered/x/b/job.yaml": "promised\n",
        "rendered/x/c/job.yaml": "c\n",
    }


def test_an_interrupt_after_the_commit_point_still_finishes(
    root: Path, render: Render, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace
    calls: list[str] = []

    def interrupt_third(source: str, target: str) -> None:
        calls.append(target)
        if len(calls) == 3:
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupt_third)
    new = {"rendered/x/a/job.yaml": "new\n", "rendered/x/b/job.yaml": "b\n", "rendered/x/c/job.yaml": "c\n"}
    with pytest.raises(KeyboardInterrupt):
        render(new)
    assert listing() == SPEC | new
    assert recover(root).value is False


def test_an_obstacle_after_the_commit_point_is_told_and_the_next_command_finishes(
    root: Path, render: Render, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def refuse_job(source: str, target: str) -> None:
        if str(target).endswith("job.yaml"):
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(target))
        replace(source, target)

    new = {"overlays/a/base/k.yaml": "changed\n", "rendered/x/a/job.yaml": "new\n"}
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", refuse_job)
        findings = render(new)
    assert say(findings) == [
        "rendered/x/a/job.yaml:1:1: unwritable-file: "
        "cannot write rendered/x/a/job.yaml: operation not permitted"
    ]
    assert findings[0].detail == (
        "the render is half done and the next command finishes it; "
        "make it writable for you, then run the command again"
    )
    assert recover(root).value is True
    assert listing() == SPEC | new


HOLD_LOCK = """
import sys
from pathlib import Path
from trainshed.report.lock import hold_lock, open_workshop
with hold_lock(open_workshop(Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.readline()
"""

COMMIT = """
import sys
from pathlib import Path, PurePosixPath
from trainshed.report.changes import plan_changes
from trainshed.report.commit import commit_changes
root = Path(sys.argv[1])
planned = plan_changes(root, {PurePosixPath("rendered/x/second.yaml"): "second\\n"})
print("planned", flush=True)
print(len(commit_changes(root, planned.value)), flush=True)
"""


def start(program: str, root: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", program, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_a_second_render_gives_up_when_its_patience_ends(root: Path, listing: Listing) -> None:
    planned = plan_changes(root, {PurePosixPath("rendered/x/a/job.yaml"): "new\n"}).value
    assert planned is not None
    with start(HOLD_LOCK, root) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        findings = commit_changes(root, planned, patience_seconds=0)
        holder.communicate("\n")
    assert [finding.code for finding in findings] == [Code.TREE_LOCKED]
    assert listing() == SPEC | OLD


def test_a_second_render_waits_and_then_replaces_what_the_first_wrote(root: Path, listing: Listing) -> None:
    with start(HOLD_LOCK, root) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with start(COMMIT, root) as second:
            assert second.stdout is not None
            assert second.stdout.readline() == "planned\n"
            (root / "rendered/x/first.yaml").write_text("written by the first after the second had planned\n")
            first.communicate("\n")
            assert second.stdout.readline() == "0\n"
    assert listing() == SPEC | {"rendered/x/second.yaml": "second\n"}
