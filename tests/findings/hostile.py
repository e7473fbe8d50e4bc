"""Files that Git cannot hold, or that only an enemy would commit."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from repositories import JOB

from trainshed.model.codes import Code

SPEC = "specs/jobs/vision"
WITH_SCRIPT = JOB.replace("{command: [python, -m, train]}", "{script: train.py}")
LONG = JOB + "description: " + "x" * 70_000 + "\n"
AWS_KEY = "AKIA" + "IOSFODNN7EXAMPLE"
ACCOUNT = "rendered/lab/team-vision/serviceaccount-train.yaml"
QUEUE = "rendered/lab/team-vision/localqueue-*.yaml"
SEAL = "overlays/job-vision-resnet/lab/seals/*.json"
RUN = "rendered/lab/job-vision-resnet/job-*.yaml"
NOTES = "rawObjects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: notes}, data: {text: hello}}]\n"
CLAIM = "rendered/lab/team-vision/persistentvolumeclaim-data.yaml"


def nothing(_: Path) -> None:
    """The files alone are the mistake."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """What is laid over the small repository. What `trainshed check` says then is in `<code>/<name>/report.txt`.

    `breaks` does to the repository what files cannot; with `rendered`, after a render.
    """

    code: Code
    name: str
    files: Mapping[str, str | bytes] = field(default_factory=dict[str, str | bytes])
    breaks: Callable[[Path], None] = nothing
    rendered: bool = False

    @property
    def folder(self) -> str:
        """Where the report is, below tests/findings."""
        return f"{self.code}/{self.name.replace(' ', '-')}"


def link(name: str, to: str) -> Callable[[Path], None]:
    return lambda root: (root / name).symlink_to(to)


def pipe(name: str) -> Callable[[Path], None]:
    return lambda root: os.mkfifo(root / name)


def sparse(name: str, num_bytes: int) -> Callable[[Path], None]:
    """A file of that size that takes no space."""

    def make(root: Path) -> None:
        (root / name).touch()
        os.truncate(root / name, num_bytes)

    return make


def named(name: bytes) -> Callable[[Path], None]:
    """A spec of that name."""
    return lambda root: Path(os.fsdecode(os.fsencode(root / SPEC) + b"/" + name)).write_text(JOB)


def edit(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


def one(root: Path, pattern: str) -> Path:
    """The only file of the pattern."""
    (path,) = root.glob(pattern)
    return path


def change_default(root: Path) -> None:
    """What is rendered from now on differs."""
    edit(root / "specs/teams/vision.yaml", "defaults: {", "defaults: {env: {A: b}, ")


HOSTILE = (
    Hostile(Code.SYMLINK, "a spec that is a link", breaks=link(f"{SPEC}/linked.yaml", "/etc/hostname")),
    Hostile(Code.SYMLINK, "a folder that is a link", breaks=link("specs/jobs/other", "/etc")),
    Hostile(
        Code.SYMLINK,
        "a code file that is a link",
        files={f"{SPEC}/resnet.yaml": WITH_SCRIPT},
        breaks=link(f"{SPEC}/train.py", "/etc/hostname"),
    ),
    Hostile(
        Code.SYMLINK,
        "a code file that is a link to a device",
        files={f"{SPEC}/resnet.yaml": WITH_SCRIPT},
        breaks=link(f"{SPEC}/train.py", "/dev/zero"),
    ),
    Hostile(Code.SYMLINK, "generated files behind a link", breaks=link("rendered", "/tmp")),
    Hostile(Code.NOT_A_FILE, "a spec that is a pipe", breaks=pipe(f"{SPEC}/pipe.yaml")),
    Hostile(
        Code.NOT_A_FILE,
        "a code file that is a pipe",
        files={f"{SPEC}/resnet.yaml": WITH_SCRIPT},
        breaks=pipe(f"{SPEC}/train.py"),
    ),
    Hostile(
        Code.NOT_A_FILE,
        "a code file that is a folder",
        files={f"{SPEC}/resnet.yaml": WITH_SCRIPT, f"{SPEC}/train.py/x": ""},
    ),
    Hostile(
        Code.FILE_TOO_LARGE, "a spec of a hundred megabytes", breaks=sparse(f"{SPEC}/large.yaml", 100 * 2**20)
    ),
    Hostile(
        Code.FILE_TOO_LARGE,
        "a code file of two megabytes",
        files={f"{SPEC}/resnet.yaml": WITH_SCRIPT},
        breaks=sparse(f"{SPEC}/train.py", 2 * 2**20),
    ),
    Hostile(
        Code.CODE_TOO_LARGE,
        "code files that are too large together",
        files={
            f"{SPEC}/resnet.yaml": WITH_SCRIPT + "code: {files: [tables.py]}\n",
            f"{SPEC}/train.py": "#" * 600_000,
            f"{SPEC}/tables.py": "#" * 600_000,
        },
    ),
    Hostile(Code.FILE_NAME, "a name with control characters", breaks=named(b"res\x1b[31mnet.yaml")),
    Hostile(Code.FILE_NAME, "a name that is no text", breaks=named(b"res\xffnet.yaml")),
    Hostile(Code.FILE_NAME, "a name with dots and backslashes", breaks=named(b"re\\..\\snet.yaml")),
    Hostile(Code.FILE_NAME, "a name like an option", breaks=named(b"-rf.yaml")),
    Hostile(
        Code.PATH_ESCAPE,
        "a script by a path that leads out",
        files={f"{SPEC}/resnet.yaml": WITH_SCRIPT.replace("train.py", "deep/../../../../../etc/hostname")},
    ),
    Hostile(
        Code.ENCODING,
        "a spec that is not utf-8",
        files={f"{SPEC}/resnet.yaml": JOB.encode() + b"description: caf\xe9\n"},
    ),
    Hostile(Code.ENCODING, "a spec from windows", files={f"{SPEC}/resnet.yaml": JOB.encode("utf-16")}),
    Hostile(
        Code.ENCODING, "a spec with a zero byte", files={f"{SPEC}/resnet.yaml": JOB + "description: a\0b\n"}
    ),
    Hostile(
        Code.UNREADABLE_FILE,
        "a folder without specs",
        breaks=lambda root: (root / "specs").rename(root / "spec"),
    ),
    Hostile(Code.YAML_LENGTH, "a value without end", files={f"{SPEC}/resnet.yaml": LONG}),
    Hostile(
        Code.YAML_DEPTH,
        "a hundred thousand brackets",
        files={f"{SPEC}/resnet.yaml": JOB + "parameters: " + "[" * 100_000 + "\n"},
    ),
    Hostile(
        Code.YAML_ALIASES,
        "an alias within itself",
        files={f"{SPEC}/resnet.yaml": JOB + "parameters: &p {again: *p}\n"},
    ),
    Hostile(
        Code.PLAIN_SECRET,
        "a secret in code",
        files={
            f"{SPEC}/resnet.yaml": WITH_SCRIPT,
            f"{SPEC}/train.py": "import os\n\nKEY = '" + AWS_KEY + "'\n",
        },
    ),
    Hostile(
        Code.BROKEN_JOURNAL,
        "the record of a render by somebody else",
        files={".trainshed/journal": '{"version": 1, "writes": ["../../etc/passwd"], "removals": []}'},
    ),
    Hostile(
        Code.MISSING_FILE,
        "a generated file that was removed",
        breaks=lambda root: (root / CLAIM).unlink(),
        rendered=True,
    ),
    Hostile(
        Code.REFUSED_CHANGE,
        "a queue that was edited by hand",
        breaks=lambda root: edit(one(root, QUEUE), "clusterQueue: vision", "clusterQueue: fraud"),
        rendered=True,
    ),
    Hostile(
        Code.BAD_SEAL,
        "a seal in which two branches met",
        breaks=lambda root: one(root, SEAL).write_text("<<<<<<< HEAD\n{}\n=======\n[]\n>>>>>>> other\n"),
        rendered=True,
    ),
    Hostile(
        Code.SEAL_MISSING,
        "a seal that was removed",
        breaks=lambda root: change_default(root) or one(root, SEAL).unlink(),
        rendered=True,
    ),
    Hostile(
        Code.SEALED_CHANGED,
        "a run that was edited by hand",
        breaks=lambda root: change_default(root) or edit(one(root, RUN), "train:1.0", "train:2.0"),
        rendered=True,
    ),
    Hostile(
        Code.KEPT_CLASH,
        "an object of the run that is kept",
        files={f"{SPEC}/resnet.yaml": JOB + "whenEdited: keep\n" + NOTES},
        breaks=lambda root: edit(root / SPEC / "resnet.yaml", "text: hello", "text: goodbye"),
        rendered=True,
    ),
    Hostile(
        Code.STALE_FILE,
        "a generated file that was edited",
        breaks=lambda root: edit(root / ACCOUNT, "false", "true"),
        rendered=True,
    ),
    Hostile(
        Code.FOREIGN_FILE,
        "a file among the generated ones",
        breaks=lambda root: (root / "rendered/lab/notes.yaml").write_text("a: 1\n"),
        rendered=True,
    ),
)
