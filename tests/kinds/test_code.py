"""Code that is not in the image: a folder of a repository, its submodules, its history; or a volume of the team."""

import pytest
from kinds.data_specs import pod, repository, said

GIT = 'repo: "https://git.example.com/a.git", commit: "0000000000000000000000000000000000000000"'


def _script(words: str) -> dict[str, str | bytes]:
    files = dict(repository(words))
    job = str(files["specs/jobs/vision/resnet.yaml"])
    script = job.replace("run: {command: [python, -m, train]}", "run: {script: train.py}")
    return {**files, "specs/jobs/vision/resnet.yaml": script}


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("", ["--depth=1"]),
        (", depth: 50", ["--depth=50"]),
        (", depth: 0", []),
        (", submodules: true", ["--depth=1", "--recurse-submodules", "--shallow-submodules"]),
    ],
)
def test_as_much_is_cloned_as_is_asked_for(words: str, options: list[str]) -> None:
    (init,) = pod(_script(f"code: {{git: {{{GIT}{words}}}}}"))["spec"]["initContainers"]
    assert init["args"] == [
        "clone",
        *options,
        "--revision=0000000000000000000000000000000000000000",
        "--",
        "https://git.example.com/a.git",
        "/code",
    ]


def test_a_script_is_looked_for_in_the_folder_of_the_repository() -> None:
    (container,) = pod(_script(f"code: {{git: {{{GIT}, path: vision/src}}}}"))["spec"]["containers"]
    assert container["workingDir"] == "/code/vision/src"
    assert [*container["command"], *container.get("args", [])][-1] == "/code/vision/src/train.py"


@pytest.mark.parametrize(
    ("volume", "mount"),
    [
        ("corpus", {"name": "code", "mountPath": "/code", "readOnly": True}),
        (
            "{volume: corpus, path: src}",
            {"name": "code", "mountPath": "/code", "subPath": "src", "readOnly": True},
        ),
    ],
)
def test_code_on_a_volume_is_mounted_to_be_read(volume: str, mount: dict[str, object]) -> None:
    files = _script(f"code: {{volume: {volume}}}")
    team = str(files["specs/teams/vision.yaml"])
    files["specs/teams/vision.yaml"] = team.replace("corpus: {storage", "corpus: {filledBy: hand, storage")
    template = pod(files)["spec"]
    (container,) = template["containers"]
    assert container["volumeMounts"] == [mount]
    assert container["workingDir"] == "/code"
    assert template["volumes"] == [{"name": "code", "persistentVolumeClaim": {"claimName": "corpus"}}]


@pytest.mark.parametrize(
    ("code", "finding"),
    [
        (f"{{git: {{{GIT}}}, volume: corpus}}", "conflicting-choice: code says git and volume"),
        (f"{{git: {{{GIT}, path: ../x}}}}", 'bad-path: "../x" leads out of the code'),
        ("{volume: {path: src}}", "missing-field: code.volume does not say which volume"),
        ("{volume: corpuss}", 'unknown-volume: team "vision" has no volume "corpuss" on lab'),
    ],
)
def test_what_code_cannot_be_is_said_at_its_line(code: str, finding: str) -> None:
    said_lines = said(_script(f"code: {code}"))
    assert any(line.endswith(finding) for line in said_lines)
