"""What a container sees of the world, in isolated rooms and, where that can be had, in plain ones."""

import asyncio
import json
from pathlib import Path

import pytest
from rehearse.kubelet.stage import Stage, headless_service, pod

from trainshed.rehearse.kubelet.setting import Setting

SEES = """
import json, os, socket, sys
def ask(call):
    try: return call()
    except OSError as error: return error.strerror
print(json.dumps({name: ask(eval("lambda: " + code)) for name, code in json.loads(sys.argv[1]).items()}))
"""
CLAIM = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}


def see(
    stage: Stage, questions: dict[str, str], *, spec: object = None, **fields: object
) -> dict[str, object]:
    end = stage.run(pod(SEES, spec=spec, args=[json.dumps(questions)], **fields))
    assert end.succeeded, (stage.texts(), stage.log())
    return json.loads(stage.log())


def only_isolated(stage: Stage) -> bool:
    return stage.kind == "isolated"


def mounted(path: str, **fields: object) -> dict[str, object]:
    return {"volumeMounts": [{"name": "data", "mountPath": path, **fields}], "spec": CLAIM}


def test_a_container_is_the_first_process_of_its_own_with_the_pods_user_and_host_name(stage: Stage) -> None:
    if not only_isolated(stage):
        return
    questions = {
        "number": "os.getpid()",
        "user": "[os.getuid(), os.getgid()]",
        "host": "socket.gethostname()",
        "processes": "[n for n in os.listdir('/proc') if n.isdecimal()]",
        "interfaces": "sorted(name for _, name in socket.if_nameindex())",
        "port": "socket.socket().bind(('', 80))",
    }
    context = {"securityContext": {"runAsUser": 65532, "runAsGroup": 3000}}
    assert see(stage, questions, spec={"hostname": "trainer-0"}, **context) == {
        "number": 1,
        "user": [65532, 3000],
        "host": "trainer-0",
        "processes": ["1"],
        "interfaces": ["eth0", "lo"],
        "port": None,
    }


def test_a_claim_keeps_what_a_pod_wrote_at_a_path_that_this_machine_does_not_have(stage: Stage) -> None:
    write = "import os, sys; open(os.environ['FOLDER'] + '/model', 'w').write('42')"
    env = [{"name": "FOLDER", "value": "/checkpoints/deep"}]

    assert stage.run(pod(write, env=env, **mounted("/checkpoints/deep"))).succeeded
    read = "import os; print(open(os.environ['FOLDER'] + '/model').read())"
    assert stage.run(pod(read, "worker-1", env=env, **mounted("/checkpoints/deep"))).succeeded

    assert stage.log("worker-1.1") == "42\n"
    assert (stage.folder / "claims" / "data" / "model").read_text() == "42"


@pytest.mark.parametrize(
    "path", ["/etc/mpi", "/usr/share/trainshed-was-never-here/x", "/var/run/secrets/team"]
)
def test_a_mount_below_a_folder_of_the_machine_leaves_what_else_is_there(stage: Stage, path: str) -> None:
    if not only_isolated(stage):
        return
    answers = see(
        stage,
        {
            "mount": f"os.listdir('{path}')",
            "etc": "os.path.exists('/etc/passwd')",
            "usr": "os.listdir('/usr')",
        },
        **mounted(path),
    )
    assert answers == {"mount": [], "etc": True, "usr": json.loads(json.dumps(_listing("/usr")))}


def _listing(folder: str) -> list[str]:
    import os

    return os.listdir(folder)


def test_nothing_but_the_pods_own_folders_can_be_written(stage: Stage) -> None:
    if not only_isolated(stage):
        return
    outside = Path(__file__).parent / "written-by-a-pod"
    places = {
        "root": "/x",
        "etc": "/etc/x",
        "sources": str(outside),
        "rehearsal": str(stage.folder / "x"),
        "read only claim": "/data/x",
        "tmp": "/tmp/x",
        "shm": "/dev/shm/x",
    }
    questions = {name: f"open({path!r}, 'w').close()" for name, path in places.items()}
    refused = "Read-only file system"
    assert see(stage, questions, **mounted("/data", readOnly=True)) == {
        "root": refused,
        "etc": refused,
        "sources": refused,
        "rehearsal": "No such file or directory" if str(stage.folder).startswith("/tmp/") else refused,
        "read only claim": refused,
        "tmp": None,
        "shm": None,
    }
    assert not outside.exists()


def test_each_pod_has_a_tmp_of_its_own(stage: Stage) -> None:
    code = "import os; t = os.environ['HOME']; print(os.listdir(t)); open(t + '/mine', 'w')"
    assert stage.run(pod(code)).succeeded
    assert stage.run(pod(code, "worker-1")).succeeded
    assert stage.log("worker-0.1") == stage.log("worker-1.1") == "[]\n"


def test_a_folder_in_memory_is_full_at_its_size(stage: Stage) -> None:
    if not only_isolated(stage):
        return
    memory = {"name": "cache", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}
    answers = see(
        stage,
        {
            "cache": "os.write(os.open('/cache/x', os.O_CREAT | os.O_WRONLY), bytes(1 << 21))",
            "full": "os.write(os.open('/cache/y', os.O_CREAT | os.O_WRONLY), b'1')",
            "shm": "os.statvfs('/dev/shm').f_blocks * os.statvfs('/dev/shm').f_frsize >> 20",
        },
        spec={"volumes": [memory]},
        volumeMounts=[{"name": "cache", "mountPath": "/cache"}],
    )
    assert answers == {"cache": 1 << 20, "full": "No space left on device", "shm": 64}


SERVE = """
import os, socket
server = socket.create_server(("", int(os.environ["PORT"])))
connection, _ = server.accept()
connection.sendall(b"hello from " + os.environ["HOSTNAME"].encode())
connection.close()
"""
CALL = """
import os, socket, time
while True:
    try:
        print(socket.create_connection((os.environ["MASTER_ADDR"], int(os.environ["PORT"])), 5).recv(99).decode())
        break
    except OSError:
        time.sleep(0.05)
"""


def test_pods_reach_each_other_by_the_names_of_services(stage: Stage, free_port: int) -> None:
    port = {"name": "PORT", "value": str(free_port)}
    names = ("leader", "leader.team", "run-leader.leader", "run-leader.leader.team.svc.cluster.local")
    leader = pod(SERVE, "leader", env=[port], spec={"subdomain": "leader"})
    stage.setting = Setting(services=(headless_service("leader", replica="leader"),), pods=(leader,))

    async def scenario(stage: Stage) -> None:
        for position, name in enumerate(names):
            caller = pod(CALL, f"caller-{position}", env=[port, {"name": "MASTER_ADDR", "value": name}])
            ends = await asyncio.gather(stage.kubelet.run(leader), stage.kubelet.run(caller))
            assert all(end.succeeded for end in ends), stage.texts()

    stage.play(scenario)
    for position in range(len(names)):
        assert stage.log(f"caller-{position}.1") == "hello from run-leader\n"


def test_a_name_leads_somewhere_only_while_its_pod_is_there(stage: Stage) -> None:
    if not only_isolated(stage):
        return
    services = (headless_service("leader", replica="leader"),)
    stage.setting = Setting(services=services)
    ask = "import socket\ntry: print(socket.gethostbyname('leader'))\nexcept OSError as e: print(e.strerror)"

    async def scenario(stage: Stage) -> None:
        await stage.kubelet.run(pod(ask, "early"))
        leader = asyncio.create_task(stage.kubelet.run(pod("import time; time.sleep(60)", "leader")))
        await asyncio.sleep(0.2)
        await stage.kubelet.run(pod(ask, "caller"))
        stage.kubelet.lose("leader")
        await leader

    stage.play(scenario)
    assert stage.log("early.1") == "Name or service not known\n"
    assert stage.log("caller.1").startswith("10.244.0.")


def test_the_operators_init_container_finds_the_master_without_a_name_server(stage: Stage) -> None:
    master = pod("import time; time.sleep(60)", "master")
    stage.setting = Setting(services=(headless_service("run-master", replica="master"),), pods=(master,))
    wait = "until nslookup run-master; do echo waiting for master; sleep 0.1; done"
    init = {"name": "init-pytorch", "image": "alpine", "command": ["sh", "-c", wait]}

    async def scenario(stage: Stage) -> None:
        running = asyncio.create_task(stage.kubelet.run(master))
        end = await stage.kubelet.run(pod(spec={"initContainers": [init]}))
        assert end.succeeded
        stage.kubelet.lose("master")
        await running

    stage.play(scenario)
    assert "Address: " in stage.log("worker-0.1", "init-pytorch")


def test_plain_rooms_say_what_they_rewrote_and_which_port_is_shared(tmp_path: Path) -> None:
    stage = Stage("plain", tmp_path / "rehearsal")
    ports = [{"containerPort": 23456}]
    env = [
        {"name": "MODEL_DIR", "value": "/checkpoints/deep/x"},
        {"name": "GLOO_SOCKET_IFNAME", "value": "eth0"},
    ]

    async def scenario(stage: Stage) -> None:
        await stage.kubelet.run(pod(env=env, ports=ports, **mounted("/checkpoints/deep")))
        await stage.kubelet.run(pod(name="worker-1", ports=ports))

    stage.play(scenario)
    claim = stage.folder / "claims" / "data"
    assert f"MODEL_DIR: /checkpoints/deep/x became {claim}/x" in stage.texts()
    assert "GLOO_SOCKET_IFNAME was left out" in stage.texts()
    assert [text for text in stage.texts() if text.startswith("port 23456 is also that of worker-0.1")]


def test_a_full_claim_lets_nothing_more_be_written_and_this_side_still_sees_it(stage: Stage) -> None:
    if not only_isolated(stage):
        return
    code = (
        "import sys\nopen('/data/first', 'w').write('kept')\nprint('written', flush=True)\nsys.stdin\n"
        "import os, time\nwhile not os.path.exists('/tmp/go'): time.sleep(0.02)\n"
        "try: os.write(os.open('/data/second', os.O_CREAT | os.O_WRONLY), bytes(9000))\n"
        "except OSError as error: print(error.strerror)"
    )

    async def scenario(stage: Stage) -> None:
        claim = stage.folder / "claims" / "data"
        claim.mkdir(parents=True)
        await stage.rooms.limit(claim, 1 << 20)
        running = asyncio.create_task(stage.kubelet.run(pod(code, **mounted("/data"))))
        await stage.printed("written")
        await stage.rooms.fill(claim)
        (stage.folder / "pods" / "worker-0.1" / "volumes" / ".tmp" / "main-0" / "go").touch()
        await running
        assert (stage.rooms.see(claim) / "first").read_text() == "kept"

    stage.play(scenario)
    assert stage.log() == "written\nNo space left on device\n"


@pytest.mark.parametrize(
    ("value", "becomes"),
    [
        ("eth0", "eth0"),
        ("eth", "eth"),
        ("^lo,docker", "^lo,docker"),
        ("=eth0", "=eth0"),
        ("ib0", "eth0"),
        ("", ""),
    ],
)
def test_an_interface_that_a_room_has_not_becomes_the_one_that_it_has(
    stage: Stage, value: str, becomes: str
) -> None:
    if not only_isolated(stage):
        return
    env = [{"name": "NCCL_SOCKET_IFNAME", "value": value}]
    assert stage.run(pod("import os; print(os.environ['NCCL_SOCKET_IFNAME'])", env=env)).succeeded
    assert stage.log() == f"{becomes}\n"
    assert ("NCCL_SOCKET_IFNAME: ib0 became eth0, the only one in a room" in stage.texts()) == (
        value == "ib0"
    )


def test_nobody_else_on_this_machine_reads_what_lies_in_a_rehearsal(stage: Stage) -> None:
    stage.run(pod())
    assert oct(stage.folder.stat().st_mode & 0o777) == "0o700"


def test_the_whole_machine_has_no_socket_that_a_pod_could_reach(stage: Stage) -> None:
    if not only_isolated(stage):
        return
    assert see(stage, {"run": "os.listdir('/run')", "write": "open('/run/x', 'w').close()"}) == {
        "run": [],
        "write": None,
    }


def test_what_a_rehearsal_does_not_do_is_said(stage: Stage) -> None:
    resources = {"limits": {"memory": "1Gi"}}
    probe = {"exec": {"command": ["true"]}}
    spec = {"hostNetwork": True, "subdomain": "nobody"}
    stage.run(pod(spec=spec, resources=resources, readinessProbe=probe))
    said = "\n".join(stage.texts())
    for words in (
        "hostNetwork: ",
        "limits of CPU and memory",
        "readiness counts once it has come",
        'no Service "nobody"',
    ):
        assert words in said


@pytest.mark.parametrize("fields", [{"hostname": "h" * 90}, {"hostname": 5}, {"hostname": "a b"}])
def test_a_strange_host_name_is_no_reason_to_fall_over(stage: Stage, fields: dict[str, object]) -> None:
    async def scenario(stage: Stage) -> None:
        await stage.kubelet.run(pod(spec=fields))
        assert (await stage.kubelet.run(pod(name="worker-1"))).succeeded

    stage.play(scenario)
