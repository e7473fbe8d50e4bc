"""The number of nodes changes while the run goes on."""

from runtime.loop.pods import Cluster, Pod, free_port, until

ANY = {"EPOCHS": 3, "SAMPLES": 160, "STEP_SECONDS": 0.15, "TRAINSHED_CHECKPOINT_EVERY_STEPS": 4}


def test_nodes_leave_come_and_die_and_every_sample_of_every_epoch_is_seen_once(cluster: Cluster) -> None:
    port = free_port()
    first = node(cluster, port, "is_host=1")
    second = node(cluster, port, "is_host=0")
    until(lambda: first.step() >= 3 and second.step() >= 3, "both train")
    second.terminate()
    assert second.code() == 143
    until(lambda: world(first) == [2, 1], "the first goes on alone")
    (left,) = {event["step"] for event in second.events("left")}
    until(lambda: first.step() >= left + 3, "it trains")
    third = node(cluster, port, "is_host=0")
    until(lambda: third.step() > left + 3, "a new one joins")
    assert {event["step"] for event in third.events("resumed")} == {
        event["step"] for event in first.events("restarted")
    }
    third.kill()
    assert first.code() == 0
    steps = cluster.steps()
    assert {step["world"] for step in steps} == {1, 2}
    assert cluster.seen() == {epoch: list(range(160)) for epoch in range(3)}
    assert max(step["step"] for step in steps) == 3 * 160 / 8


def node(cluster: Cluster, port: int, role: str) -> Pod:
    """A pod of an elastic torchrun of one or two nodes."""
    return cluster.torchrun(
        "--nnodes=1:2",
        "--nproc-per-node=1",
        "--max-restarts=9",
        "--rdzv-backend=c10d",
        f"--rdzv-endpoint=127.0.0.1:{port}",
        "--rdzv-id=run",
        f"--rdzv-conf={role},last_call_timeout=1",
        "--local-addr=127.0.0.1",
        **ANY,
    )


def world(pod: Pod) -> list[object]:
    """Of how many ranks the pod has been one, in order."""
    worlds = pod.events("left") + pod.events("resumed")
    return [event["world"] for event in sorted(worlds, key=lambda event: event["at"])]
