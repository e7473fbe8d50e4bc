"""The life of a run in Git: edited, kept, stopped, started again, archived, retired."""

import json
from typing import Any

from sealed.shed import JOBS, ONE_SHOT, Shed, changed, job

ENDED = {"state": "succeeded", "finished": "2026-11-20T10:00:00Z", "why": "Completed"}
CLAIM = "persistentvolumeclaim-cached-cache.yaml"


def archive(shed: Shed, name: str, run: str) -> None:
    """What `trainshed archive` writes down: how the run ended."""
    path = f"overlays/job-vision-{name}/lab/seals/{run}.json"
    seal: dict[str, Any] = json.loads((shed.path / path).read_text("utf-8"))
    shed.write({path: json.dumps({**seal, "outcome": ENDED}, indent=2, sort_keys=True) + "\n"})


def object_of(shed: Shed, name: str) -> str:
    """The file of a job's run itself."""
    seal = shed.seal(name)
    return f"{seal['kind'].lower()}-{seal['run']}.yaml"


def text_of(shed: Shed, name: str, file: str) -> str:
    return (shed.path / f"rendered/lab/job-vision-{name}" / file).read_text("utf-8")


def test_whether_an_edit_keeps_is_no_edit(shed: Shed) -> None:
    before = shed.tree()
    shed.append("plain", "whenEdited: keep\n")
    shed.render()
    assert shed.tree() == before


def test_a_kept_run_stays_byte_for_byte_beside_the_new_one(shed: Shed) -> None:
    shed.append("wide", "whenEdited: keep\n")
    (old,) = shed.runs("wide")
    before = shed.tree("wide")
    shed.append("wide", "memory: 8Gi\n")
    shed.render()
    assert len(shed.runs("wide")) == 2
    lost = {path for path in before if shed.tree("wide").get(path) != before[path]}
    assert {path for path in lost if path.startswith("rendered/")} == set()
    assert [name for name in shed.rendered("wide") if name.startswith("pytorchjob-")] == sorted(
        f"pytorchjob-{run}.yaml" for run in shed.runs("wide")
    )
    code = [name for name in shed.rendered("wide") if name.startswith("configmap-wide-code-")]
    (new,) = set(shed.runs("wide")) - {old}
    shared = json.loads((shed.path / f"overlays/job-vision-wide/lab/seals/{new}.json").read_text())
    assert len(code) == 1 and code[0] in shared["files"], "both runs mount the same code"
    shed.check("--base", "main")
    shed.land()
    assert "nothing changed" in shed.render()


def test_several_kept_runs_go_one_by_one_as_they_are_archived(shed: Shed) -> None:
    shed.append("wide", "whenEdited: keep\n")
    (first,) = shed.runs("wide")
    for memory in ("8Gi", "9Gi"):
        shed.write({"specs/jobs/vision/wide.yaml": JOBS["wide"] + f"whenEdited: keep\nmemory: {memory}\n"})
        shed.render()
        shed.land()
    assert len(shed.runs("wide")) == 3
    archive(shed, "wide", first)
    shed.render()
    shed.land()
    assert f"pytorchjob-{first}.yaml" not in shed.rendered("wide")
    assert sum(name.startswith("pytorchjob-") for name in shed.rendered("wide")) == 2
    assert sum(name.startswith("configmap-wide-code-") for name in shed.rendered("wide")) == 1
    assert first in shed.runs("wide"), "its record stays"
    assert "nothing changed" in shed.render()
    shed.check("--base", "main")


def test_kept_runs_end_when_the_job_says_replace(shed: Shed) -> None:
    shed.append("plain", "whenEdited: keep\n")
    (first,) = shed.runs("plain")
    shed.append("plain", "cpu: 2\n")
    shed.render()
    shed.land()
    shed.edit_job("plain", "whenEdited: keep\n", "")
    shed.render()
    assert first not in shed.runs("plain")
    assert len(shed.rendered("plain")) == 1


def test_a_new_run_may_not_change_what_a_kept_run_has(shed: Shed) -> None:
    shed.append("patched", "whenEdited: keep\n")
    shed.edit_job("patched", "text: hello", "text: goodbye")
    said = shed.refuse("render")
    assert "error[kept-clash]: ConfigMap team-vision/patched-notes belongs to patched-" in said
    assert "specs/jobs/vision/patched.yaml:9:" in said
    assert "whenEdited: replace" in said


def test_stopped_takes_the_objects_and_keeps_the_seal_and_the_claim(shed: Shed) -> None:
    before = text_of(shed, "cached", CLAIM)
    seal = shed.seal("cached")
    shed.append("cached", "state: stopped\n")
    shed.edit("specs/teams/vision.yaml", "defaults: {", "defaults: {labels: {a: b}, ")
    shed.render()
    assert shed.rendered("cached") == [CLAIM]
    assert text_of(shed, "cached", CLAIM) == before
    assert shed.seal("cached") == {**seal, "stopped": True}
    shed.check("--base", "main")
    shed.land()
    assert "nothing changed" in shed.render()


def test_a_job_that_is_stopped_before_it_was_ever_rendered_has_no_seal(shed: Shed) -> None:
    shed.write({"specs/jobs/vision/later.yaml": job("later", "state: stopped\n")})
    shed.render()
    assert (shed.runs("later"), shed.rendered("later")) == ([], [])
    shed.edit_job("later", "state: stopped", "state: running")
    shed.render()
    assert shed.rendered("later") == [f"job-{shed.runs('later')[0]}.yaml"]


def test_running_again_renders_the_run_anew_under_its_name(shed: Shed) -> None:
    (run,) = shed.runs("cached")
    shed.append("cached", "state: stopped\n")
    shed.render()
    shed.land()
    shed.edit("specs/teams/vision.yaml", "defaults: {", "defaults: {env: {NCCL_DEBUG: INFO}, ")
    shed.edit_job("cached", "state: stopped\n", "")
    shed.render()
    assert shed.runs("cached") == [run]
    assert "stopped" not in shed.seal("cached")
    assert "NCCL_DEBUG" in text_of(shed, "cached", object_of(shed, "cached"))
    shed.check("--base", "main")


def test_a_claim_of_a_stopped_run_that_was_edited_by_hand_is_put_back(shed: Shed) -> None:
    before = text_of(shed, "cached", CLAIM)
    shed.append("cached", "state: stopped\n")
    shed.render()
    shed.land()
    shed.edit(f"rendered/lab/job-vision-cached/{CLAIM}", "10Gi", "9Gi")
    said = shed.refuse("check")
    assert f"rendered/lab/job-vision-cached/{CLAIM}:" in said
    shed.render()
    assert text_of(shed, "cached", CLAIM) == before, "claims are never removed"


def test_a_stopped_job_that_was_edited_is_another_run(shed: Shed) -> None:
    (old,) = shed.runs("plain")
    shed.append("plain", "state: stopped\ncpu: 2\n")
    shed.render()
    assert shed.rendered("plain") == []
    shed.land()
    shed.edit_job("plain", "state: stopped\n", "")
    shed.render()
    (new,) = shed.runs("plain")
    assert new != old
    assert shed.rendered("plain") == [f"job-{new}.yaml"]


def test_an_archived_run_leaves_its_record_and_does_not_come_back(shed: Shed) -> None:
    seal = shed.seal("cached")
    before = text_of(shed, "cached", CLAIM)
    archive(shed, "cached", seal["run"])
    shed.render()
    assert shed.rendered("cached") == [CLAIM]
    assert text_of(shed, "cached", CLAIM) == before
    assert shed.seal("cached") == {**seal, "outcome": ENDED}
    shed.check("--base", "main")
    shed.land()
    shed.edit("specs/teams/vision.yaml", "defaults: {", "defaults: {env: {NCCL_DEBUG: INFO}, ")
    shed.render()
    assert shed.rendered("cached") == [CLAIM]
    shed.check("--base", "main")


def test_what_todays_defaults_say_against_an_archived_run_is_a_note(shed: Shed) -> None:
    preset = "apiVersion: trainshed/v1\nkind: Preset\nname: deep\njob: {memory: 4Gi, shm: 1Gi}\n"
    shed.write(
        {
            "specs/presets/deep.yaml": preset,
            "specs/jobs/vision/plain.yaml": job("plain", "extends: deep\n"),
        }
    )
    shed.render()
    shed.edit("specs/presets/deep.yaml", "shm: 1Gi", "shm: 8Gi")
    archive(shed, "plain", shed.seal("plain")["run"])
    assert "note[shm-too-large]" in shed.render()
    assert shed.rendered("plain") == []
    shed.append("plain", "attempt: 2\n")
    assert "error[shm-too-large]" in shed.refuse("render")


def test_after_an_archived_run_another_attempt_runs(shed: Shed) -> None:
    (run,) = shed.runs("plain")
    archive(shed, "plain", run)
    shed.render()
    shed.land()
    shed.append("plain", "attempt: 2\n")
    shed.render()
    assert shed.runs("plain") == [run, f"{run}-2"], "the record of the first stays"
    assert shed.rendered("plain") == [f"job-{run}-2.yaml"]
    shed.check("--base", "main")


def test_retiring_a_job_removes_all_that_is_its_own(shed: Shed) -> None:
    before = shed.tree()
    (shed.path / "specs/jobs/vision/cached.yaml").unlink()
    shed.render()
    left = shed.tree()
    assert not [path for path in left if "job-vision-cached" in path]
    gone = changed(before, left)
    assert all("cached" in path for path in gone), "nobody else's files change"
    shed.check("--base", "main")


def test_reverting_a_commit_gives_back_every_byte(shed: Shed) -> None:
    before = shed.tree(*ONE_SHOT)
    shed.append("plain", "cpu: 2\n")
    shed.append("wide", "attempt: 2\n")
    (shed.path / "specs/jobs/vision/swept.yaml").unlink()
    shed.render()
    shed.save("to be reverted")
    shed.git("revert", "--no-edit", "HEAD")
    assert shed.tree(*ONE_SHOT) == before
    assert "nothing changed" in shed.render()
    shed.check("--base", "main")


def test_what_is_a_schedule_now_was_a_run_and_the_other_way_round(shed: Shed) -> None:
    (old,) = shed.runs("plain")
    shed.append("plain", 'schedule: "0 2 * * *"\n')
    shed.edit_job("nightly", 'schedule: "0 2 * * *"\n', "")
    shed.render()
    assert (shed.runs("plain"), shed.rendered("plain")) == ([], ["cronjob-plain.yaml"])
    (run,) = shed.runs("nightly")
    assert shed.rendered("nightly") == [f"job-{run}.yaml"]
    assert old not in str(sorted(shed.tree("plain")))
    shed.check("--base", "main")
