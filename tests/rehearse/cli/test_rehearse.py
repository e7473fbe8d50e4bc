"""`trainshed rehearse`, with real processes: small manifests in, verdict and exit code out."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from repositories import Project, write_project

from trainshed.model.codes import Code
from trainshed.rehearse.faults import draw_faults

COUNT = """\
import os, time
done = "/out/done"
first = int(open(done).read()) if os.path.exists(done) else 0
for step in range(first + 1, 31):
    time.sleep(0.1)
    print("step", step, flush=True)
    if step % 5 == 0:
        open(done, "w").write(str(step))
"""
"""A training that saves every fifth step and goes on from there."""


def manifest(code: str = COUNT, command: str = "python", extra: str = "", out: str = "/out") -> str:
    indented = code.replace("\n", "\n    ")
    return f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: code, namespace: team}}
data:
  train.py: |
    {indented}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: count, namespace: team}}
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
      - name: train
        image: registry.example.com/train:1
        command: [{command}]
        args: [/code/train.py]
        volumeMounts:
        - {{name: code, mountPath: /code}}
        - {{name: out, mountPath: {out}}}
      volumes:
      - {{name: code, configMap: {{name: code}}}}
      - {{name: out, persistentVolumeClaim: {{claimName: out}}}}
{extra}"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return write_project(tmp_path, {"job.yaml": manifest()})


def test_a_run_that_ends_well_says_so_and_leaves_with_zero(project: Project) -> None:
    done = project.run("rehearse", "--manifest", "job.yaml")
    assert done.code == 0, done.out + done.err
    assert done.out.splitlines()[0] == "count ended well"
    assert "training   30 steps, no checkpoint saved" in done.out
    assert "note: " in done.err


def test_a_killed_pod_goes_on_and_the_end_state_is_the_same(project: Project) -> None:
    files = "--json", "record.json", "--html", "picture.html"
    done = project.run("rehearse", "--manifest", "job.yaml", "--kill", "pod-0@step=12", *files)
    assert done.code == 0, done.out + done.err
    record = json.loads((project.path / "record.json").read_text())
    (fault,) = record["verdict"]["faults"]
    assert fault["resumedStep"] == 10
    assert fault["stepsLost"] == fault["lastStep"] - 10 >= 2
    assert record["verdict"]["endState"] == "same"
    picture = (project.path / "picture.html").read_text()
    assert picture.count("<svg") > 1
    assert "kill pod-0 at step 12" in picture
    assert "://" not in picture and "<script" not in picture


def test_a_run_that_cannot_go_on_fails_as_its_controller_says(project: Project) -> None:
    project.write({"job.yaml": manifest("print('no luck')\nraise SystemExit(3)\n")})
    done = project.run("rehearse", "--manifest", "job.yaml")
    assert done.code == 1
    assert done.out.splitlines()[0] == "count did not end well: BackoffLimitExceeded"
    assert "last words  pod-0, train: exit code 3\n              no luck\n" in done.out


def test_what_is_left_differs_if_training_does_not_go_on_where_it_was(project: Project) -> None:
    forgetful = "import os\nopen('/out/lives', 'a').write('x')\n" + COUNT.replace(
        "os.path.exists(done)", "False"
    )
    project.write({"job.yaml": manifest(forgetful)})
    done = project.run("rehearse", "--manifest", "job.yaml", "--kill", "pod-0@step=4")
    assert done.code == 1
    assert "out/lives: differs" in done.out


def test_a_missing_program_is_said_at_the_manifest_before_anything_starts(project: Project) -> None:
    project.write({"job.yaml": manifest(command="no-such-trainer")})
    done = project.run("rehearse", "--manifest", "job.yaml")
    assert done.code == 1
    assert done.err.startswith("job.yaml:")
    assert f'error[{Code.REHEARSAL_MISSING}]: there is no "no-such-trainer" on this machine' in done.err
    assert done.out == ""


def test_a_missing_module_is_said_unless_the_code_can_do_without(project: Project) -> None:
    careful = "try:\n    import no_such_help\nexcept ImportError:\n    pass\n"
    project.write({"job.yaml": manifest(careful + "import no_such_framework\n")})
    done = project.run("rehearse", "--manifest", "job.yaml")
    assert done.code == 1
    assert 'the run needs the module "no_such_framework"' in done.err
    assert "no_such_help" not in done.err


@pytest.mark.parametrize(
    ("words", "summary"),
    [
        ("[/opt/app/train.py]", 'there is no "/opt/app/train.py" on this machine'),
        ("[train.py]", 'there is no "/train.py" on this machine'),
        ("[-m, no_such_package.train]", 'the run needs the module "no_such_package"'),
    ],
)
def test_what_lies_in_the_image_alone_is_said(project: Project, words: str, summary: str) -> None:
    project.write({"job.yaml": manifest().replace("[/code/train.py]", words)})
    done = project.run("rehearse", "--manifest", "job.yaml")
    assert done.code == 1
    assert summary in done.err


def test_a_folder_can_stand_where_the_image_has_its_code(project: Project) -> None:
    project.write({"job.yaml": manifest().replace("[/code/train.py]", "[/opt/app/train.py]")})
    project.write({"src/train.py": "print('from the folder')\n"})
    done = project.run("rehearse", "--manifest", "job.yaml", "--mount", "/opt/app=src", "--keep", "kept")
    assert done.code == 0, done.out + done.err
    assert "from the folder" in (project.path / "kept/rehearsal/pods/pod-0.1/logs/train.log").read_text()


def test_a_claim_can_hold_something_from_the_beginning(project: Project) -> None:
    project.write({"corpus/done": "28"})
    done = project.run("rehearse", "--manifest", "job.yaml", "--claim", "out=corpus", "--json", "record.json")
    assert done.code == 0, done.out + done.err
    events = json.loads((project.path / "record.json").read_text())["events"]
    assert [event["step"] for event in events if event["happening"] == "step"] == [29, 30]


def test_an_unknown_pod_suggests_the_nearest(project: Project) -> None:
    done = project.run("rehearse", "--manifest", "job.yaml", "--kill", "pod-1@step=3")
    assert done.code == 2
    assert '--kill: no pod "pod-1"; did you mean "pod-0"?' in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a JOB, or --manifest FILE, and not both"),
        (("count", "--manifest", "job.yaml"), "name a JOB, or --manifest FILE, and not both"),
        (("count",), 'no job "count" is rendered'),
        (("--manifest", "job.yaml", "--kill", "pod-0"), '"pod-0" does not say when'),
        (("--manifest", "job.yaml", "--timeout", "soon"), '"soon" is no duration'),
        (("--manifest", "job.yaml", "--scale", "large"), '"large" is no scale'),
        (("--manifest", "job.yaml", "--secret", "token=1"), "--secret: write NAME/KEY=VALUE"),
        (("--manifest", "job.yaml", "--mount", "/opt=nowhere"), "--mount /opt: there is no folder"),
        (("--manifest", "job.yaml", "--claim", "uot=."), '--claim: no claim "uot"; did you mean "out"?'),
        (("--manifest", "job.yaml", "--keep", "."), "--keep: . holds something already"),
    ],
)
def test_a_wrong_command_line_says_what_is_right(
    project: Project, arguments: tuple[str, ...], words: str
) -> None:
    done = project.run("rehearse", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def processes_of_session(session: int) -> list[str]:
    """The command lines of all that lives in a session, by /proc/<pid>/stat."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                found.append((folder / "cmdline").read_text())
    return found


def test_an_interrupted_rehearsal_leaves_nothing_behind(project: Project, tmp_path: Path) -> None:
    endless = "import time\nprint('step 1', flush=True)\ntime.sleep(600)\n"
    project.write({"job.yaml": manifest(endless)})
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-m", "trainshed", "rehearse", "--manifest", "job.yaml"]
    process = subprocess.Popen(
        command, cwd=project.path, env={**os.environ, "TMPDIR": str(temporary)}, start_new_session=True
    )
    while not list(temporary.glob("trainshed-*/rehearsal/pods/*/logs/*.log")):
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert list(temporary.iterdir()) == []
    assert processes_of_session(process.pid) == []


def test_a_rendered_job_is_found_by_its_name_and_an_unknown_one_suggests_the_nearest(
    project: Project,
) -> None:
    labels = "  labels: {trainshed.dev/job: count}\n"
    text = manifest().replace(
        "metadata: {name: count, namespace: team}\n", "metadata:\n  name: count\n  namespace: team\n" + labels
    )
    text = text.replace(labels, "  labels:\n    trainshed.dev/job: count\n    trainshed.dev/team: team\n")
    project.write({"rendered/lab/job-team-count/job-count.yaml": text})
    done = project.run("rehearse", "cuont")
    assert done.code == 2
    assert 'no job "cuont" is rendered; did you mean "count"?' in done.err
    assert project.run("rehearse", "count", "--cluster", "lob").err.startswith(
        'trainshed: "count" is not rendered for cluster "lob"; did you mean "lab"?'
    )


TELL_TALE = """\
import os, sys
print("token", os.environ["TOKEN"], sys.argv[1])
print(os.environ["KEYS"])
sys.exit(7 if os.environ["TOKEN"] == "/out/hush-hush" else 1)
"""
WITH_SECRETS = """\
---
apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: team}
stringData: {token: /out/hush-hush, KEYS: "first-line\\nsecond-line\\n"}
"""


@pytest.mark.parametrize("rooms", ["isolated", "plain"])
def test_what_a_secret_holds_is_told_nowhere(tmp_path: Path, rooms: str) -> None:
    text = manifest(TELL_TALE, extra=WITH_SECRETS).replace("backoffLimit: 3", "backoffLimit: 0")
    text = text.replace(
        "args: [/code/train.py]",
        "args: [/code/train.py, '--as=$(GIVEN)', '/out/x']\n"
        "        envFrom: [{secretRef: {name: keys}}]\n"
        "        env:\n"
        "        - {name: TOKEN, valueFrom: {secretKeyRef: {name: keys, key: token}}}\n"
        "        - {name: GIVEN, valueFrom: {secretKeyRef: {name: other, key: id}}}\n"
        "        - {name: URL, value: 'file:///out/$(GIVEN)'}",
    )
    project = write_project(tmp_path, {"job.yaml": text})
    done = project.run(
        *("rehearse", "--manifest", "job.yaml", "--rooms", rooms, "--secret", "other/id=from-the-shell"),
        *("--json", "record.json", "--html", "picture.html"),
    )
    assert done.code == 1, done.out + done.err
    assert "pod-0, train: exit code 7" in done.out  # the program had the very value
    assert "token (hidden) --as=(hidden)" in done.out
    record, picture = ((project.path / name).read_text("utf-8") for name in ("record.json", "picture.html"))
    assert "/train.py --as=(hidden)" in record
    for value in ("hush-hush", "first-line", "second-line", "from-the-shell"):
        assert not any(value in told for told in (done.out, done.err, record, picture)), value


def rehearse(project: Project, *arguments: str) -> tuple[int, dict[str, Any], str]:
    """The exit code, the record, and what was printed."""
    done = project.run("rehearse", "--manifest", "job.yaml", "--json", "record.json", *arguments)
    record = project.path / "record.json"
    assert record.is_file(), done.out + done.err
    return done.code, json.loads(record.read_text()), done.out


def test_a_hung_pod_ends_nothing_and_the_time_that_is_given_does(project: Project) -> None:
    code, record, words = rehearse(project, "--no-compare", "--hang", "pod-0@step=5", "--timeout", "5s")
    assert code == 1
    assert record["verdict"]["reason"] == "TimedOut"
    assert 5 <= max(event["step"] for event in record["events"] if event["happening"] == "step") < 10
    assert "hang pod-0 at step 5" in words


SAVE = COUNT.replace("write(str(step))", "write(str(step)); open(f'/out/{step}', 'w').write('x' * 100_000)")
"""One whose every save takes room."""


def test_a_full_claim_fails_the_save_and_the_last_words_say_so(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"job.yaml": manifest(SAVE)})
    words = "--rooms", "isolated", "--no-compare", "--fill", "out@step=6"
    code, record, printed = rehearse(project, *words)
    assert code == 1
    assert record["verdict"]["reason"] == "BackoffLimitExceeded"
    assert "No space left on device" in printed


def test_who_writes_to_a_slow_claim_waits_for_it(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"job.yaml": manifest(SAVE)})
    left, record, _ = rehearse(project, "--no-compare", "--slow", "out=100kB/s")
    assert left == 0
    assert record["verdict"]["seconds"] > 5, "before its last save it has waited for 500 kB"


def test_faults_at_random_are_those_of_the_seed(project: Project) -> None:
    code, record, words = rehearse(project, "--random", "3", "--seed", "8")
    assert code == 0, words
    happened = [event["text"] for event in record["events"] if event["happening"] == "fault"]
    assert happened == [str(fault) for fault in draw_faults(3, 8, ["pod-0"], 30, 0.0)]
    assert record["verdict"]["endState"] == "same"


def test_a_kill_is_repeated_until_the_run_is_done(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"job.yaml": manifest().replace("backoffLimit: 3", "backoffLimit: 9")})
    code, record, words = rehearse(project, "--kill", "pod-0@step=7", "--until-done")
    assert code == 0, words
    happened = [event["text"] for event in record["events"] if event["happening"] == "fault"]
    assert happened == [f"kill pod-0 at step {step}" for step in (7, 14, 21, 28)]
    assert all(fault["stepsLost"] <= 5 for fault in record["verdict"]["faults"])
    assert record["verdict"]["endState"] == "same"
