"""How Argo CD sees objects fare, by the scripts of the argocd-cm that we render, run as Argo CD runs them."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from kinds.frameworks import OPERATORS, files
from ruamel.yaml import YAML
from stages import street

from trainshed.engine.health import Health, tell_health

SAMPLES = sorted((Path(__file__).parent / "health").glob("*.yaml"))
PREFIX = "resource.customizations.health."
GARBAGE: dict[str, Any] = {
    "nothing": {},
    "no status": {"status": None},
    "an empty status": {"status": {}},
    "a text for a status": {"status": "ready"},
    "a list for a status": {"status": ["Failed"]},
    "a text for conditions": {"status": {"conditions": "Failed"}},
    "a map for conditions": {"status": {"conditions": {"type": "Failed", "status": "True"}}},
    "conditions of other types": {"status": {"conditions": [1, None, "Failed", [], {}, {"type": {}}]}},
    "conditions without a status": {"status": {"conditions": [{"type": "Failed"}, {"type": "Active"}]}},
    "numbers for words": {
        "status": {"phase": 1, "state": 2, "jobDeploymentStatus": 3, "serviceStatus": 4, "health": 5}
    },
    "maps for words": {"status": {"phase": {}, "state": {"phase": {}}, "health": {"status": {}}}},
    "words nobody knows": {"status": {"phase": "?", "state": "?", "jobDeploymentStatus": "?"}},
    "metadata and a spec of other types": {"metadata": 1, "spec": "x", "status": {"phase": "Pending"}},
}


@cache
def settings() -> dict[str, str]:
    """The data of argocd-cm."""
    manifests = street.compile_files(files("framework: pytorch\nrun: {script: train.py}\n", OPERATORS))
    (found,) = (
        body for body in street.bodies(manifests, ["argocd/root"]) if body["metadata"]["name"] == "argocd-cm"
    )
    return found["data"]


def live(kind: str, sample: dict[str, Any]) -> dict[str, Any]:
    """An object of a kind, with the status of a sample."""
    api_version, _, name = kind.rpartition("/")
    fields = {key: sample[key] for key in ("metadata", "spec", "status") if key in sample}
    return {"apiVersion": api_version, "kind": name, "metadata": {"name": "a"}} | fields


def read(path: Path) -> dict[str, Any]:
    return YAML(typ="safe").load(path.read_text("utf-8"))


CASES = [
    pytest.param(kind, sample, id=f"{kind.rpartition('/')[2]} {sample['it']}")
    for table in map(read, SAMPLES)
    for kind in table["kinds"]
    for sample in table["samples"]
]


@pytest.mark.parametrize(("kind", "sample"), CASES)
def test_each_status_of_each_kind_has_its_word(kind: str, sample: dict[str, Any]) -> None:
    (told,) = tell_health([live(kind, sample)], settings())
    assert told.status == sample["is"]
    assert told.message == sample.get("because", told.message)


def test_every_kind_with_a_rule_has_samples() -> None:
    ruled = {key.removeprefix(PREFIX) for key in settings() if key.startswith(PREFIX)}
    sampled = {kind for path in SAMPLES for kind in read(path)["kinds"]}
    names = {"_".join([kind.split("/")[0], kind.split("/")[-1]]).removeprefix("v1_") for kind in sampled}
    assert names == ruled


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_a_status_of_another_shape_is_no_news(garbage: dict[str, Any]) -> None:
    """No script fails, and none takes a status that it cannot read for a good or a bad end."""
    kinds = sorted({kind for path in SAMPLES for kind in read(path)["kinds"]})
    for kind, told in zip(
        kinds, tell_health([live(kind, garbage) for kind in kinds], settings()), strict=True
    ):
        assert told.status == "Progressing" or kind == "v1/PersistentVolumeClaim", (kind, told)
        assert "<string>" not in told.message, (kind, told)


def test_what_is_being_deleted_goes_on_whatever_its_status_says() -> None:
    gone = {"metadata": {"deletionTimestamp": "2026-11-20T08:00:00Z"}, "status": {"phase": "Bound"}}
    (told,) = tell_health([live("v1/PersistentVolumeClaim", gone)], settings())
    assert told == Health("Progressing", "Pending deletion")


def test_a_kind_without_a_rule_has_argo_cds_own_or_none() -> None:
    deployment = live("apps/v1/Deployment", {"spec": {"replicas": 1}, "status": {}})
    queued = live("batch/v1/Job", {"status": {"conditions": [{"type": "Suspended", "status": "True"}]}})
    flavor = live("kueue.x-k8s.io/v1beta2/ResourceFlavor", {})
    told = [health.status for health in tell_health([deployment, queued, flavor], {})]
    assert told == ["Progressing", "Suspended", ""]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("while true do end", "context deadline exceeded"),
        ("return 1", "expect table output from Lua script, not number"),
        ("return { status = 'Fine' }", "Lua returned an invalid health status"),
        ("return dofile('/etc/passwd')", "attempt to call a non-function object"),
        ("return io.open('/etc/passwd')", "attempt to index a non-table object(nil) with key 'open'"),
        ("return", ""),
    ],
)
def test_a_script_that_does_not_tell_is_reported(script: str, message: str) -> None:
    job = live("batch/v1/Job", {})
    (told,) = tell_health([job], {f"{PREFIX}batch_Job": script})
    assert message in told.message
    assert told.status == ("Unknown" if message else "")
