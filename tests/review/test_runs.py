"""What `trainshed diff` says of runs, in real repositories: specs in, sentences out."""

import json
import re
from typing import Any

import pytest
from load.test_git_base import git
from review.conftest import Branch

RUN = re.compile(r"-[0-9a-f]{8}")


def the_run(branch: Branch) -> dict[str, Any]:
    """The one run that changes, its names without their digests."""
    (run,) = branch.review()["runs"]
    return json.loads(RUN.sub("-DIGEST", json.dumps(run)))


def test_nothing_edited_touches_nothing(branch: Branch) -> None:
    done = branch.diff()
    assert (done.code, done.out, done.err) == (0, "Nothing that Argo CD syncs changes\n", "")


def test_more_memory_ends_a_run_and_the_next_resumes(branch: Branch) -> None:
    branch.edit("specs/jobs/vision/bert.yaml", "memory: 16Gi", "memory: 32Gi")
    run = the_run(branch)
    assert run["verb"] == "restarts"
    assert run["sentences"] == [
        "starts bert-DIGEST (Job)",
        "ends bert-DIGEST: Argo CD deletes it, and its pods get 30 s",
        "resumes at the last checkpoint of bert-DIGEST, whose lineage it shares",
    ]
    assert [(field["words"], field["before"], field["after"]) for field in run["fields"]] == [
        ("memory", "16Gi", "32Gi")
    ]
    assert run["source"] == {"path": "specs/jobs/vision/bert.yaml", "line": 10, "column": 9}


def test_another_learning_rate_starts_anew_and_says_what_is_trained_otherwise(branch: Branch) -> None:
    branch.edit("specs/jobs/vision/bert.yaml", "--lr=0.1", "--lr=0.2")
    run = the_run(branch)
    assert run["sentences"][-1] == "starts anew, for what is trained changes: arguments"
    (arguments,) = (field for field in run["fields"] if field["words"] == "arguments")
    assert (arguments["before"], arguments["after"]) == ("--lr=0.1", "--lr=0.2")
    assert run["resumes"] == ""


def test_other_code_starts_anew_and_shows_its_lines(branch: Branch) -> None:
    branch.edit("specs/jobs/vision/train.py", "'one'", "'two'")
    run = the_run(branch)
    assert run["sentences"][-1] == "starts anew, for what is trained changes: train.py"
    (code,) = (field for field in run["fields"] if field["words"] == "train.py")
    assert code["lines"] == [" def main():", "-    print('one')", "+    print('two')", " "]
    assert (code["linesAdded"], code["linesRemoved"]) == (1, 1)
    assert run["source"]["path"] == "specs/jobs/vision/train.py"


def test_another_lineage_to_start_from_is_named(branch: Branch) -> None:
    branch.edit("specs/jobs/vision/bert.yaml", "every: 10m", "every: 10m, resume: bert-0a1b2c3d")
    branch.edit("specs/jobs/vision/bert.yaml", "--lr=0.1", "--lr=0.2")
    sentence = the_run(branch)["sentences"][-1]
    assert sentence == "starts from the last checkpoint of bert-DIGEST, and saves to a lineage of its own"


def test_second_attempt_is_said_to_be_one(branch: Branch) -> None:
    branch.edit("specs/jobs/vision/bert.yaml", "memory: 16Gi", "memory: 16Gi\nattempt: 2")
    run = the_run(branch)
    assert run["attempt"] == 2
    assert run["sentences"][0] == "starts bert-DIGEST-2 (Job, attempt 2)"
    assert run["sentences"][2].startswith("resumes at the last checkpoint of bert-DIGEST,")
    assert run["source"]["line"] == 11


def test_kept_run_goes_on_beside_the_new_one(branch: Branch) -> None:
    branch.edit("specs/jobs/vision/bert.yaml", "memory: 16Gi", "memory: 32Gi\nwhenEdited: keep")
    run = the_run(branch)
    assert (run["verb"], run["ends"]) == ("starts", "")
    assert run["sentences"][1] == "keeps bert-DIGEST in Git beside it (whenEdited: keep)"
    assert ("memory", "16Gi", "32Gi") in [
        (one["words"], one["before"], one["after"]) for one in run["fields"]
    ]


def test_stopped_run_ends_and_keeps_its_seal(branch: Branch) -> None:
    branch.edit("specs/jobs/vision/bert.yaml", "memory: 16Gi", "memory: 16Gi\nstate: stopped")
    run = the_run(branch)
    assert run["verb"] == "stops"
    assert run["sentences"] == [
        "ends bert-DIGEST: Argo CD deletes it, and its pods get 30 s (state: stopped)",
        "its seal stays: with state: running it starts again under the same name",
    ]


def test_retired_job_ends_its_run_for_good(branch: Branch) -> None:
    branch.remove("specs/jobs/vision/bert.yaml")
    branch.remove("specs/jobs/vision/train.py")
    review = branch.review()
    (run,) = review["runs"]
    assert run["verb"] == "ends"
    assert run["sentences"][1] == "no run of the job follows it there"
    (cause, code) = review["causes"]
    assert (cause["subject"], cause["verb"], cause["effects"]) == (
        "job vision/bert",
        "deleted",
        ["ends 1 run"],
    )
    assert code["subject"] == "file train.py"


def test_archived_run_leaves_git_and_ends_nothing(branch: Branch) -> None:
    path = branch.find_seal("lab", "bert")
    seal = json.loads((branch.project.path / path).read_text("utf-8"))
    seal["outcome"] = {"state": "succeeded", "finished": "2026-01-02T00:00:00Z", "why": "done"}
    branch.project.write({path: json.dumps(seal)})
    review = branch.review()
    (run,) = review["runs"]
    assert run["verb"] == "archived"
    assert RUN.sub("-DIGEST", run["sentences"][0]) == "records that bert-DIGEST succeeded"
    assert review["risks"] == []


def test_resealed_run_changes_in_place_and_says_why(branch: Branch) -> None:
    path = branch.find_seal("lab", "bert")
    seal = json.loads((branch.project.path / path).read_text("utf-8"))
    seal["resealed"] = ["a fix of the base image"]
    branch.project.write({path: json.dumps(seal)})
    run = the_run(branch)
    assert (run["verb"], run["why"]) == ("resealed", "a fix of the base image")


def test_schedule_changes_in_place(branch: Branch) -> None:
    branch.edit("specs/jobs/vision/nightly.yaml", "0 3 * * *", "0 4 * * *")
    run = the_run(branch)
    assert run["sentences"] == [
        "changes nightly (CronJob) in place",
        "Jobs that it has started go on as they are; the next one takes the change",
    ]
    assert [(one["words"], one["before"], one["after"]) for one in run["fields"]] == [
        ("schedule", "0 3 * * *", "0 4 * * *")
    ]


def test_the_same_on_two_clusters_is_told_once(branch: Branch) -> None:
    branch.edit("specs/jobs/vision/resnet.yaml", "train:1.0", "train:1.1")
    done = branch.diff()
    assert done.code == 0, done.err
    assert done.out.count("starts resnet-") == 1
    assert "  restarts  vision/resnet on edge, lab specs/jobs/vision/resnet.yaml:5:8\n" in done.out
    assert "keeps no checkpoints: what was trained so far is lost" in done.out


def test_changed_default_touches_no_run_and_says_which_stay_sealed(branch: Branch) -> None:
    branch.edit("specs/teams/vision.yaml", "memory: 8Gi", "memory: 12Gi")
    done = branch.diff()
    assert done.out.splitlines()[0] == (
        "No run is touched; 1 schedule changes in place; team vision (specs/teams/vision.yaml:13) changes "
        "defaults.memory from 8Gi to 12Gi, and 2 runs stay sealed under the old words"
    )
    assert "2 runs of team vision stay sealed under the old words" in done.out


def test_runs_of_before_there_were_seals_do_not_start_anew(branch: Branch) -> None:
    git(branch.project.path, "switch", "--quiet", "main")
    for path in branch.project.path.glob("overlays/*/*/seals/*.json"):
        path.unlink()
    git(branch.project.path, "commit", "--quiet", "--all", "--message", "older")
    git(branch.project.path, "switch", "--quiet", "--create", "adopt")
    assert branch.review()["runs"] == []


@pytest.mark.parametrize(("words", "told"), [("job=bert", ["bert"]), ("cluster=edge", ["resnet"])])
def test_only_narrows_what_is_told(branch: Branch, words: str, told: list[str]) -> None:
    branch.edit("specs/jobs/vision/bert.yaml", "memory: 16Gi", "memory: 32Gi")
    branch.edit("specs/jobs/vision/resnet.yaml", "train:1.0", "train:1.1")
    done = branch.diff("--format", "json", "--only", words)
    assert sorted({run["job"] for run in json.loads(done.out)["runs"]}) == told


def test_errors_are_counted_and_fail(branch: Branch) -> None:
    branch.edit(
        "specs/teams/vision.yaml", "data: {storage: shared, size: 1Ti}", "data: {storage: shared, size: 1Gi}"
    )
    done = branch.diff()
    assert done.code == 1
    assert done.out.startswith("1 error: trainshed check does not pass; no run is touched; ")


def test_specs_that_cannot_be_rendered_are_findings_and_no_review(branch: Branch) -> None:
    branch.edit("specs/teams/vision.yaml", "kind: Team", "kind: Taem")
    done = branch.diff()
    assert (done.code, done.out) == (1, "")
    assert "unknown-kind" in done.err


def test_unknown_base_is_a_finding(branch: Branch) -> None:
    done = branch.project.run("diff", "--base", "mian")
    assert (done.code, done.out) == (1, "")
    assert 'did you mean "main"?' in done.err
