"""The names of everything that is generated, and the room that each kind leaves for them.

Budgets are those of the operators and the API server, which append to a run's name what they make of it.
"""

import hashlib
from collections.abc import Mapping

LABEL_MAX = 63
DIGEST_LENGTH = 8

BUDGETS: Mapping[str, int] = {"Job": 63, "CronJob": 52, "RayJob": 47}
"""Longest name by kind: a CronJob's Jobs append 11 characters, KubeRay refuses RayJobs above 47."""


def run_name(job: str, digest: str, attempt: int) -> str:
    """`<job>-<digest8>`, from the second attempt on `<job>-<digest8>-<attempt>`."""
    name = f"{job}-{digest[:DIGEST_LENGTH]}"
    return name if attempt == 1 else f"{name}-{attempt}"


def pytorchjob_budget(max_workers: int) -> int:
    """The longest name of a PyTorchJob: its pods and services are called `<job>-worker-<n-1>`, a DNS label."""
    return LABEL_MAX - len(f"-worker-{max(max_workers - 1, 0)}")


def content_name(job: str, part: str, content: bytes) -> str:
    """The name of an object that is named by what it holds, and so never changes: `<job>-<part>-<hash8>`."""
    return f"{job}-{part}-{hashlib.sha256(content).hexdigest()[:DIGEST_LENGTH]}"


def claim_name(job: str, part: str) -> str:
    """The name of a claim that a job owns; stable, for its data outlives every run."""
    return f"{job}-{part}"


QUEUES_APP = "queues"
"""The app of a cluster's queues, flavors and priorities."""


def job_app(team: str, job: str) -> str:
    """The app of a job."""
    return f"job-{team}-{job}"


def team_app(team: str) -> str:
    """The app of a team's namespaces and all that is in them without a job."""
    return f"team-{team}"


def operator_app(operator: str) -> str:
    """The app of an operator, and of what we set up beside it."""
    return f"operator-{operator}"
