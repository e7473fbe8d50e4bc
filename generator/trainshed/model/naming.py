"""The names of everything that is generated, and the room that each kind leaves for them.

Budgets are those of the operators and the API server, which append to a run's name what they make of it.
"""

import hashlib
from collections.abc import Mapping

from trainshed.model.backend import Backend

GENERATED = ("overlays", "rendered")
"""The folders that trainshed writes."""

LABEL_MAX = 63
DIGEST_LENGTH = 8

LONGEST: Mapping[Backend, int] = {
    Backend.CRONJOB: 52,
    Backend.RAYJOB: 47,
    Backend.RAYCLUSTER: 53,
}
"""Longest name by kind, where that does not depend on the pods: a CronJob's Jobs append 11 characters, KubeRay
refuses RayJobs above 47 and RayClusters above 53 (`controllers/ray/utils/constant.go`)."""

POD_SUFFIXES: Mapping[Backend, str] = {
    Backend.TRAINJOB: "-{role}-0-{last}-abcde",
    Backend.JOBSET: "-{role}-0-{last}-abcde",
}
"""What a pod's name appends to the run's, where it is not the role and the index: JobSets name Jobs, and Jobs pods."""

LAUNCHER_SUFFIX = "-launcher-abcde"
"""The launcher of an MPIJob is a Job of that name, whose pods append six characters."""


def run_name(job: str, digest: str, attempt: int) -> str:
    """`<job>-<digest8>`, from the second attempt on `<job>-<digest8>-<attempt>`."""
    name = f"{job}-{digest[:DIGEST_LENGTH]}"
    return name if attempt == 1 else f"{name}-{attempt}"


def name_budget(backend: Backend, pods: Mapping[str, int]) -> int:
    """The longest name of a run with so many pods in each role: what its pods append must leave a DNS label."""
    suffixes = (_suffix(backend, role, number) for role, number in pods.items())
    return LONGEST.get(backend, LABEL_MAX) - max(map(len, suffixes), default=0)


def _suffix(backend: Backend, role: str, number: int) -> str:
    last = max(number - 1, 0)
    if backend in (Backend.JOB, Backend.CRONJOB):
        return f"-{last}" if number > 1 else ""
    if backend in LONGEST:
        return ""
    if backend is Backend.MPIJOB and role == "launcher":
        return LAUNCHER_SUFFIX
    return POD_SUFFIXES.get(backend, "-{role}-{last}").format(role=role, last=last)


def content_name(job: str, part: str, content: bytes) -> str:
    """The name of an object that is named by what it holds, and so never changes: `<job>-<part>-<hash8>`."""
    return f"{job}-{part}-{hashlib.sha256(content).hexdigest()[:DIGEST_LENGTH]}"


def claim_name(job: str, part: str) -> str:
    """The name of a claim that a job owns; stable, for its data outlives every run."""
    return f"{job}-{part}"


QUEUES_APP = "queues"
"""The app of a cluster's queues, flavors and priorities."""

GPUS_APP = "gpus"
"""The app that says how a cluster's GPUs are shared."""

MONITORING_APP = "monitoring"
"""The app of a cluster's alerts, dashboards and what is scraped."""

STORAGE_APP = "storage"
"""The app of a cluster's snapshot classes."""

CLUSTER_APPS = (QUEUES_APP, GPUS_APP, MONITORING_APP, STORAGE_APP)
"""The apps that belong to a cluster as a whole."""


def job_app(team: str, job: str) -> str:
    """The app of a job."""
    return f"job-{team}-{job}"


def team_app(team: str) -> str:
    """The app of a team's namespaces and all that is in them without a job."""
    return f"team-{team}"


def operator_app(operator: str) -> str:
    """The app of an operator, and of what we set up beside it."""
    return f"operator-{operator}"
