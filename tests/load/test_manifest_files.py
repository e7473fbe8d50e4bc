"""Where manifests come from: which files are read, how they are named, and what of them may be shown."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pytest

from trainshed.load.manifest_files import LIMIT_BYTES, read_committed_objects, read_manifests
from trainshed.model.diagnostic import Findings
from trainshed.model.inputs import GivenManifests

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\n"


def named(name: str) -> str:
    return HEAD.replace("NAME", name)


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the command is run in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def take(
    *paths: str, root: Path = Path(), text: bytes = b"", cluster: str = ""
) -> tuple[GivenManifests, Findings]:
    outcome = read_manifests(root, paths, cluster, lambda limit: text[:limit])
    assert outcome.value is not None
    return outcome.value, outcome.findings


def found(*paths: str, root: Path = Path(), text: bytes = b"") -> list[tuple[str, str]]:
    """File and name of each object, where nothing is wrong."""
    given, findings = take(*paths, root=root, text=text)
    assert findings == ()
    return [(str(one.path), one.manifest.identity.name) for one in given.objects]


def wrong(*paths: str, root: Path = Path(), text: bytes = b"") -> list[str]:
    _, findings = take(*paths, root=root, text=text)
    return [
        f"{finding.source}: {finding.severity}[{finding.code}]: {finding.summary}" for finding in findings
    ]


def test_folders_are_read_with_all_below_them_and_files_as_they_are_named(here: Path) -> None:
    write(
        here,
        {
            "deploy/b.yml": named("b"),
            "deploy/a/c.json": '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c"}}',
            "deploy/notes.md": "# no manifest",
            "deploy/.hidden/d.yaml": named("d"),
            "single.txt": named("e"),
        },
    )
    assert found("deploy", "single.txt") == [
        ("deploy/a/c.json", "c"),
        ("deploy/b.yml", "b"),
        ("single.txt", "e"),
    ]
    assert found(".") == [("deploy/a/c.json", "c"), ("deploy/b.yml", "b")]
    assert found("deploy/a", "deploy/a/c.json", "./deploy/a") == [("deploy/a/c.json", "c")]


def test_standard_input_is_read_once(here: Path) -> None:
    assert found("-", "-", text=named("a").encode()) == [("<stdin>", "a")]


def test_objects_belong_to_the_cluster_that_they_are_judged_for(here: Path) -> None:
    given, _ = take("-", text=named("a").encode(), cluster="lab")
    assert [(one.app.cluster, one.app.app) for one in given.objects] == [("lab", "")]


def test_rendered_files_belong_to_the_app_of_their_folder(here: Path) -> None:
    write(here, {"rendered/lab/team-a/a.yaml": named("a"), "other/lab/team-a/b.yaml": named("b")})
    given, _ = take("other", "rendered")
    assert [one.app.app for one in given.objects] == ["", "team-a"]


def test_files_are_named_from_the_repository_or_from_the_top(here: Path, tmp_path: Path) -> None:
    write(tmp_path, {"repo/deploy/a.yaml": named("a"), "other/b.yaml": named("b")})
    root = tmp_path / "repo"
    assert found("../repo/deploy", root=root) == [("deploy/a.yaml", "a")]
    assert found(str(root / "deploy/a.yaml"), root=root) == [("deploy/a.yaml", "a")]
    assert found("../other", root=root) == [(f"{tmp_path}/other/b.yaml", "b")]


def test_kustomizations_are_passed_by_with_a_note(here: Path) -> None:
    write(here, {"deploy/kustomization.yaml": "resources: [a.yaml]\n", "deploy/a.yaml": named("a")})
    note = "deploy/kustomization.yaml:1:1: note[unjudged]: kustomization.yaml is no manifest: it is passed by"
    assert wrong("deploy") == [note]
    assert wrong("deploy/kustomization.yaml") == [
        "deploy/kustomization.yaml:1:1: error[empty-file]: there is no object here",
        note,
    ]
    given, findings = take("deploy")
    assert len(given.objects) == 1
    assert findings[0].detail == "to judge what it builds: `kubectl kustomize deploy | trainshed judge -`"


def test_nothing_to_judge_is_no_pass(here: Path) -> None:
    write(
        here,
        {
            "empty/x.md": "",
            "comment.yaml": "# nothing\n",
            "list.yaml": "apiVersion: v1\nkind: List\nitems: []\n",
        },
    )
    for path in ("empty", "comment.yaml", "list.yaml"):
        assert wrong(path) == [f"{path}:1:1: error[empty-file]: there is no object here"]
    assert wrong("-") == ["<stdin>:1:1: error[empty-file]: there is no object here"]


def test_files_that_cannot_be_taken_in_are_findings_at_their_paths(here: Path) -> None:
    write(here, {"deploy/a.yaml": named("a"), "deploy/latin.yaml": ""})
    (here / "deploy/latin.yaml").write_bytes(b"a: caf\xe9\n")
    (here / "deploy/link.yaml").symlink_to("/etc/passwd")
    os.mkfifo(here / "deploy/pipe.yaml")
    (here / "deploy/large.yaml").touch()
    os.truncate(here / "deploy/large.yaml", LIMIT_BYTES + 1)
    expected = [
        f'deploy/large.yaml:1:1: error[file-too-large]: "large.yaml" has more than {LIMIT_BYTES} bytes',
        "deploy/latin.yaml:1:7: error[encoding]: byte 0xe9 is not UTF-8",
        'deploy/link.yaml:1:1: error[symlink]: "link.yaml" is a symbolic link',
        'deploy/pipe.yaml:1:1: error[not-a-file]: "pipe.yaml" is a device, pipe or socket, not a file',
    ]
    assert wrong("deploy") == expected
    names = ("large", "latin", "link", "pipe")
    assert [line for name in names for line in wrong(f"deploy/{name}.yaml")] == expected
    assert wrong("/dev/null") == [
        '/dev/null:1:1: error[not-a-file]: "null" is a device, pipe or socket, not a file'
    ]


def test_standard_input_that_is_too_large_or_no_text_is_a_finding(here: Path) -> None:
    assert wrong("-", text=b"\xff") == ["<stdin>:1:1: error[encoding]: byte 0xff is not UTF-8"]
    assert wrong("-", text=b"a" * (LIMIT_BYTES + 9)) == [
        f"<stdin>:1:1: error[file-too-large]: standard input has more than {LIMIT_BYTES} bytes"
    ]


def test_lines_are_shown_but_for_documents_that_speak_of_a_secret(here: Path) -> None:
    secret = "apiVersion: v1\nkind: 'Secret'\nmetadata: {name: s}\nstringData: {password: hunter2}\n"
    text = f"{named('a')}---\n{secret}---\n{named('b')}"
    given, _ = take("-", text=text.encode())
    lines = given.lines[PurePosixPath("<stdin>")]
    written = text.split("\n")
    assert len(lines) == len(written)
    assert lines[:3] == tuple(written[:3])
    assert lines[3:8] == (None,) * 5
    assert lines[8:] == tuple(written[8:])


def test_lines_of_a_secret_are_hidden_in_json_and_where_it_cannot_be_read(here: Path) -> None:
    for text in (
        '{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Secret", "data": {"a": "aHVudGVyMg=="}}]}',
        "kind: Secret\nstringData: {password: [hunter2\n",
    ):
        given, _ = take("-", text=text.encode())
        assert set(given.lines[PurePosixPath("<stdin>")]) == {None}


def test_what_is_committed_for_a_cluster_is_read_as_far_as_it_can_be() -> None:
    committed = {
        PurePosixPath("rendered/lab/team-a/one.yaml"): named("one").encode(),
        PurePosixPath("rendered/lab/team-a/broken.yaml"): b"a: [\n",
        PurePosixPath("rendered/lab/team-a/latin.yaml"): b"\xff",
        PurePosixPath("rendered/other/team-a/two.yaml"): named("two").encode(),
        PurePosixPath("rendered/lab/argocd/root/three.yaml"): named("three").encode(),
        PurePosixPath("overlays/lab/team-a/four.yaml"): named("four").encode(),
    }
    objects = list(read_committed_objects(committed, "lab"))
    assert [(one.app.cluster, one.app.app, one.manifest.identity.name) for one in objects] == [
        ("lab", "team-a", "one"),
        ("lab", "argocd/root", "three"),
    ]
