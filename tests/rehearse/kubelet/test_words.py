"""The tables: what plain rooms rewrite, which names there are, and how long a restart waits."""

import pytest
from rehearse.kubelet.stage import headless_service

from trainshed.rehearse.kubelet.backoff import Backoff
from trainshed.rehearse.kubelet.hosts import Neighbour, resolve_names, write_hosts
from trainshed.rehearse.rooms.rewriting import Rewriting

REWRITING = Rewriting(
    {"/data": "/r/claims/data", "/data/deep": "/r/claims/deep", "/tmp": "/r/tmp"},
    frozenset({"master-0", "master-0.team.svc", "worker-1"}),
)


@pytest.mark.parametrize(
    ("word", "rewritten"),
    [
        ("/data", "/r/claims/data"),
        ("/data/x", "/r/claims/data/x"),
        ("--dir=/data/deep/y", "--dir=/r/claims/deep/y"),
        ("/database /x/data ./data", "/database /x/data ./data"),
        ("file:///data/x", "file:///r/claims/data/x"),
        ("/usr/bin:/data/bin:/tmp", "/usr/bin:/r/claims/data/bin:/r/tmp"),
        ("open('/data')", "open('/r/claims/data')"),
        ("master-0", "127.0.0.1"),
        ("master-0:23456,worker-1:23456", "127.0.0.1:23456,127.0.0.1:23456"),
        ("tcp://master-0.team.svc:29500/x", "tcp://127.0.0.1:29500/x"),
        ("http://worker-1/healthz", "http://127.0.0.1/healthz"),
        ("worker-10 my-worker-1 worker-1.other", "worker-10 my-worker-1 worker-1.other"),
        ("/data/worker-1/log", "/r/claims/data/worker-1/log"),
        ('{"worker": ["worker-1:2222"]}', '{"worker": ["127.0.0.1:2222"]}'),
    ],
)
def test_words_of_the_pod_become_words_of_this_machine(word: str, rewritten: str) -> None:
    assert REWRITING.rewrite(word) == rewritten


def neighbour(name: str, address: str, subdomain: str = "") -> Neighbour:
    return Neighbour(name, name, subdomain, "team", {"job": "run", "replica": name}, address)


PODS = (
    neighbour("a", "10.244.0.3", "group"),
    neighbour("b", "10.244.0.4", "group"),
    neighbour("c", "10.244.0.5"),
)


def test_names_are_those_of_services_and_of_pods_in_headless_ones() -> None:
    plain = {"metadata": {"name": "front", "namespace": "team"}, "spec": {"selector": {"job": "run"}}}
    empty = {"metadata": {"name": "by-hand", "namespace": "team"}, "spec": {}}
    names = resolve_names(PODS, (headless_service("group", job="run"), plain, empty), "team")
    assert {name: found for name, found in names.items() if "." not in name} == {
        "front": ["10.244.0.3"],
        "group": ["10.244.0.3", "10.244.0.4", "10.244.0.5"],
    }
    assert {name for name, found in names.items() if found == ["10.244.0.4"]} == {
        "b.group",
        "b.group.team",
        "b.group.team.svc",
        "b.group.team.svc.cluster.local",
    }


def test_short_names_are_those_of_ones_own_namespace() -> None:
    names = resolve_names(PODS[:1], (headless_service("group", job="run"),), "elsewhere")
    assert sorted(names) == [
        f"{name}.team{rest}" for name in ("a.group", "group") for rest in ("", ".svc", ".svc.cluster.local")
    ]


def test_a_hosts_file_begins_with_the_pod_itself() -> None:
    spec = {"hostAliases": [{"ip": "192.0.2.1", "hostnames": ["db", "evil\n127.0.0.1 x"]}]}
    assert write_hosts(PODS[0], spec, {"group": ["10.244.0.3"]}) == (
        "127.0.0.1 localhost\n"
        "::1 localhost ip6-localhost ip6-loopback\n"
        "10.244.0.3 a.group.team.svc.cluster.local a\n"
        "192.0.2.1 db\n"
        "192.0.2.1 evil 127.0.0.1 x\n"
        "10.244.0.3 group\n"
    )


def test_restarts_wait_as_in_a_cluster_but_shorter() -> None:
    backoff = Backoff(hurry=10)
    assert [backoff.next_pause(0) for _ in range(8)] == [0, 1, 2, 4, 8, 16, 30, 30]
    assert backoff.next_pause(59) == 30
    assert backoff.next_pause(60) == 0
