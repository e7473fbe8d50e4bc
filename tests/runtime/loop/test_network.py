"""Ranks that do not meet say why, and soon."""

import socket
import time

from runtime.loop.pods import HERE, Cluster, Pod, free_port

ALONE = {"RANK": 0, "WORLD_SIZE": 1, "MASTER_ADDR": "127.0.0.1"}


def test_an_interface_that_is_not_there_is_named_with_those_that_are(cluster: Cluster) -> None:
    pod = join(cluster, **ALONE, MASTER_PORT=free_port(), GLOO_SOCKET_IFNAME="eth7")
    assert pod.code() == 1
    assert "GLOO_SOCKET_IFNAME is 'eth7', but this machine has lo" in pod.said()


def test_nobody_at_the_address_is_said_with_what_was_tried(cluster: Cluster) -> None:
    port = free_port()
    started = time.monotonic()
    pod = join(cluster, RANK=1, WORLD_SIZE=2, MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    assert pod.code() == 1
    assert time.monotonic() - started < 10
    assert f"rank 1 finds nobody at 127.0.0.1:{port}" in pod.said()
    assert "Connection refused" in pod.said()


def test_a_name_that_does_not_resolve_is_said(cluster: Cluster) -> None:
    pod = join(cluster, RANK=1, WORLD_SIZE=2, MASTER_ADDR="no-such-pod.invalid", MASTER_PORT=29500)
    assert pod.code() == 1
    assert "the name no-such-pod.invalid does not resolve" in pod.said()


def test_a_port_that_is_taken_is_said(cluster: Cluster) -> None:
    with socket.socket() as other:
        other.bind(("", 0))
        other.listen()
        port = other.getsockname()[1]
        pod = join(cluster, **ALONE, MASTER_PORT=port)
        assert pod.code() == 1
    assert f"rank 0 cannot listen on port {port}" in pod.said()


def test_a_rank_that_does_not_come_is_named(cluster: Cluster) -> None:
    started = time.monotonic()
    pod = join(cluster, RANK=0, WORLD_SIZE=3, MASTER_ADDR="127.0.0.1", MASTER_PORT=free_port())
    assert pod.code() == 1
    assert time.monotonic() - started < 10
    assert "rank 0 waited in vain for rank 1, 2 of 3" in pod.said()


def test_ranks_that_meet_use_the_interface_that_leads_to_the_first(cluster: Cluster) -> None:
    world = {"WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    pods = [join(cluster, RANK=rank, **world) for rank in range(2)]
    assert [pod.code() for pod in pods] == [0, 0]
    assert all("met 2 ranks over lo" in pod.said() for pod in pods)


def join(cluster: Cluster, **variables: object) -> Pod:
    """A rank that joins the others and leaves."""
    return cluster.start(*cluster.python, str(HERE / "programs" / "join.py"), **variables)
