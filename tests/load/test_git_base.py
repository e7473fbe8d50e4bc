"""The base of a change, read from the objects of real Git repositories in every shape that people and CI have them."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pytest

from trainshed.load.git_base import load_base
from trainshed.model.codes import Code
from trainshed.model.inputs import Base, BaseError

FILE = "rendered/lab/app/job.yaml"


def git(folder: Path, *words: str) -> str:
    """Run Git with an identity, and without the settings of whoever runs the tests."""
    who = {"NAME": "A Person", "EMAIL": "person@example.com"}
    own = {f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in who.items()}
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    fixed = [
        "-c",
        "init.defaultBranch=main",
        "-c",
        "protocol.file.allow=always",
        "-c",
        "commit.gpgSign=false",
    ]
    done = subprocess.run(
        ["git", *fixed, *words],
        cwd=folder,
        env={**os.environ, **own, **settings},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def commit(folder: Path, text: str, file: str = FILE) -> str:
    """A commit in which the file holds the text; its hash."""
    write(folder, {file: text})
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", text)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Three commits on main and two on a branch that left it at the second; the branch is checked out."""
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init", "--quiet")
    commit(folder, "one")
    commit(folder, "two")
    git(folder, "tag", "--annotate", "v2", "--message", "two")
    git(folder, "switch", "--quiet", "--create", "change")
    commit(folder, "changed")
    commit(folder, "changed again")
    git(folder, "switch", "--quiet", "main")
    commit(folder, "three")
    git(folder, "switch", "--quiet", "change")
    return folder


def read(root: Path, ref: str) -> Base:
    outcome = load_base(root, ref)
    assert outcome.value is not None, outcome.findings
    return outcome.value


def text_at(root: Path, ref: str) -> str:
    return read(root, ref).files[PurePosixPath(FILE)].decode()


def refusal(root: Path, ref: str) -> tuple[str, str]:
    outcome = load_base(root, ref)
    assert outcome.value is None
    (finding,) = outcome.findings
    assert (str(finding.source), finding.code) == (".:1:1", Code.UNKNOWN_BASE)
    return finding.summary, finding.detail


def test_base_is_where_the_branch_left_and_not_what_was_merged_since(clone: Path) -> None:
    assert text_at(clone, "main") == "two"


def test_files_below_our_folders_are_there_and_no_others(clone: Path) -> None:
    write(clone, {"specs/a.yaml": "a", "overlays/b/c.yaml": "b", "docs/d.md": "d", "rendered.txt": "e"})
    commit(clone, "four")
    assert {str(path) for path in read(clone, "HEAD").files} == {"overlays/b/c.yaml", FILE, "specs/a.yaml"}


def test_links_are_no_files_of_the_base(clone: Path) -> None:
    (clone / "rendered/link").symlink_to("/etc/passwd")
    commit(clone, "four")
    assert [str(path) for path in read(clone, "HEAD").files] == [FILE]


def test_what_is_not_committed_is_not_in_the_base(clone: Path) -> None:
    write(clone, {FILE: "edited", "rendered/new.yaml": "new"})
    assert text_at(clone, "HEAD") == "changed again"
    assert len(read(clone, "HEAD").files) == 1


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        ("HEAD", "changed again"),
        ("@", "changed again"),
        ("HEAD~1", "changed"),
        ("HEAD~", "changed"),
        ("HEAD^", "changed"),
        ("HEAD^0", "changed again"),
        ("HEAD~2", "two"),
        ("change~1^1~1", "one"),
        ("main~2", "one"),
        ("v2", "two"),
        ("refs/tags/v2", "two"),
        ("refs/heads/main", "two"),
        ("v2~1", "one"),
    ],
)
def test_commits_can_be_named_as_for_git(clone: Path, ref: str, text: str) -> None:
    assert text_at(clone, ref) == text


def test_second_parents_of_merges_can_be_named(clone: Path) -> None:
    git(clone, "merge", "--quiet", "--strategy=ours", "--no-edit", "main")
    assert text_at(clone, "HEAD^2") == "three"
    assert text_at(clone, "HEAD^2~1") == "two"
    assert text_at(clone, "main") == "three"


@pytest.mark.parametrize("length", [40, 12, 4])
def test_hashes_can_be_whole_or_cut(clone: Path, length: int) -> None:
    first = git(clone, "rev-parse", "main~2")
    assert text_at(clone, first[:length]) == "one"
    assert read(clone, first[:length]).commit == first


def test_names_that_are_as_long_as_hashes_are_names(clone: Path) -> None:
    for name in ("feature/of-20-charss", "x" * 40):
        git(clone, "branch", name, "main~1")
        assert text_at(clone, name) == "two"


def test_remote_branches_can_be_named(clone: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(clone), "second")
    assert text_at(tmp_path / "second", "origin/main") == "two"
    assert text_at(tmp_path / "second", "origin") == "changed again"


def test_packed_references_and_objects_are_read(clone: Path) -> None:
    git(clone, "pack-refs", "--all")
    git(clone, "gc", "--quiet", "--aggressive")
    assert not (clone / ".git/refs/heads/main").exists()
    assert text_at(clone, "main") == "two"
    assert text_at(clone, "v2~1") == "one"


def test_detached_head_is_compared_like_a_branch(clone: Path) -> None:
    git(clone, "switch", "--quiet", "--detach", "HEAD~1")
    assert text_at(clone, "main") == "two"
    assert text_at(clone, "HEAD") == "changed"


def test_linked_worktree_reads_the_clone_that_it_belongs_to(clone: Path, tmp_path: Path) -> None:
    git(clone, "worktree", "add", "--quiet", str(tmp_path / "linked"), "main")
    assert text_at(tmp_path / "linked", "change") == "two"
    assert text_at(tmp_path / "linked", "HEAD") == "three"


def test_repository_may_be_a_folder_below_the_top_of_the_clone(clone: Path) -> None:
    commit(clone, "deep", f"ml/training/{FILE}")
    assert text_at(clone / "ml/training", "HEAD") == "deep"
    assert read(clone / "ml", "HEAD").files == {}


def test_folder_that_the_base_does_not_have_yet_is_empty(clone: Path) -> None:
    (clone / "new").mkdir()
    assert read(clone / "new", "main").files == {}


def test_relative_folders_and_links_to_the_clone_are_followed(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(clone)
    assert text_at(tmp_path / "link", "main") == "two"
    monkeypatch.chdir(clone)
    assert text_at(Path(), "main") == "two"


def test_branches_without_a_common_commit_are_compared_as_they_are(clone: Path) -> None:
    git(clone, "switch", "--quiet", "--orphan", "fresh")
    commit(clone, "fresh")
    outcome = load_base(clone, "main")
    assert outcome.value is not None
    assert outcome.value.files[PurePosixPath(FILE)] == b"three"
    assert [(note.severity, note.summary) for note in outcome.findings] == [
        ("note", 'HEAD and "main" share no commit that is here: compared with "main" itself')
    ]


def test_first_branch_without_a_commit_is_compared_with_what_is_named(clone: Path) -> None:
    git(clone, "switch", "--quiet", "--orphan", "fresh")
    assert text_at(clone, "main") == "three"


def shallow(clone: Path, tmp_path: Path, *words: str) -> Path:
    """What CI checks out: the newest commit of the branch, and nothing else."""
    git(tmp_path, "clone", "--quiet", "--depth=1", *words, f"file://{clone}", "shallow")
    return tmp_path / "shallow"


def test_shallow_clone_says_how_to_fetch_the_base(clone: Path, tmp_path: Path) -> None:
    folder = shallow(clone, tmp_path)
    summary, advice = refusal(folder, "origin/main")
    assert summary == '"origin/main" is not in this clone'
    assert advice == "fetch it: `git fetch --depth=1 origin +refs/heads/main:refs/remotes/origin/main`"
    git(folder, *advice.split("`")[1].split()[1:])
    outcome = load_base(folder, "origin/main")
    assert outcome.value is not None
    assert outcome.value.files[PurePosixPath(FILE)] == b"three"
    assert [note.detail.split(":")[0] for note in outcome.findings] == ["fetch more"]


def test_shallow_clone_that_was_deepened_knows_where_the_branch_left(clone: Path, tmp_path: Path) -> None:
    folder = shallow(clone, tmp_path, "--no-single-branch")
    git(folder, "fetch", "--quiet", "--deepen=100", "origin")
    assert text_at(folder, "origin/main") == "two"
    assert load_base(folder, "origin/main").findings == ()


def test_commit_beyond_a_shallow_clone_is_said_to_be_there(clone: Path, tmp_path: Path) -> None:
    assert refusal(shallow(clone, tmp_path), "HEAD~1") == (
        '"HEAD~1" lies beyond the commits that were fetched',
        "fetch more: `git fetch --deepen=100 origin`, or `fetch-depth: 0` in actions/checkout",
    )


def test_clone_without_blobs_is_said_to_lack_them(clone: Path, tmp_path: Path) -> None:
    git(clone, "config", "uploadpack.allowFilter", "true")
    words = ["--quiet", "--filter=blob:none", "--no-checkout", f"file://{clone}", "partial"]
    git(tmp_path, "clone", *words)
    summary, advice = refusal(tmp_path / "partial", "origin/main")
    assert summary.startswith("object ")
    assert summary.endswith(" of the base is not in this clone")
    assert "without a filter" in advice
    git(tmp_path / "partial", *advice.split("`")[1].split()[1:])
    assert text_at(tmp_path / "partial", "origin/main") == "two"


@pytest.mark.parametrize(
    ("ref", "summary", "advice"),
    [
        ("mian", '"mian" is no branch, tag or hash of this repository', 'did you mean "main"?'),
        ("zzz", '"zzz" is no branch, tag or hash of this repository', "known here: change, main, v2"),
        ("main~9", '"main~9" lies before the first commit', "name a later commit"),
        ("main^2", '"main^2" lies before the first commit', "name a later commit"),
        (
            "main:specs",
            '"main:specs" names no commit',
            "write a branch, tag or hash, such as origin/main or HEAD~1",
        ),
        ("", '"" names no commit', "write a branch, tag or hash, such as origin/main or HEAD~1"),
        ("~1", '"~1" names no commit', "write a branch, tag or hash, such as origin/main or HEAD~1"),
        (
            "deadbeef",
            '"deadbeef" is no branch, tag or hash of this repository',
            "known here: change, main, v2",
        ),
        ("..", '".." is no branch, tag or hash of this repository', "known here: change, main, v2"),
        ("--all", '"--all" is no branch, tag or hash of this repository', "known here: change, main, v2"),
        ("b\u00e9", '"b\u00e9" is no branch, tag or hash of this repository', "known here: change, main, v2"),
        (
            "../../HEAD",
            '"../../HEAD" is no branch, tag or hash of this repository',
            "known here: change, main, v2",
        ),
    ],
)
def test_what_names_no_commit_is_refused_with_advice(
    clone: Path, ref: str, summary: str, advice: str
) -> None:
    assert refusal(clone, ref) == (summary, advice)


def test_trees_and_blobs_are_no_base(clone: Path) -> None:
    summary, _ = refusal(clone, git(clone, "rev-parse", "HEAD^{tree}"))
    assert summary.endswith("is no branch, tag or hash of this repository")


def test_folder_without_git_has_no_base(tmp_path: Path) -> None:
    assert refusal(tmp_path, "main")[0] == "there is no Git repository here"


def test_damaged_repository_is_a_finding(clone: Path) -> None:
    loose = clone / ".git/objects" / git(clone, "rev-parse", "main~1^{tree}")[:2]
    for file in loose.iterdir():
        file.chmod(0o644)
        file.write_bytes(b"not what zlib wrote")
    summary, advice = refusal(clone, "main")
    assert summary.startswith("the Git repository cannot be read: ")
    assert "git fsck" in advice


def test_file_that_turns_out_to_be_damaged_is_a_finding(clone: Path) -> None:
    base = read(clone, "main")
    name = git(clone, "rev-parse", f"main~1:{FILE}")
    file = clone / ".git/objects" / name[:2] / name[2:]
    file.chmod(0o644)
    file.write_bytes(b"not what zlib wrote")
    with pytest.raises(BaseError) as refused:
        base.files[PurePosixPath(FILE)]
    assert refused.value.finding.summary.startswith("the Git repository cannot be read: ")


def test_files_of_another_path_are_missing_as_in_any_mapping(clone: Path) -> None:
    assert PurePosixPath("rendered/none.yaml") not in read(clone, "main").files
