"""Jobs on a cluster with Kueue and KubeRay, and one object of what they become."""

from collections.abc import Mapping
from typing import Any

from repositories import CLUSTER, JOB, TEAM
from stages import street

PLACE = "specs/jobs/vision/resnet.yaml"
APP = "job-vision-resnet"
HEAD = JOB.replace("run: {command: [python, -m, train]}\n", "")
"""A job without what it runs."""
NO_QUEUE = CLUSTER.replace("  kueue: v0.19.2\n", "")


def files(job: str, cluster: str = CLUSTER, team: str = TEAM) -> Mapping[str, str]:
    """A repository with one job."""
    return {"specs/clusters/lab.yaml": cluster, "specs/teams/vision.yaml": team, PLACE: job}


def render(job: str, kind: str, cluster: str = CLUSTER, team: str = TEAM) -> dict[str, Any]:
    """The one object of a kind that a job becomes, compiled."""
    return street.body(street.compile_files(files(job, cluster, team)), kind, APP)


def kinds(job: str, cluster: str = CLUSTER, team: str = TEAM) -> list[str]:
    """The kinds of all objects that a job becomes, sorted."""
    made = street.compile_files(files(job, cluster, team))
    return sorted(body["kind"] for body in street.bodies(made, [APP]))


def said(job: str, cluster: str = CLUSTER, team: str = TEAM) -> list[str]:
    """What is found in a job: `path:line:column code: summary`."""
    return street.resolve(files(job, cluster, team)).said


def container_of(pod_template: Mapping[str, Any]) -> dict[str, Any]:
    """The one container of a pod."""
    (container,) = pod_template["spec"]["containers"]
    return container


def variables(pod_template: Mapping[str, Any]) -> dict[str, str]:
    """The variables of the container in their order: the value, or the field of the pod."""
    return {
        entry["name"]: entry.get("value") or entry["valueFrom"]["fieldRef"]["fieldPath"]
        for entry in container_of(pod_template)["env"]
    }
