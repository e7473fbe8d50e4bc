"""What renames a run, what starts it anew, and what does neither: a change to digests.json renames every run."""

import json
from pathlib import Path

import pytest
from conftest import Golden
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages.street import Files, resolve

TRAIN = "specs/jobs/vision/resnet.yaml"
SCRIPT = JOB.replace("{command: [python, -m, train]}", "{script: train.py, args: [--lr, '0.1']}")
SCRIPTED = {**SMALL, TRAIN: SCRIPT, "specs/jobs/vision/train.py": "print(1)\n"}
ELSEWHERE = CLUSTER.replace("name: lab", "name: annex")
TWO: Files = {
    **SMALL,
    "specs/clusters/annex.yaml": ELSEWHERE,
    "specs/teams/vision.yaml": TEAM.replace(
        "  lab: {quota: {h100: 4, cpu: 4}}", "  lab: {quota: {h100: 4}}\n  annex: {quota: {h100: 4}}"
    ),
}


def digests(files: Files, cluster: str = "lab") -> tuple[str, str]:
    target = resolve(files).target(cluster=cluster)
    return target.digest, target.lineage


def job(more: str, files: Files = SMALL) -> Files:
    return {**files, TRAIN: JOB + more}


GOLDEN: dict[str, Files] = {
    "small": SMALL,
    "gpus": job(
        "procsPerNode: 8\ngpus: {type: h100, perNode: 8}\nframework: pytorch\nnodes: {min: 1, max: 2}\n"
    ),
    "parameters": job("parameters: {lr: 0.1, steps: 1000, name: größe, deep: {list: [1, true, null]}}\n"),
    "sizes": job("cpu: 2.5\nmemory: 4096Mi\nscratch: 100Gi\ndeadline: 8h\n"),
    "script": SCRIPTED,
    "schedule": job('schedule: "0 2 * * 0"\n'),
    "part": job("clusters: {lab: {cpu: 3}}\n"),
}


def test_digests_are_frozen(golden: Golden) -> None:
    found = {
        name: dict(zip(("digest", "lineage"), digests(files), strict=True)) for name, files in GOLDEN.items()
    }
    golden.check(Path(__file__).with_name("digests.json"), json.dumps(found, indent=2) + "\n")


@pytest.mark.parametrize(
    ("written", "again"),
    [
        ("cpu: 2\n", "cpu: 2 # two\n\n"),
        ("cpu: 2\nmemory: 2Gi\n", "memory: 2Gi\ncpu: 2\n"),
        ("memory: 1024Mi\n", "memory: 1Gi\n"),
        ("cpu: 0.5\n", "cpu: 500m\n"),
        ("cpu: 2\n", 'cpu: "2"\n'),
        ("deadline: 60m\n", "deadline: 1h\n"),
        ("nodes: 1\n", "nodes: {min: 1, max: 1}\n"),
        ("env: {A: '1'}\n", "env: {A: {value: '1'}}\n"),
        ("env: {A: 1}\n", "env:\n  A: '1'\n"),
        ("workingDir: /src\n", "workingDir: /src/\n"),
        ("parameters: {a: 1, b: 2}\n", "parameters: {b: 2, a: 1}\n"),
    ],
)
def test_spelling_renames_nothing(written: str, again: str) -> None:
    assert digests(job(written)) == digests(job(again))


@pytest.mark.parametrize(
    "more",
    [
        "description: a better one\n",
        "owner: alice\n",
        "costCenter: '42'\n",
        "waive: [{rule: deadline-missing, because: it never ends}]\n",
    ],
)
def test_words_for_people_rename_nothing(more: str) -> None:
    assert digests(job(more)) == digests(SMALL)


def test_the_file_that_holds_the_job_does_not_count() -> None:
    moved = {path: text for path, text in SMALL.items() if path != TRAIN} | {"specs/jobs/elsewhere.yaml": JOB}
    assert digests(moved) == digests(SMALL)


def test_another_cluster_renames_nothing() -> None:
    alone = digests(job("clusters: [lab]\n", TWO))
    assert digests(job("clusters: [lab, annex]\n", TWO)) == alone
    assert digests(job("clusters: {lab: {}, annex: {cpu: 9}}\n", TWO)) == alone
    assert digests(SMALL) == alone


def test_a_part_for_a_cluster_counts_there_as_if_it_were_written_for_all() -> None:
    parted = job("clusters: {lab: {}, annex: {cpu: 9, env: {A: x}}}\nenv: {B: y}\n", TWO)
    assert digests(parted, "annex") == digests(
        job("cpu: 9\nenv: {A: x, B: y}\nclusters: [annex]\n", TWO), "annex"
    )
    assert digests(parted, "annex") != digests(parted, "lab")


def test_the_same_words_have_one_digest_on_every_cluster() -> None:
    both = job("clusters: [lab, annex]\n", TWO)
    assert digests(both, "annex") == digests(both, "lab")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "specs/teams/vision.yaml",
            TEAM.replace("{clusters: [lab]}", "{clusters: [lab], memory: 8Gi, nodes: 1}"),
        ),
        ("specs/clusters/lab.yaml", CLUSTER + "defaults: {deadline: 1h}\n"),
        ("specs/clusters/lab.yaml", CLUSTER.replace("v0.19.2", "v0.14.0")),
    ],
)
def test_defaults_of_others_rename_nothing(path: str, text: str) -> None:
    assert digests({**SMALL, path: text}) == digests(SMALL)


def test_what_a_preset_says_renames_nothing_but_taking_another_one_does() -> None:
    preset = "apiVersion: trainshed/v1\nkind: Preset\nname: big\njob: {memory: 4Gi}\n"
    files = {**job("extends: big\n"), "specs/presets/big.yaml": preset}
    digest, lineage = digests(files)
    assert digests({**files, "specs/presets/big.yaml": preset.replace("4Gi", "8Gi")}) == (digest, lineage)
    assert digest != digests(SMALL)[0]


def test_defaults_that_change_what_is_trained_begin_a_lineage() -> None:
    team = TEAM.replace("{clusters: [lab]}", "{clusters: [lab], parameters: {lr: 0.2}}")
    digest, lineage = digests({**SMALL, "specs/teams/vision.yaml": team})
    assert digest == digests(SMALL)[0]
    assert lineage != digests(SMALL)[1]


def test_a_variable_that_a_team_sets_for_all_leaves_every_run_its_checkpoints() -> None:
    team = TEAM.replace("{clusters: [lab]}", "{clusters: [lab], env: {NCCL_DEBUG: INFO}}")
    assert digests({**SMALL, "specs/teams/vision.yaml": team}) == digests(SMALL)


def test_the_bytes_of_the_code_count() -> None:
    before, after = digests(SCRIPTED), digests({**SCRIPTED, "specs/jobs/vision/train.py": "print(2)\n"})
    assert before[0] != after[0]
    assert before[1] != after[1]


@pytest.mark.parametrize(
    "more",
    ["cpu: 3\n", "memory: 3Gi\n", "queue: none\n", "deadline: 1h\n", "restarts: 3\n", "priority: high\n"],
)
def test_how_it_runs_renames_the_run_and_keeps_the_lineage(more: str) -> None:
    digest, lineage = digests(job(more))
    assert digest != digests(SMALL)[0]
    assert lineage == digests(SMALL)[1]


@pytest.mark.parametrize(
    "text",
    [
        JOB + "parameters: {lr: 0.2}\n",
        JOB + "env: {LR: '0.2'}\n",
        JOB.replace("train:1.0", "train:1.1"),
        JOB.replace("[python, -m, train]", "[python, -m, train, --lr=0.2]"),
        JOB + "data: {in: {volume: data, mountPath: /data}}\n",
        JOB + "framework: pytorch\n",
        JOB + "workingDir: /src\n",
    ],
)
def test_what_is_trained_renames_the_run_and_begins_a_lineage(text: str) -> None:
    digest, lineage = digests({**SMALL, TRAIN: text})
    assert digest != digests(SMALL)[0]
    assert lineage != digests(SMALL)[1]


def test_an_attempt_is_appended_and_changes_neither() -> None:
    first, again = resolve(SMALL).target(), resolve(job("attempt: 2\n")).target()
    assert (again.digest, again.lineage) == (first.digest, first.lineage)
    assert first.run == f"resnet-{first.digest[:8]}"
    assert again.run == f"resnet-{first.digest[:8]}-2"
    assert resolve(job("attempt: 1\n")).target().run == first.run


def test_an_attempt_on_one_cluster_is_an_attempt_there_only() -> None:
    resolved = resolve(job("clusters: {lab: {attempt: 3}, annex: {}}\n", TWO))
    assert resolved.target(cluster="lab").run == f"{resolved.target(cluster='annex').run}-3"


def test_two_jobs_that_say_the_same_are_told_apart_by_their_names() -> None:
    assert digests(SMALL)[0] != resolve({**SMALL, TRAIN: JOB.replace("resnet", "vit")}).target("vit").digest
