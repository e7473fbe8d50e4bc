"""What becomes of containers: restarts, signals, init containers, sidecars, hooks, probes and deadlines."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from rehearse.kubelet.stage import Stage, container, pod, python

from trainshed.model.rehearsal import Happening, PodEnd
from trainshed.rehearse.kubelet.setting import Setting

FOREVER = "print('ready', flush=True)\nimport time\nwhile True: time.sleep(60)"
CATCHES = """
import signal, sys, time
def leave(number, frame):
    print("told", flush=True)
    sys.exit(7)
signal.signal(signal.SIGTERM, leave)
print("ready", flush=True)
while True: time.sleep(60)
"""
COUNTS = """
import os, sys
path = os.environ["KEPT"] + "/runs"
runs = len(open(path).read()) if os.path.exists(path) else 0
open(path, "a").write(".")
print("run", runs, flush=True)
"""
KEPT = {
    "env": [{"name": "KEPT", "value": "/kept"}],
    "volumeMounts": [{"name": "kept", "mountPath": "/kept"}],
}
VOLUMES = {"volumes": [{"name": "kept", "emptyDir": {}}]}
"""What COUNTS writes to, which outlives the container but not the pod."""


def during(stage: Stage, one: Any, act: Callable[[Stage], Awaitable[None]], ready: str = "ready") -> PodEnd:
    """Run a pod, and do something once it has printed a word."""

    async def scenario(stage: Stage) -> PodEnd:
        running = asyncio.create_task(stage.kubelet.run(one))
        await stage.printed(ready)
        await act(stage)
        return await running

    return stage.play(scenario)


async def delete(stage: Stage) -> None:
    await stage.kubelet.delete("worker-0", grace=1)


async def kill(stage: Stage) -> None:
    stage.kubelet.kill("worker-0")


@pytest.mark.parametrize(
    ("policy", "code", "runs", "exit_code"),
    [
        ("Never", "sys.exit(3)", 1, 3),
        ("OnFailure", "sys.exit(3 if runs < 2 else 0)", 3, 0),
        ("OnFailure", "pass", 1, 0),
    ],
)
def test_a_container_is_restarted_as_its_policy_says(
    stage: Stage, policy: str, code: str, runs: int, exit_code: int
) -> None:
    stage.setting = Setting(hurry=1000)
    end = stage.run(pod(COUNTS + code, spec={"restartPolicy": policy, **VOLUMES}, **KEPT))
    assert stage.log() == "".join(f"run {run}\n" for run in range(runs))
    assert end.exit_codes == {"main": exit_code}
    assert end.restarts == runs - 1
    assert end.succeeded is (exit_code == 0)
    assert len([event for event in stage.events if event.happening is Happening.RESTARTED]) == runs - 1


def test_a_killed_container_ends_with_137_and_starts_again_where_the_policy_is_always(stage: Stage) -> None:
    stage.setting = Setting(hurry=1000)

    async def kill_and_delete(stage: Stage) -> None:
        stage.kubelet.kill("worker-0")
        await stage.printed("run 1")
        await stage.kubelet.delete("worker-0", grace=0)

    code = COUNTS + "import time; time.sleep(60)"
    end = during(
        stage, pod(code, spec={"restartPolicy": "Always", **VOLUMES}, **KEPT), kill_and_delete, "run 0"
    )
    ends = [
        event.detail["exit_code"]
        for event in stage.events
        if event.happening is Happening.ENDED and event.container
    ]
    assert ends == ["137", "137"]
    assert (end.restarts, end.succeeded, end.reason) == (1, False, "Deleted")


def test_a_container_that_catches_its_signal_leaves_with_its_own_code(stage: Stage) -> None:
    end = during(stage, pod(CATCHES), delete)
    assert stage.log() == "ready\ntold\n"
    assert end.exit_codes == {"main": 7}
    assert [event.text for event in stage.events if event.happening is Happening.TOLD] == ["SIGTERM"]


def test_process_1_does_not_hear_a_signal_that_it_does_not_handle(stage: Stage) -> None:
    end = during(stage, pod(FOREVER), delete)
    assert end.exit_codes == {"main": 137 if stage.kind == "isolated" else 143}


def test_only_process_1_is_told_to_stop(stage: Stage) -> None:
    code = (
        "import subprocess, sys, signal\n"
        f"child = subprocess.Popen([sys.executable, '-c', {CATCHES!r}])\n"
        "signal.signal(signal.SIGTERM, lambda *_: None)\n"
        "signal.pause()\n"
        "try: child.wait(0.3)\n"
        "except subprocess.TimeoutExpired: print('the child knows nothing', flush=True)\n"
    )
    end = during(stage, pod(code), delete)
    assert end.exit_codes == {"main": 0}
    assert stage.log() == "ready\nthe child knows nothing\n"


def test_what_process_1_leaves_behind_ends_with_it(stage: Stage) -> None:
    beats = "import time\nwhile True: open('/data/beat', 'a').write('.'); time.sleep(0.02)"
    code = (
        "import subprocess, sys, time, os\n"
        "beats = os.environ['BEATS']\n"
        "subprocess.Popen([sys.executable, '-c', beats], start_new_session=True, stdout=subprocess.DEVNULL, "
        "stderr=subprocess.DEVNULL)\n"
        "time.sleep(0.5)"
    )
    claim = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
    mounts = [{"name": "data", "mountPath": "/data"}]

    async def scenario(stage: Stage) -> tuple[int, int]:
        one = pod(code, spec=claim, volumeMounts=mounts, env=[{"name": "BEATS", "value": beats}])
        await stage.kubelet.run(one)
        await asyncio.sleep(0.1)
        beat = stage.folder / "claims" / "data" / "beat"
        first = beat.stat().st_size
        await asyncio.sleep(0.3)
        return first, beat.stat().st_size

    first, last = stage.play(scenario)
    assert first == last > 0


def test_a_hung_pod_prints_nothing_until_it_thaws(stage: Stage) -> None:
    code = "import time\nfor step in range(1000):\n    print('beat', step, flush=True)\n    time.sleep(0.01)"

    async def hang(stage: Stage) -> None:
        stage.kubelet.freeze("worker-0")
        await asyncio.sleep(0.2)
        before = stage.log()
        await asyncio.sleep(0.3)
        assert stage.log() == before
        stage.kubelet.thaw("worker-0")
        await stage.printed(f"beat {len(before.splitlines()) + 3}")
        stage.kubelet.kill("worker-0")

    assert during(stage, pod(code), hang, "beat 3").exit_codes == {"main": 137}


def test_a_lost_node_takes_its_pod_without_a_word(stage: Stage) -> None:
    async def lose(stage: Stage) -> None:
        stage.kubelet.lose("worker-0")

    end = during(stage, pod(CATCHES, spec={"restartPolicy": "Always"}), lose)
    assert stage.log() == "ready\n"
    assert (end.succeeded, end.disrupted, end.reason) == (False, True, "NodeLost")


def test_an_evicted_pod_is_disrupted_and_told(stage: Stage) -> None:
    async def evict(stage: Stage) -> None:
        await stage.kubelet.delete("worker-0", disrupted=True)

    end = during(stage, pod(CATCHES), evict)
    assert (end.disrupted, end.exit_codes) == (True, {"main": 7})


def test_init_containers_run_one_after_the_other_and_the_first_failure_ends_the_pod(stage: Stage) -> None:
    inits = [container("print('one')") | {"name": "one"}, container("raise SystemExit(4)") | {"name": "two"}]
    end = stage.run(pod("print('never')", spec={"initContainers": inits}))
    assert (end.succeeded, end.exit_codes) == (False, {"two": 4})
    assert not (stage.folder / "pods" / "worker-0.1" / "logs" / "main.log").exists()


def test_a_failed_init_container_is_tried_again_unless_the_policy_is_never(stage: Stage) -> None:
    stage.setting = Setting(hurry=1000)
    init = container(COUNTS + "sys.exit(runs < 1)", **KEPT) | {"name": "init"}
    end = stage.run(
        pod("print('then')", spec={"initContainers": [init], **VOLUMES, "restartPolicy": "OnFailure"})
    )
    assert end.succeeded
    assert stage.log(container="init") == "run 0\nrun 1\n"
    assert stage.log() == "then\n"


def test_a_sidecar_starts_first_and_is_told_to_stop_when_all_else_is_over(stage: Stage) -> None:
    sidecar = container(CATCHES) | {"name": "sidecar", "restartPolicy": "Always"}
    end = stage.run(pod("import time; time.sleep(0.5)", spec={"initContainers": [sidecar]}))
    order = [
        (event.container, event.happening)
        for event in stage.events
        if event.container and event.happening in (Happening.STARTED, Happening.TOLD, Happening.ENDED)
    ]
    assert order == [
        ("sidecar", Happening.STARTED),
        ("main", Happening.STARTED),
        ("main", Happening.ENDED),
        ("sidecar", Happening.TOLD),
        ("sidecar", Happening.ENDED),
    ]
    assert end.succeeded
    assert end.exit_codes == {"main": 0}


def test_a_pod_past_its_deadline_is_ended(stage: Stage) -> None:
    end = stage.run(pod(CATCHES, spec={"activeDeadlineSeconds": 1}))
    assert (end.succeeded, end.reason) == (False, "DeadlineExceeded")


def test_hooks_run_inside_of_the_container(stage: Stage) -> None:
    hook = "import os; open(os.environ['HOME'] + '/hooked', 'w').write(str(os.getuid()))"
    code = CATCHES.replace('print("told"', 'import os; print(open(os.environ["HOME"] + "/hooked").read()')
    lifecycle = {"preStop": {"exec": {"command": python(hook)}}}
    security = {"runAsUser": 65532}
    during(stage, pod(code, lifecycle=lifecycle, securityContext=security), delete)
    import os

    assert stage.log().splitlines()[1] == ("65532" if stage.kind == "isolated" else str(os.getuid()))


def test_a_failed_poststart_hook_kills_the_container(stage: Stage) -> None:
    lifecycle = {"postStart": {"exec": {"command": python("raise SystemExit(2)")}}}
    end = stage.run(pod(FOREVER, lifecycle=lifecycle))
    assert end.exit_codes == {"main": 137}
    assert "the postStart hook failed with exit code 2" in stage.texts()


def test_the_liveness_probe_ends_a_container_that_does_not_answer(stage: Stage, free_port: int) -> None:
    probe = {"httpGet": {"port": free_port, "path": "/healthz"}, "periodSeconds": 1, "failureThreshold": 2}
    end = stage.run(pod(CATCHES, livenessProbe=probe))
    assert end.exit_codes == {"main": 7}
    assert "the liveness probe failed, so the container is stopped" in stage.texts()


def test_the_startup_probe_holds_back_what_waits_for_the_container(stage: Stage, free_port: int) -> None:
    serve = (
        f"import http.server, time; time.sleep(0.5); print('up', flush=True)\n"
        f"http.server.HTTPServer(('', {free_port}), http.server.SimpleHTTPRequestHandler).serve_forever()"
    )
    probe = {"tcpSocket": {"port": "web"}, "periodSeconds": 1, "failureThreshold": 30}
    ports = [{"name": "web", "containerPort": free_port}]
    sidecar = container(serve, startupProbe=probe, ports=ports)
    sidecar |= {"name": "sidecar", "restartPolicy": "Always", "lifecycle": {"stopSignal": "SIGKILL"}}
    code = f"import socket; socket.create_connection(('127.0.0.1', {free_port})); print('reached')"
    assert stage.run(pod(code, spec={"initContainers": [sidecar]})).succeeded
    assert stage.log() == "reached\n"


def test_a_deleted_pod_that_waits_for_its_restart_is_over_at_once(stage: Stage) -> None:
    stage.setting = Setting(hurry=0.01)

    async def scenario(stage: Stage) -> PodEnd:
        running = asyncio.create_task(
            stage.kubelet.run(
                pod(COUNTS + "sys.exit(1)", spec={"restartPolicy": "Always", **VOLUMES}, **KEPT)
            )
        )
        await stage.printed("run 1")
        await asyncio.sleep(0.2)
        await stage.kubelet.delete("worker-0")
        return await running

    end = stage.play(scenario)
    assert (end.exit_codes, end.restarts, end.reason) == ({"main": 1}, 1, "Deleted")


@pytest.mark.parametrize(
    ("fields", "words", "exit_codes"),
    [
        (
            {"command": ["no-such-program"]},
            "no-such-program is not there on this machine: --python",
            {"main": 127},
        ),
        ({"command": ["/etc/passwd"]}, "/etc/passwd cannot be run: Permission denied", {"main": 126}),
        ({"command": None}, "starts with, which is not here; say it with --command", {}),
        ({"workingDir": "/no/such/folder"}, "the working folder /no/such/folder", {"main": 128}),
        ({"env": [{"name": "A=B", "value": "x"}]}, '"A=B" is no name of a variable', {}),
        ({"securityContext": {"runAsUser": 0, "runAsNonRoot": True}}, "runAsNonRoot, and runAsUser is 0", {}),
    ],
)
def test_what_can_never_start_is_said_and_is_over(
    stage: Stage, fields: dict[str, object], words: str, exit_codes: dict[str, int]
) -> None:
    if "workingDir" in fields and stage.kind != "isolated":
        return
    end = stage.run(pod(spec={"restartPolicy": "Always"}, **fields))
    assert (end.succeeded, end.exit_codes) == (False, exit_codes)
    assert end.reason in ("CreateContainerConfigError", "RunContainerError")
    assert any(words in text for text in stage.texts()), stage.texts()


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": []},
        {"containers": [{"name": "../../x", "command": ["true"]}]},
        {"containers": [container("pass"), container("pass")]},
        {"containers": ["main"]},
        {"containers": [container("pass", env="x")]},
        {"containers": [container("pass", env=[{"name": 5, "valueFrom": "x"}])]},
        {"hostname": "x\ud800"},
        {"hostAliases": [5]},
        {"volumes": {"a": 1}},
        {"activeDeadlineSeconds": "soon"},
        {"securityContext": {"runAsUser": -1}},
        {"initContainers": 7},
    ],
)
def test_a_pod_that_is_none_is_said_and_harms_no_other(stage: Stage, spec: dict[str, object]) -> None:
    async def scenario(stage: Stage) -> tuple[PodEnd, PodEnd]:
        bad = await stage.kubelet.run(pod(spec=spec))
        return bad, await stage.kubelet.run(pod(name="worker-1"))

    bad, good = stage.play(scenario)
    assert (bad.succeeded, bad.reason, good.succeeded) == (False, "CreateContainerConfigError", True)
    assert stage.texts()
    assert not (stage.folder.parent / "x").exists()


def test_a_pod_whose_run_is_cancelled_leaves_nothing_behind(stage: Stage) -> None:
    beats = "import os\nwhile True: print('ready', flush=True); __import__('time').sleep(0.02)"

    async def scenario(stage: Stage) -> tuple[str, str]:
        running = asyncio.create_task(stage.kubelet.run(pod(beats)))
        await stage.printed("ready")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        first = stage.log()
        await asyncio.sleep(0.2)
        return first, stage.log()

    first, last = stage.play(scenario)
    assert first == last


@pytest.mark.parametrize("seconds", [0, 0.03, 0.06, 0.12])
def test_a_node_that_is_lost_at_any_moment_takes_its_pod_along(stage: Stage, seconds: float) -> None:
    async def scenario(stage: Stage) -> PodEnd:
        running = asyncio.create_task(stage.kubelet.run(pod(FOREVER, spec={"restartPolicy": "Always"})))
        await asyncio.sleep(seconds)
        stage.kubelet.lose("worker-0")
        return await running

    end = stage.play(scenario)
    assert (end.succeeded, end.reason, end.disrupted) == (False, "NodeLost", True)


def test_a_pod_can_be_deleted_while_a_sidecar_is_still_starting(stage: Stage) -> None:
    probe = {"exec": {"command": python("raise SystemExit(1)")}, "periodSeconds": 1, "failureThreshold": 99}
    sidecar = container(CATCHES, startupProbe=probe) | {"name": "sidecar", "restartPolicy": "Always"}

    async def scenario(stage: Stage) -> PodEnd:
        running = asyncio.create_task(stage.kubelet.run(pod(spec={"initContainers": [sidecar]})))
        await stage.printed("ready", container="sidecar")
        await stage.kubelet.delete("worker-0")
        return await running

    end = stage.play(scenario)
    assert (end.exit_codes, end.reason) == ({"main": 137}, "Deleted")
    assert stage.log(container="sidecar") == "ready\ntold\n"
