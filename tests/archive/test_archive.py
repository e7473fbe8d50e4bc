"""`trainshed archive`: runs that have ended leave rendered/, and their seals say how they ended."""

import json
import subprocess
import sys
from typing import Any

import pytest
from archive.samples import archive, as_list, live, status
from sealed.shed import Shed, changed

CLAIM = "persistentvolumeclaim-cached-cache.yaml"
TRACKING = "argocd.argoproj.io/tracking-id"

ENDED = {
    "plain": ("done", "succeeded", "CompletionsReached: Reached expected number of succeeded pods"),
    "wide": (
        "torch-failed",
        "failed",
        "PyTorchJobFailed: PyTorchJob torch-failed is failed because 1 Master replica(s) failed.",
    ),
    "trainer": ("train-done", "succeeded", "AllJobsCompleted: jobset completed successfully"),
    "ray": (
        "ray-late",
        "failed",
        "DeadlineExceeded: The RayJob has passed the activeDeadlineSeconds. "
        "StartTime: 2026-11-21 20:10:49 +0000 UTC. ActiveDeadlineSeconds: 3",
    ),
}
"""Jobs of a kind each, the real status that their run gets here, and what is kept of it."""


def test_runs_of_every_kind_get_their_outcome_and_leave_in_one_go(shed: Shed) -> None:
    shown = [live(shed, job, status(sample)) for job, (sample, _, _) in ENDED.items()]
    before = shed.tree()
    done = archive(shed, as_list(*shown))
    assert done.code == 0, done.out
    for job, (_, state, why) in ENDED.items():
        outcome = shed.seal(job)["outcome"]
        assert (outcome["state"], outcome["why"]) == (state, why)
        assert outcome["finished"].startswith("2026-11-21T20:10:5")
        assert f"{shed.runs(job)[0]}: {state} at {outcome['finished']}: {why}\n" in done.out
        assert shed.rendered(job) == []
    jobs = {f"job-vision-{job}" for job in ENDED}
    touched = changed(before, shed.tree())
    assert [path for path in touched if not any(job in path for job in jobs)] == []
    assert [path for path in touched if path.startswith("rendered/west")] == []


def test_what_was_archived_is_well_alone_and_as_a_change(shed: Shed) -> None:
    assert archive(shed, as_list(live(shed, "plain", status("done")))).code == 0
    assert "files are what the specs say" in shed.check()
    assert "files are what the specs say" in shed.check("--base", "main")
    shed.save("archived")
    assert "files are what the specs say" in shed.check("--base", "main")


def test_the_application_goes_with_its_last_object(shed: Shed) -> None:
    application = "rendered/lab/argocd/runs/application-lab-job-vision-plain.yaml"
    assert application in shed.tree()
    archive(shed, as_list(live(shed, "plain", status("done"))))
    assert application not in shed.tree()


def test_the_jobs_own_claims_stay_with_their_application(shed: Shed) -> None:
    before = shed.tree()
    assert archive(shed, as_list(live(shed, "cached", status("torch-done")))).code == 0
    assert shed.rendered("cached") == [CLAIM]
    after = shed.tree()
    kept = f"rendered/lab/job-vision-cached/{CLAIM}"
    assert after[kept] == before[kept]
    assert "rendered/lab/argocd/runs/application-lab-job-vision-cached.yaml" in after
    shed.check("--base", "main")


def test_the_same_words_run_no_more_and_another_attempt_does(shed: Shed) -> None:
    (first,) = shed.runs("plain")
    archive(shed, as_list(live(shed, "plain", status("done"))))
    shed.edit_job("plain", "train:1.0", "train:2.0")
    shed.render()
    assert len(shed.runs("plain")) == 2
    shed.edit_job("plain", "train:2.0", "train:1.0")
    shed.render()
    assert (shed.runs("plain"), shed.rendered("plain")) == ([first], [])
    shed.append("plain", "attempt: 2\n")
    shed.render()
    assert shed.runs("plain") == [first, f"{first}-2"]
    assert f"job-{first}-2.yaml" in shed.rendered("plain")
    shed.check("--base", "main")


def test_of_two_runs_that_stand_the_kept_one_goes_and_the_new_one_is_not_touched(shed: Shed) -> None:
    (old,) = shed.runs("wide")
    shed.append("wide", "whenEdited: keep\n")
    shed.edit_job("wide", "lr: 0.1", "lr: 0.2")
    shed.render()
    (new,) = set(shed.runs("wide")) - {old}
    shed.save("edited and kept")
    before = shed.tree("wide")
    done = archive(shed, as_list(live(shed, "wide", status("torch-done"), run=old)))
    assert f"{old}: succeeded" in done.out
    assert shed.runs("wide") == sorted([old, new])
    assert [name for name in shed.rendered("wide") if old in name] == []
    standing = {path: text for path, text in before.items() if path.startswith("rendered/") and new in path}
    assert standing
    assert {path: shed.tree("wide")[path] for path in standing} == standing
    shed.check("--base", "HEAD")


def test_a_run_of_the_same_name_on_another_cluster_goes_on(shed: Shed) -> None:
    assert shed.runs("wide", "lab") == shed.runs("wide", "west")
    before = {path: text for path, text in shed.tree().items() if path.startswith("rendered/west/")}
    assert archive(shed, as_list(live(shed, "wide", status("torch-done")))).code == 0
    assert shed.rendered("wide") == []
    assert {path: shed.tree()[path] for path in before} == before
    assert "outcome" not in shed.seal("wide", "west")


@pytest.mark.parametrize("place", ["", "argocd_"])
def test_objects_that_argo_cd_made_elsewhere_are_not_taken_for_this_clusters(shed: Shed, place: str) -> None:
    before = shed.tree()
    shown = live(shed, "wide", status("torch-done"), "west")
    run = shown["metadata"]["name"]
    tracking = f"{place}west-job-vision-wide:kubeflow.org/PyTorchJob:team-vision/{run}"
    shown["metadata"]["annotations"] = {TRACKING: tracking}
    done = archive(shed, as_list(shown))
    assert (done.code, done.out) == (0, f"1 another cluster's, by Argo CD's tracking: {run}\n")
    assert shed.tree() == before
    shown["metadata"]["annotations"] = {TRACKING: tracking.replace("west-job", "lab-job")}
    assert f"{run}: succeeded" in archive(shed, as_list(shown)).out


def test_what_goes_on_is_counted_and_nothing_is_written(shed: Shed) -> None:
    before = shed.tree()
    shown = [live(shed, "plain", status("waits")), live(shed, "wide", {}), live(shed, "ray", None)]
    for one in shown[1:2]:
        del one["status"]
    done = archive(shed, as_list(*shown))
    names = ", ".join(sorted(one["metadata"]["name"] for one in shown))
    assert sorted(done.out.split(": ")[-1].strip().split(", ")) == names.split(", ")
    assert done.out.startswith("3 not ended: queued, running or suspended: ")
    assert done.code == 0
    assert shed.tree() == before


def test_a_run_is_archived_once(shed: Shed) -> None:
    shown = live(shed, "plain", status("done"))
    archive(shed, as_list(shown))
    once = shed.tree()
    again = archive(shed, as_list(shown | {"status": status("late")}))
    assert (again.code, again.out) == (0, f"1 archived before: {shown['metadata']['name']}\n")
    assert shed.tree() == once


OTHERS: dict[str, dict[str, Any]] = {
    "another name": {"name": "plain-00000000"},
    "another namespace": {"namespace": "team-speech"},
    "another team's": {"labels": {"trainshed.dev/team": "speech", "trainshed.dev/job": "plain"}},
    "another job's": {"labels": {"trainshed.dev/team": "vision", "trainshed.dev/job": "wide"}},
    "unlabelled": {"labels": None},
    "labelled strangely": {"labels": ["trainshed.dev/team"]},
}


@pytest.mark.parametrize("metadata", OTHERS.values(), ids=OTHERS)
def test_what_is_no_run_of_a_seal_is_counted_and_left(shed: Shed, metadata: dict[str, Any]) -> None:
    before = shed.tree()
    shown = live(shed, "plain", status("done"))
    shown["metadata"] = {**shown["metadata"], **metadata}
    done = archive(shed, as_list(shown))
    name = shown["metadata"]["name"]
    assert (done.code, done.out) == (0, f"1 no run of this cluster's seals: Job/{name}\n")
    assert shed.tree() == before


@pytest.mark.parametrize(
    "kind", [("ray.io/v1", "RayJob"), ("batch.volcano.sh/v1alpha1", "Job"), ("v1", "ConfigMap")]
)
def test_an_object_of_another_kind_or_group_is_not_the_run_of_its_name(
    shed: Shed, kind: tuple[str, str]
) -> None:
    shown = live(shed, "plain", status("done")) | {"apiVersion": kind[0], "kind": kind[1]}
    done = archive(shed, as_list(shown))
    assert done.out.startswith(f"1 no run of this cluster's seals: {kind[1]}/plain-")
    assert "outcome" not in shed.seal("plain")


def test_many_strangers_are_counted_and_some_are_named(shed: Shed) -> None:
    shown = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{n}"}} for n in range(9)]
    names = ", ".join(f"ConfigMap/c{n}" for n in range(5))
    assert archive(shed, as_list(*shown)).out == f"9 no run of this cluster's seals: {names} and 4 more\n"


def test_only_runs_that_failed_or_succeeded_are_archived_where_that_is_asked(shed: Shed) -> None:
    good, bad = live(shed, "plain", status("done")), live(shed, "wide", status("torch-failed"))
    done = archive(shed, as_list(good, bad), "--state", "succeeded")
    assert f"1 ended in another state than was asked for: {bad['metadata']['name']}\n" in done.out
    assert shed.seal("plain")["outcome"]["state"] == "succeeded"
    assert "outcome" not in shed.seal("wide")
    assert archive(shed, as_list(good, bad), "--state", "failed").code == 0
    assert shed.seal("wide")["outcome"]["state"] == "failed"


def test_a_run_that_was_stopped_too_late_gets_its_outcome(shed: Shed) -> None:
    shown = live(shed, "plain", status("done"))
    shed.append("plain", "state: stopped\n")
    shed.render()
    assert f"{shown['metadata']['name']}: succeeded" in archive(shed, as_list(shown)).out
    assert "stopped" not in shed.seal("plain")
    shed.edit_job("plain", "state: stopped\n", "")
    shed.render()
    assert shed.rendered("plain") == []


def test_other_jobs_are_not_rendered_along(shed: Shed) -> None:
    shed.edit_job("wide", "lr: 0.1", "lr: 0.2")
    before = shed.tree("wide")
    archive(shed, as_list(live(shed, "plain", status("done"))))
    assert shed.tree("wide") == before


def test_single_objects_several_documents_and_standard_input_are_read(shed: Shed) -> None:
    shown = [live(shed, "plain", status("done")), live(shed, "wide", status("torch-done"))]
    piped = subprocess.run(
        [sys.executable, "-m", "trainshed", "archive", "--cluster", "lab"],
        cwd=shed.path,
        input="\n".join(map(json.dumps, shown)),
        capture_output=True,
        text=True,
    )
    assert piped.returncode == 0, piped.stdout + piped.stderr
    assert all(f"{one['metadata']['name']}: succeeded" in piped.stdout for one in shown)


def test_a_cluster_without_runs_is_no_fault(shed: Shed) -> None:
    assert archive(shed, as_list()).code == 0


def test_no_input_at_all_is_answered_with_the_command_to_pipe_in(shed: Shed) -> None:
    done = shed.run("archive", "--cluster", "lab")
    assert done.code == 1
    kinds = "jobs.batch,pytorchjobs.kubeflow.org,rayjobs.ray.io,trainjobs.trainer.kubeflow.org"
    asks = f"kubectl get {kinds} -A -l app.kubernetes.io/managed-by=trainshed -o json"
    assert f"`{asks} | trainshed archive --cluster lab`" in done.out
    assert "<stdin>:1:1: error[empty-file]" in done.out


def test_an_unknown_cluster_suggests_the_nearest(shed: Shed) -> None:
    done = shed.project.run("archive", "--cluster", "wset", "specs/teams/vision.yaml")
    assert (done.code, done.out) == (2, "")
    assert 'there is no cluster "wset"; did you mean "west"?' in done.err


SECRET = "hunter2"
HOSTILE: dict[str, str | bytes] = {
    "no JSON": f"error: {SECRET} is wrong",
    "cut off": '{"kind": "List", "items": [{"kind": "Secret", "data": {"a": "' + SECRET + '", "' + SECRET,
    "a text for an object": as_list(SECRET),
    "a list for an object": as_list([SECRET]),
    "a map for a name": as_list({"apiVersion": "v1", "kind": "Job", "metadata": {"name": {SECRET: 1}}}),
    "a text for metadata": as_list({"apiVersion": "v1", "kind": "Job", "metadata": SECRET}),
    "a key twice": '{"apiVersion": "v1", "kind": "Secret", "' + SECRET + '": 1, "' + SECRET + '": 2}',
    "deep": '{"a":' * 5000 + f'"{SECRET}"' + "}" * 5000,
    "not text": b"\xff\xfe" + SECRET.encode(),
    "large": f'{{"kind": "List", "a": "{SECRET}"}}'.ljust(33 * 2**20),
}


@pytest.mark.parametrize("shown", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_list_of_objects_is_a_finding_that_quotes_nothing(shed: Shed, shown: str | bytes) -> None:
    before = shed.tree()
    done = archive(shed, shown)
    assert done.code == 1
    assert "error[" in done.out
    assert SECRET not in done.out
    assert shed.tree() == before


@pytest.mark.parametrize(
    "written",
    ["Complete", ["Complete"], {"conditions": "Complete"}, {"conditions": [{"type": 1, "status": "True"}]}],
    ids=str,
)
def test_a_status_of_another_shape_stops_everything(shed: Shed, written: Any) -> None:
    before = shed.tree()
    done = archive(shed, as_list(live(shed, "wide", status("torch-done")), live(shed, "plain", written)))
    assert done.code == 1
    assert "error[wrong-type]: status" in done.out
    assert shed.tree() == before


def test_what_a_controller_says_is_kept_as_one_bounded_line(shed: Shed) -> None:
    told = {"type": "Failed", "status": "True", "lastTransitionTime": "2026-11-20T10:00:00Z", "reason": "Bad"}
    told["message"] = "\x1b[2J\u202efirst\r\nsecond " + "x" * 5000
    archive(shed, as_list(live(shed, "plain", {"conditions": [told]})))
    why = shed.seal("plain")["outcome"]["why"]
    assert why.startswith("Bad: [2J first second xxx")
    assert len(why) == 300
    shed.check()
