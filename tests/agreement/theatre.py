"""A repository, a real cluster, and Argo CD's hand between them: a commit is played, and what came of it is judged."""

import json
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checkout import Checkout
from commits import Commit
from look import CLAIMS, KINDS, OURS, Look, get, kubectl, look
from props import volume_for

JsonObject = dict[str, Any]

REPOSITORY = "https://git.example.com/ml/training.git"
ROOT = "rendered/lab/argocd/root"
MASTER = "--selector=training.kubeflow.org/job-role=master"

PATIENCE = 60.0
"""Seconds after which a run is as far as Kueue and the operators will bring it."""

PAUSE = 2.0
"""Seconds between two looks, and after the end of a pod until its operator has said so."""


@dataclass(frozen=True)
class Seen:
    """What came of a commit, in words, and what was not as it should be."""

    words: str
    misses: list[str]


class Theatre:
    def __init__(self, checkout: Checkout, hand: Path) -> None:
        self.checkout = checkout
        program = [str(hand), REPOSITORY]
        self.hand = subprocess.Popen(program, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def play(self, commit: Commit) -> Seen:
        """Makes a commit, has Argo CD sync it, waits for the operators, and judges what is there then."""
        if commit.finishes:
            finish(commit.finishes)
        before, lineages = look(), self.checkout.lineages("resnet")
        self._edit(commit)
        told = [self._tell("commit", files=self.checkout.merge())]
        if not before.runs:
            told = [self._tell("apply", folder=ROOT)]
        settle()
        told.append(self._tell("later"))
        after = look()
        misses = [*_unrest(told, is_new=not before.runs), *_otherwise(commit, before, after)]
        if commit.lineage:
            known = {lineages[_bare(name)] for name in before.runs if _job(name) == "resnet"}
            now = self.checkout.lineages("resnet")
            if (commit.lineage == "same") != ({now[_bare(name)] for name in after.only(before)} <= known):
                misses.append(f"its lineage is not {commit.lineage}")
        starts, ends, stays = after.only(before), before.only(after), before.stays(after)
        words = (
            f"{_jobs(starts)} began, {_jobs(ends)} went, {len(stays)} untouched, {len(after.claims)} claims"
        )
        return Seen(words, misses)

    def _edit(self, commit: Commit) -> None:
        self.checkout.write(commit.files)
        if commit.reverts:
            self.checkout.revert()
        elif commit.archives:
            listing = json.dumps({"apiVersion": "v1", "kind": "List", "items": get(*KINDS, OURS)})
            self.checkout.trainshed("archive", "--cluster", "lab", "--state", "succeeded", said=listing)
        else:
            self.checkout.trainshed("render")
        self.checkout.trainshed("check")

    def _tell(self, do: str, **more: Any) -> JsonObject:
        """Has the hand play a step; its answer (`generator/engine/life/verb.go`)."""
        asks, answers = self.hand.stdin, self.hand.stdout
        assert asks and answers
        print(json.dumps({"do": do, **more}), file=asks, flush=True)
        answer = answers.readline()
        if not answer:
            raise SystemExit(f"the hand gave up: {do}")
        return json.loads(answer)


def settle() -> None:
    """Does what storage drivers would, until every run has pods and nothing changes any more."""
    end, outline = time.monotonic() + PATIENCE, ""
    while time.monotonic() < end:
        for claim in get(CLAIMS):
            if not claim["spec"].get("volumeName"):
                kubectl("apply", "-f", "-", said=json.dumps(volume_for(claim)))
        now = look()
        if outline == (outline := repr(now.pods)) and all(now.pods.values()):
            return
        time.sleep(PAUSE)


def finish(job: str) -> None:
    """Lets the master of each of a job's PyTorchJobs end well, as a kubelet says it."""
    for pod in get("pods", MASTER):
        if pod["metadata"]["name"].startswith(f"{job}-"):
            ended = {"terminated": {"exitCode": 0, "reason": "Completed"}}
            told = {"image": "", "imageID": "", "ready": False, "restartCount": 0, "state": ended}
            containers = [told | {"name": one["name"]} for one in pod["spec"]["containers"]]
            patch = json.dumps({"status": {"phase": "Succeeded", "containerStatuses": containers}})
            place = (pod["metadata"]["name"], "--namespace", pod["metadata"]["namespace"])
            kubectl("patch", "pod", *place, "--subresource=status", "--type=merge", "--patch", patch)
    time.sleep(2 * PAUSE)


def _unrest(told: list[JsonObject], *, is_new: bool) -> Iterator[str]:
    """What Argo CD was refused, and what it leaves undone. On a new cluster, runs are early until their team is there."""
    for event in (event for step in told for event in step["events"] if event["what"] == "refused"):
        if not is_new or "not found" not in event["why"]:
            yield f"refused {event['kind']} {event['name']} to {event['by']}: {event['why']}"
    for app in told[-1]["apps"]:
        if app["sync"] != "Synced":
            yield f"{app['name']} is {app['sync']}: {app.get('differs') or app.get('fault')}"
    if not told[-1]["rested"]:
        yield "Argo CD does not come to rest"


def _otherwise(commit: Commit, before: Look, after: Look) -> Iterator[str]:
    """What a commit did to runs and claims beside what it was to do."""
    starts, ends = after.only(before), before.only(after)
    if sorted(map(_job, starts)) != sorted(commit.starts):
        yield f"{_jobs(starts)} began in place of {' '.join(commit.starts)}"
    if sorted(map(_job, ends)) != sorted(commit.ends):
        yield f"{_jobs(ends)} went in place of {' '.join(commit.ends)}"
    yield from (f"{name} has no pods" for name in starts if not after.pods[name])
    yield from before.touched(after)


def _bare(name: str) -> str:
    return name.rpartition("/")[2]


def _job(name: str) -> str:
    return _bare(name).partition("-")[0]


def _jobs(names: list[str]) -> str:
    return " ".join(sorted(map(_job, names))) or "none"
