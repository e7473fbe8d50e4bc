"""Grace periods against saves, saves against the notice of each cloud, and schedules."""

import pytest
from repositories import CLUSTER, JOB, SMALL
from stages.street import Files, resolve

MACHINES = {"eks": "aws/m7i.2xlarge", "gke": "gcp/n2-standard-32", "onprem": "onprem/cpu-64"}
CHECKPOINT = "checkpoint: {volume: checkpoints, every: 10m, saveTime: %s}\n"


def on(provider: str, more: str, capacity: str = "on-demand") -> Files:
    head, _, rest = CLUSTER.replace("provider: onprem", f"provider: {provider}").partition("pools:\n")
    pools = (
        f"pools:\n  h100: {{machine: {MACHINES[provider]}, nodes: 4, labels: {{pool: h100}}}}\n"
        f"  cpu: {{machine: {MACHINES[provider]}, nodes: 4, labels: {{pool: cpu}}, capacity: {capacity}}}\n"
    )
    cluster = head + pools + rest[rest.index("storage:") :]
    return {**SMALL, "specs/clusters/lab.yaml": cluster, "specs/jobs/vision/resnet.yaml": JOB + more}


def said(files: Files) -> list[str]:
    return [f"{f.severity} {f.code}: {f.summary}" for f in resolve(files).findings]


@pytest.mark.parametrize(
    ("more", "grace"),
    [
        ("", 30),
        ("gracePeriod: 10s\n", 10),
        ("checkpoint: {volume: checkpoints}\n", 30),
        (CHECKPOINT % "1s", 31),
        (CHECKPOINT % "2m", 150),
        (CHECKPOINT % "2m" + "gracePeriod: 3m\n", 180),
        (CHECKPOINT % "2m" + "gracePeriod: 2m\n", 120),
    ],
)
def test_the_grace_period_holds_a_save_and_a_margin(more: str, grace: int) -> None:
    resolved = resolve(on("onprem", more))
    assert resolved.said == []
    assert resolved.target().grace_seconds == grace


def test_a_grace_period_that_ends_before_a_save_is_refused() -> None:
    (finding,) = resolve(on("onprem", CHECKPOINT % "2m" + "gracePeriod: 119s\n")).findings
    assert (finding.code, finding.severity) == ("grace-too-short", "error")
    assert str(finding.source) == "specs/jobs/vision/resnet.yaml:8:14"


@pytest.mark.parametrize(
    ("provider", "save", "warned"),
    [("eks", "120s", False), ("eks", "121s", True), ("gke", "15s", False), ("gke", "16s", True)],
)
def test_a_save_longer_than_the_notice_of_spot_nodes_is_warned_about(
    provider: str, save: str, warned: bool
) -> None:
    files = on(provider, f"{CHECKPOINT % save}capacity: spot\n", "spot")
    assert [f.code for f in resolve(files).findings] == (["notice-too-short"] if warned else [])


def test_nodes_that_stay_give_no_notice() -> None:
    assert said(on("eks", CHECKPOINT % "1h")) == []


def test_a_schedule_is_in_utc_and_forbids_overlap_unless_said_otherwise() -> None:
    schedule = resolve(on("onprem", 'schedule: "0 2 * * 0"\n')).target().schedule
    assert schedule is not None
    assert (schedule.cron, schedule.time_zone, schedule.overlap) == ("0 2 * * 0", "Etc/UTC", "forbid")
    assert (schedule.keep_succeeded, schedule.keep_failed, schedule.start_within_seconds) == (3, 3, 0)
    assert not schedule.paused


@pytest.mark.parametrize(
    "cron", ["0 2 * * 0", "*/5 * * * *", "0 0 29 2 *", "15,45 1-5 * JAN-MAR MON-FRI", "0 0 1 */3 *"]
)
def test_a_schedule_that_fires_is_taken(cron: str) -> None:
    assert said(on("onprem", f'schedule: "{cron}"\n')) == []


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "0 2 * *",
        "* * * * * *",
        "60 * * * *",
        "@daily",
        "0 0 L * *",
        "0 0 * * MON#1",
        "0 0 * * 7",
        "0 0 * 13 *",
        "0 0 ٣ * *",
    ],
)
def test_what_kubernetes_does_not_take_for_a_schedule_is_refused(cron: str) -> None:
    assert [f.code for f in resolve(on("onprem", f'schedule: "{cron}"\n')).findings] == ["bad-cron"]


@pytest.mark.parametrize("cron", ["0 0 30 2 *", "0 0 31 4,6 *"])
def test_a_schedule_that_never_fires_is_refused(cron: str) -> None:
    assert said(on("onprem", f'schedule: "{cron}"\n')) == [f'error cron-never: "{cron}" never fires']
