"""A repository, a real cluster, and Argo CD's hand between them: what was there before a commit, and what is after."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from commits import Commit
from props import volume_for

JsonObject = dict[str, Any]

RUNS = {
    "Job": "jobs.batch",
    "PyTorchJob": "pytorchjobs.kubeflow.org",
    "JobSet": "jobsets.jobset.x-k8s.io",
    "RayJob": "rayjobs.ray.io",
}
OURS = ("-l", "app.kubernetes.io/managed-by=trainshed")
REPOSITORY = "https://git.example.com/ml/training.git"
ROOT = "rendered/lab/argocd/root"
PATIENCE = 60.0
"""Seconds for Kueue and the operators to get a run as far as it comes."""


@dataclass(frozen=True)
class Checkout:
    """A repository in a folder, without Git: what is in it is merged."""

    path: Path

    def write(self, files: Mapping[str, str | None]) -> None:
        """Writes files, and takes away those that are None."""
        for name, text in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text)

    def read(self, *folders: str) -> dict[str, str]:
        """The text of every file below the folders, by path."""
        return {
            path.relative_to(self.path).as_posix(): path.read_text()
            for folder in folders
            for path in sorted((self.path / folder).rglob("*"))
            if path.is_file()
        }

    def trainshed(self, *command: str, said: str = "") -> None:
        """Runs a command, which must succeed; `said` is its standard input."""
        program = [sys.executable, "-m", "trainshed", *command]
        done = subprocess.run(program, cwd=self.path, input=said, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"trainshed {' '.join(command)}: {done.stdout}{done.stderr}")

    def lineages(self, job: str) -> dict[str, str]:
        """The lineage that each seal of a job records, by the name of the run."""
        seals = [
            json.loads(path.read_text()) for path in self.path.glob(f"overlays/*-{job}/lab/seals/*.json")
        ]
        return {seal["run"]: seal["lineage"] for seal in seals}


@dataclass(frozen=True)
class Look:
    """The cluster at one moment: runs, claims and pods by what they are called."""

    runs: Mapping[str, JsonObject]
    claims: Mapping[str, str]
    pods: Mapping[str, list[str]]

    def touched(self, after: "Look") -> Iterator[str]:
        """What is not as it was of the runs that are there before and after."""
        for name in self.runs.keys() & after.runs.keys():
            one, other = self.runs[name], after.runs[name]
            for what in ("uid", "generation"):
                then, now = one["metadata"][what], other["metadata"][what]
                if then != now:
                    yield f"{name}: its {what} was {then} and is {now}"
            if one["spec"] != other["spec"]:
                yield f"{name}: its spec changed"
            if new := set(after.pods[name]) - set(self.pods[name]):
                yield f"{name}: it has {len(new)} new pods"


@dataclass
class Seen:
    """What came of a commit: in words, and what was not as it should be."""

    words: str
    misses: list[str] = field(default_factory=list[str])


@dataclass
class Theatre:
    checkout: Checkout
    hand: Path
    trees: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    @cached_property
    def _hand(self) -> subprocess.Popen[str]:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        return subprocess.Popen([str(self.hand), REPOSITORY], text=True, **pipes)

    def merge(self, commit: Commit) -> Seen:
        """Makes a commit, has Argo CD sync it, lets the cluster settle, and looks at what is otherwise."""
        for job in commit.finishes:
            self._finish(job)
        before, lineages = self.look(), self.checkout.lineages("resnet")
        self._change(commit)
        told = [self._tell("commit", files=self.checkout.read("rendered"))]
        if not self.trees:
            told.append(self._tell("apply", folder=ROOT))
        self.trees.append(self.checkout.read("specs", "overlays", "rendered"))
        self._settle()
        told.append(self._tell("later"))
        after = self.look()
        starts, ends = _differ(after, before), _differ(before, after)
        refused = [f"refused: {one}" for step in told for one in step["events"] if one["what"] == "refused"]
        unsynced = [f"not in sync: {app}" for app in told[-1]["apps"] if app["sync"] != "Synced"]
        seen = Seen(
            f"starts {_jobs(starts)}, ends {_jobs(ends)}, {len(before.runs.keys() & after.runs.keys())} untouched"
        )
        seen.misses += [*(refused if before.runs else []), *unsynced, *before.touched(after)]
        seen.misses += [] if told[-1]["rested"] else ["Argo CD does not come to rest"]
        seen.misses += [] if _jobs(starts) == list(commit.starts) else [f"to start: {commit.starts}"]
        seen.misses += [] if _jobs(ends) == list(commit.ends) else [f"to end: {commit.ends}"]
        seen.misses += [
            f"another claim: {name}" for name, uid in before.claims.items() if after.claims.get(name) != uid
        ]
        seen.misses += [f"no pods: {name}" for name in starts if not after.pods.get(name)]
        if commit.lineage:
            now = self.checkout.lineages("resnet")
            same = {now[_bare(name)] for name in starts} <= {
                lineages[_bare(name)] for name in before.runs if "/resnet-" in name
            }
            seen.misses += (
                [] if same == (commit.lineage == "same") else [f"its lineage is to be {commit.lineage}"]
            )
        return seen

    def look(self) -> Look:
        """The cluster as it is now."""
        runs = self._get(*RUNS.values(), labels=OURS)
        top = [one for one in runs if not one["metadata"].get("ownerReferences")]
        pods = self._get("pods")
        return Look(
            {_name(one): one for one in top},
            {_name(one): one["metadata"]["uid"] for one in self._get("persistentvolumeclaims")},
            {_name(one): sorted(pod["metadata"]["uid"] for pod in pods if _belongs(pod, one)) for one in top},
        )

    def _change(self, commit: Commit) -> None:
        if commit.reverts:
            now, then = self.checkout.read("specs", "overlays", "rendered"), self.trees[-2]
            self.checkout.write({**dict.fromkeys(now), **then})
            self.checkout.trainshed("check")
            return
        self.checkout.write(commit.files)
        if commit.archive:
            listing = json.dumps(
                {"apiVersion": "v1", "kind": "List", "items": self._get(*RUNS.values(), labels=OURS)}
            )
            self.checkout.trainshed("archive", "--cluster", "lab", said=listing)
        else:
            self.checkout.trainshed("render")
        self.checkout.trainshed("check")

    def _settle(self) -> None:
        """Waits until every run has pods and a node for each, and nothing changes any more."""
        end, before = time.monotonic() + PATIENCE, ""
        while time.monotonic() < end:
            self._bind_claims()
            look = self.look()
            outline = json.dumps([look.pods, [one["metadata"]["generation"] for one in look.runs.values()]])
            if outline == before and all(look.pods.values()):
                return
            before = outline
            time.sleep(2)

    def _finish(self, job: str) -> None:
        """Lets the pods of a job's runs end well, as a kubelet says it."""
        for pod in self._get("pods"):
            if pod["metadata"]["name"].startswith(f"{job}-"):
                names = [one["name"] for one in pod["spec"]["containers"]]
                ended = {"terminated": {"exitCode": 0, "reason": "Completed"}}
                status = {
                    "phase": "Succeeded",
                    "containerStatuses": [
                        {
                            "name": name,
                            "image": "",
                            "imageID": "",
                            "ready": False,
                            "restartCount": 0,
                            "state": ended,
                        }
                        for name in names
                    ],
                }
                self._kubectl(
                    "patch", "pod", pod["metadata"]["name"], "-n", pod["metadata"]["namespace"],
                    "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}),
                )  # fmt: skip
        time.sleep(5)

    def _bind_claims(self) -> None:
        for claim in self._get("persistentvolumeclaims"):
            if not claim["spec"].get("volumeName"):
                self._kubectl("apply", "-f", "-", said=json.dumps(volume_for(claim)))

    def _tell(self, do: str, **more: Any) -> JsonObject:
        stdin, stdout = self._hand.stdin, self._hand.stdout
        assert stdin and stdout
        print(json.dumps({"do": do, **more}), file=stdin, flush=True)
        answer = stdout.readline()
        if not answer:
            raise SystemExit(f"The hand gave up at: {do}")
        return json.loads(answer)

    def _get(self, *kinds: str, labels: tuple[str, ...] = ()) -> list[JsonObject]:
        return json.loads(self._kubectl("get", ",".join(kinds), "-A", *labels, "-o", "json"))["items"]

    def _kubectl(self, *command: str, said: str = "") -> str:
        done = subprocess.run(
            [os.environ["KUBECTL"], *command], input=said, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"kubectl {' '.join(command)}: {done.stderr}")
        return done.stdout


def _differ(one: Look, other: Look) -> list[str]:
    """The runs of one look that are not in the other; a run that was made anew counts as another."""
    return sorted(
        name for name, run in one.runs.items()
        if name not in other.runs or other.runs[name]["metadata"]["uid"] != run["metadata"]["uid"]
    )  # fmt: skip


def _name(one: JsonObject) -> str:
    return f"{one['kind']} {one['metadata']['namespace']}/{one['metadata']['name']}"


def _bare(name: str) -> str:
    return name.rpartition("/")[2]


def _jobs(names: list[str]) -> list[str]:
    return sorted(_bare(name).partition("-")[0] for name in names)


def _belongs(pod: JsonObject, run: JsonObject) -> bool:
    """Operators call the pods of a run after it."""
    same_space = pod["metadata"]["namespace"] == run["metadata"]["namespace"]
    return same_space and run["metadata"]["name"] in json.dumps(pod["metadata"]["labels"])
