"""When a pod is Ready, which is what controllers wait for."""

from rehearse.kubelet.stage import Stage, container, pod, python

from trainshed.model.rehearsal import Happening

OPENS = "import os, pathlib, time; time.sleep(0.3); pathlib.Path(os.environ['HOME'], 'open').touch(); time.sleep(1)"
LOOKS = python("import os, sys; sys.exit(not os.path.exists(os.environ['HOME'] + '/open'))")


def moments(stage: Stage) -> list[Happening]:
    told = (Happening.STARTED, Happening.READY)
    return [event.happening for event in stage.events if not event.container and event.happening in told]


def moment(stage: Stage, happening: Happening) -> float:
    (at,) = (event.at for event in stage.events if event.happening is happening and not event.container)
    return at


def test_a_pod_without_a_probe_is_ready_once_it_runs(stage: Stage) -> None:
    assert stage.run(pod("import time; time.sleep(0.3)")).succeeded
    assert moments(stage) == [Happening.STARTED, Happening.READY]


def test_a_readiness_probe_holds_ready_back_until_it_passes(stage: Stage) -> None:
    probe = {"exec": {"command": LOOKS}, "initialDelaySeconds": 1, "periodSeconds": 5, "timeoutSeconds": 5}
    assert stage.run(pod(OPENS, readinessProbe=probe)).succeeded
    assert moments(stage) == [Happening.STARTED, Happening.READY]
    assert moment(stage, Happening.READY) - moment(stage, Happening.STARTED) > 0.2


def test_a_readiness_probe_that_never_passes_ends_nothing(stage: Stage) -> None:
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1}
    assert stage.run(pod("import time; time.sleep(1)", readinessProbe=probe)).succeeded
    assert moments(stage) == [Happening.STARTED]


def test_a_connection_to_the_port_is_a_readiness_too(stage: Stage, free_port: int) -> None:
    serve = f"import socket, time; s = socket.create_server(('', {free_port})); time.sleep(1.5)"
    probe = {"tcpSocket": {"port": free_port}, "periodSeconds": 1, "timeoutSeconds": 5}
    assert stage.run(pod(serve, readinessProbe=probe)).succeeded
    assert moments(stage) == [Happening.STARTED, Happening.READY]


def test_a_pod_is_ready_when_its_last_container_is(stage: Stage) -> None:
    slow = {**container("import time; time.sleep(1)"), "name": "slow"}
    slow["readinessProbe"] = {"exec": {"command": ["false"]}, "periodSeconds": 1}
    quick = container("import time; time.sleep(1)")
    assert stage.run(pod(spec={"containers": [quick, slow]})).succeeded
    assert moments(stage) == [Happening.STARTED]
