"""How the nodes of an elastic PyTorchJob find one another. Facts B.3."""

from typing import Any

import pytest
from repositories import CLUSTER, JOB, SMALL
from stages.street import Files, body, compile_files, resolve

ELASTIC = JOB + "framework: pytorch\nnodes: {min: 1, max: 4}\nprocsPerNode: 1\nqueue: none\ngang: none\n"


def files(words: str, etcd: str = "") -> Files:
    cluster = {"specs/clusters/lab.yaml": CLUSTER + (f"etcd: {etcd}\n" if etcd else "")}
    return {**SMALL, **cluster, "specs/jobs/vision/resnet.yaml": ELASTIC + words}


def policy(words: str, etcd: str = "") -> Any:
    job = body(compile_files(files(words, etcd)), "PyTorchJob", "job-vision-resnet")
    return {
        key: value
        for key, value in job["spec"]["elasticPolicy"].items()
        if key.startswith("rdzv") and key != "rdzvId"
    }


def said(words: str, etcd: str = "") -> list[tuple[str, str]]:
    return [(finding.code, finding.summary) for finding in resolve(files(words, etcd)).findings]


def test_nothing_is_written_that_nobody_said() -> None:
    assert policy("") == {"rdzvBackend": "c10d"}


def test_timeouts_are_torchruns_settings_in_seconds() -> None:
    words = "rendezvous: {port: 29400, joinTimeout: 15m, lastCallTimeout: 45s, conf: {heartbeat: 10}}\n"

    assert policy(words) == {
        "rdzvBackend": "c10d",
        "rdzvPort": 29400,
        "rdzvConf": [
            {"key": "heartbeat", "value": "10"},
            {"key": "join_timeout", "value": "900"},
            {"key": "last_call_timeout", "value": "45"},
        ],
    }


def test_etcd_is_the_clusters() -> None:
    etcd = '{endpoint: "etcd.example.com:2379", version: "3.5"}'

    assert policy("rendezvous: {backend: etcd-v2}\n", etcd) == {
        "rdzvBackend": "etcd-v2",
        "rdzvHost": "etcd.example.com",
        "rdzvPort": 2379,
    }


@pytest.mark.parametrize(
    ("words", "etcd", "finding"),
    [
        (
            "rendezvous: {backend: etcd-v2}\n",
            "",
            ("missing-operator", 'cluster "lab" has no etcd for rendezvous'),
        ),
        (
            "rendezvous: {backend: etcd-v2}\n",
            '{endpoint: "etcd:2379", version: "3.6.1"}',
            ("release-lacks", 'etcd 3.6.1 of "lab" no longer has the API of version 2'),
        ),
        (
            "rendezvous: {backend: etcd-v2, port: 2379}\n",
            '{endpoint: "etcd:2379"}',
            ("conflicting-choice", "the port of etcd is the cluster's to say"),
        ),
        (
            "rendezvous: {joinTimeout: 5m, conf: {join_timeout: 300}}\n",
            "",
            ("conflicting-choice", "join_timeout is said twice"),
        ),
        (
            'rendezvous: {conf: {a: "b,c=d"}}\n',
            "",
            ("bad-value", 'torchrun reads "a=b,c=d" as something else'),
        ),
    ],
)
def test_what_cannot_be_is_said_at_its_line(words: str, etcd: str, finding: tuple[str, str]) -> None:
    assert finding in said(words, etcd)


def test_nodes_that_stay_need_no_rendezvous() -> None:
    fixed = ELASTIC.replace("{min: 1, max: 4}", "4") + "rendezvous: {port: 29400}\n"

    summaries = [
        finding.summary for finding in resolve({**SMALL, "specs/jobs/vision/resnet.yaml": fixed}).findings
    ]
    assert (
        "only the nodes of an elastic job meet at a rendezvous: this job's nodes are told where the first is"
        in summaries
    )
