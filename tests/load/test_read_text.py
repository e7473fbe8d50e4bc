"""Files that can be taken in, and all the things in their place that cannot."""

import os
import socket
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from trainshed.load.files import SPEC_LIMIT_BYTES, read_text
from trainshed.model.diagnostic import Findings
from trainshed.model.outcome import Outcome

Spell = Callable[[Findings], list[str]]


FILE = PurePosixPath("specs/a.yaml")


def read(root: Path, content: bytes, limit_bytes: int = SPEC_LIMIT_BYTES) -> Outcome[str]:
    (root / "specs").mkdir()
    (root / FILE).write_bytes(content)
    return read_text(root, FILE, limit_bytes)


def test_text_comes_as_it_is(tmp_path: Path) -> None:
    assert read(tmp_path, "a: ä𝄞\r\nb\n\n".encode()) == Outcome("a: ä𝄞\r\nb\n\n")


def test_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, b"x" * 100_000, 100_000).value == "x" * 100_000


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        (b"a: 1\n\xc3\xa4 \xff\n", "2:3+1 encoding: byte 0xff is not UTF-8"),
        (b"a\n\xed\xa0\x80", "2:1+1 encoding: byte 0xed is not UTF-8"),
        (b"ab\xc3", "1:3+1 encoding: byte 0xc3 is not UTF-8"),
        (b"\xef\xbb\xbfa: 1\n", "1:1+1 encoding: this file begins with a byte order mark"),
        ("a: 1".encode("utf-16"), "1:1+1 encoding: this file is written in UTF-16"),
        (b"\xfe\xff\0a", "1:1+1 encoding: this file is written in UTF-16"),
        ("a: 1".encode("utf-32"), "1:1+1 encoding: this file is written in UTF-32"),
        ("a: 1".encode("utf-16-le"), "1:2+1 encoding: a zero byte stands here: this is not text"),
        (b"x\n\xc3\xa4b\0", "2:3+1 encoding: a zero byte stands here: this is not text"),
        (b"x" * 101, '1:1+1 file-too-large: "specs/a.yaml" has more than 100 bytes'),
    ],
)
def test_content_that_is_no_text_is_refused_at_its_byte(
    content: bytes, finding: str, tmp_path: Path, spell: Spell
) -> None:
    outcome = read(tmp_path, content, 100)
    assert outcome.value is None
    assert spell(outcome.findings) == [finding]


def test_huge_file_is_refused_by_its_size(tmp_path: Path, spell: Spell) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / FILE).touch()
    os.truncate(tmp_path / FILE, 100 * 2**20)
    outcome = read_text(tmp_path, FILE, SPEC_LIMIT_BYTES)
    assert spell(outcome.findings) == ['1:1+1 file-too-large: "specs/a.yaml" has more than 1048576 bytes']


def test_file_that_says_nothing_of_its_size_is_still_bounded(spell: Spell) -> None:
    outcome = read_text(Path("/proc/self"), PurePosixPath("environ"), 1)
    assert spell(outcome.findings) == ['1:1+1 file-too-large: "environ" has more than 1 bytes']


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(path))


def make_folder(path: Path) -> None:
    path.mkdir()


def make_link_to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_link_to_file(path: Path) -> None:
    path.with_name("b.yaml").touch()
    path.symlink_to("b.yaml")


def make_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def make_nothing(path: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("make", "finding"),
    [
        (make_pipe, 'not-a-file: "specs/a.yaml" is a device, pipe or socket, not a file'),
        (make_socket, 'not-a-file: "specs/a.yaml" is a device, pipe or socket, not a file'),
        (make_folder, 'not-a-file: "specs/a.yaml" is a folder, not a file'),
        (make_link_to_zeros, 'symlink: "specs/a.yaml" is a symbolic link'),
        (make_link_to_file, 'symlink: "specs/a.yaml" is a symbolic link'),
        (make_dangling_link, 'symlink: "specs/a.yaml" is a symbolic link'),
        (make_nothing, 'unreadable-file: "specs/a.yaml" does not exist'),
    ],
)
def test_what_is_no_file_is_told_at_once(
    make: Callable[[Path], None], finding: str, tmp_path: Path, spell: Spell
) -> None:
    (tmp_path / "specs").mkdir()
    make(tmp_path / FILE)
    outcome = read_text(tmp_path, FILE, SPEC_LIMIT_BYTES)
    assert outcome.value is None
    assert spell(outcome.findings) == [f"1:1+1 {finding}"]


def test_device_is_refused(spell: Spell) -> None:
    outcome = read_text(Path("/dev"), PurePosixPath("zero"), SPEC_LIMIT_BYTES)
    assert spell(outcome.findings) == ['1:1+1 not-a-file: "zero" is a device, pipe or socket, not a file']


def test_linked_folder_is_named_itself(tmp_path: Path) -> None:
    (tmp_path / "real" / "below").mkdir(parents=True)
    (tmp_path / "real" / "below" / "a.yaml").touch()
    (tmp_path / "specs").symlink_to("real")
    (finding,) = read_text(tmp_path, PurePosixPath("specs/below/a.yaml"), SPEC_LIMIT_BYTES).findings
    assert (finding.code, finding.source.path) == ("symlink", PurePosixPath("specs"))


def test_linked_repository_is_read(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_text("x")
    (tmp_path / "root").symlink_to("real")
    assert read_text(tmp_path / "root", PurePosixPath("a"), SPEC_LIMIT_BYTES) == Outcome("x")


def test_file_below_a_file_is_told(tmp_path: Path, spell: Spell) -> None:
    (tmp_path / "specs").touch()
    findings = read_text(tmp_path, FILE, SPEC_LIMIT_BYTES).findings
    assert spell(findings) == ['1:1+1 unreadable-file: "specs/a.yaml" stands below a file, not a folder']


@pytest.mark.parametrize(
    ("path", "finding"),
    [
        ("../a", 'path-escape: path "../a" leads elsewhere'),
        ("a/../../b", 'path-escape: path "a/../../b" leads elsewhere'),
        ("/etc/passwd", 'path-escape: path "/etc/passwd" leads elsewhere'),
        ("a/-rf", 'file-name: file name "a/-rf" begins with "-", like an option'),
        ("a\\b", 'file-name: file name "a\\b" holds a backslash'),
        ("a\nb/c", 'file-name: file name "a\\nb/c" holds characters that cannot be seen'),
        ("a\0b", 'file-name: file name "a\\x00b" holds characters that cannot be seen'),
        ("a\udcffb", 'file-name: file name "a\\udcffb" holds characters that cannot be seen'),
    ],
)
def test_path_that_tools_trip_over_is_refused(path: str, finding: str, tmp_path: Path, spell: Spell) -> None:
    findings = read_text(tmp_path, PurePosixPath(path), SPEC_LIMIT_BYTES).findings
    assert spell(findings) == [f"1:1+1 {finding}"]
    assert str(findings[0].source.path).isprintable()


def test_name_beyond_the_systems_limit_is_told(tmp_path: Path) -> None:
    (finding,) = read_text(tmp_path, PurePosixPath("x" * 300), SPEC_LIMIT_BYTES).findings
    assert (finding.code, finding.summary) == (
        "unreadable-file",
        f'"{"x" * 300}" has a name that is too long',
    )


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for path in ("specs/a.yaml", "missing/x", "specs/b", "specs"):
        read_text(tmp_path, PurePosixPath(path), SPEC_LIMIT_BYTES)
    assert len(os.listdir("/proc/self/fd")) == before
