"""The runs, claims and pods of a real cluster at one moment, and what another look says of them."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

JsonObject = dict[str, Any]

KINDS = (
    "jobs.batch",
    "pytorchjobs.kubeflow.org",
    "mpijobs.kubeflow.org",
    "trainjobs.trainer.kubeflow.org",
    "jobsets.jobset.x-k8s.io",
    "rayjobs.ray.io",
)
OURS = "--selector=app.kubernetes.io/managed-by=trainshed"
CLAIMS = "persistentvolumeclaims"


@dataclass(frozen=True)
class Look:
    """Runs and the uids of claims by `<kind> <namespace>/<name>`; of each run the uids of its pods."""

    runs: Mapping[str, JsonObject]
    claims: Mapping[str, str]
    pods: Mapping[str, frozenset[str]]

    def touched(self, after: "Look") -> Iterator[str]:
        """What is not as it was of the runs that are there before and after, and of the claims of before.

        The status is its operator's, and pods may end; new ones would be a second start.
        """
        for name in self.stays(after):
            then, now = self.runs[name], after.runs[name]
            if then["metadata"]["generation"] != now["metadata"]["generation"] or then["spec"] != now["spec"]:
                yield f"{name}: its spec was changed"
            if new := after.pods[name] - self.pods[name]:
                yield f"{name}: it has {len(new)} new pods"
        for name, uid in self.claims.items():
            if after.claims.get(name) != uid:
                yield f"{name}: it is not the claim that it was"

    def stays(self, after: "Look") -> list[str]:
        """The runs that are there before and after, by their uids."""
        return sorted(self.runs.keys() - set(self.only(after)))

    def only(self, other: "Look") -> list[str]:
        """The runs that the other look does not have; what was made anew counts as another."""
        return sorted(
            name
            for name, run in self.runs.items()
            if other.runs.get(name, run)["metadata"]["uid"] != run["metadata"]["uid"]
            or name not in other.runs
        )


def look() -> Look:
    """The cluster as it is now."""
    runs = {name_of(one): one for one in get(*KINDS, OURS) if not one["metadata"].get("ownerReferences")}
    pods = get("pods")
    return Look(
        runs,
        {name_of(one): one["metadata"]["uid"] for one in get(CLAIMS)},
        {
            name: frozenset(pod["metadata"]["uid"] for pod in pods if _belongs(pod, run))
            for name, run in runs.items()
        },
    )


def get(*what: str) -> list[JsonObject]:
    """What `kubectl get -A -o json` shows of kinds, and with its flags."""
    kinds = ",".join(word for word in what if not word.startswith("-"))
    flags = [word for word in what if word.startswith("-")]
    return json.loads(kubectl("get", kinds, "-A", *flags, "-o", "json"))["items"]


def kubectl(*command: str, said: str = "") -> str:
    """What the kit's kubectl prints; `said` is its standard input."""
    program = [os.environ["KUBECTL"], *command]
    done = subprocess.run(program, input=said, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"kubectl {' '.join(command)}: {done.stderr}")
    return done.stdout


def name_of(one: JsonObject) -> str:
    return f"{one['kind']} {one['metadata']['namespace']}/{one['metadata']['name']}"


def _belongs(pod: JsonObject, run: JsonObject) -> bool:
    """Whether a pod is of a run: operators label pods with its name, or with one that begins with it."""
    is_near = pod["metadata"]["namespace"] == run["metadata"]["namespace"]
    labels = pod["metadata"].get("labels", {}).values()
    name = run["metadata"]["name"]
    return is_near and any(label == name or label.startswith(f"{name}-") for label in labels)
