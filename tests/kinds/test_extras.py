"""Further parts of pods: ports, checks before the start, containers before and beside the training."""

from pathlib import Path
from typing import Any

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM, write_project
from stages.street import Files, bodies, compile_files, resolve

OPERATORS = CLUSTER.replace(
    "  kuberay: v1.6.2\n", "  kuberay: v1.6.2\n  jobset: v0.12.0\n  trainer: v2.3.0\n"
)
GPUS = JOB + "gpus: {type: h100, perNode: 8}\n"
SAVES = "data: {in: {volume: data, mountPath: /in}}\ncheckpoint: {volume: checkpoints}\n"
EVERYTHING = (
    SAVES
    + """\
ports: {debug: 5678}
preflight: {gpus: true, storage: true}
initContainers:
- {name: unpack, image: "registry.example.com/tar:1", command: [tar, -x], mounts: {in: /data}, env: {A: b}}
sidecars:
- {name: exporter, image: "registry.example.com/exporter:1", cpu: "1", memory: 1Gi}
avoidNodes: [node-7]
tolerations: [{key: example.com/maintenance, operator: Exists}]
tags: [cats, baseline]
rawObjects:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: notes}, data: {text: hello}}
patches:
- {target: {container: exporter}, merge: {tty: true}}
"""
)
KINDS = {
    "Job": "",
    "PyTorchJob": "framework: pytorch\nnodes: 2\nprocsPerNode: 1\nfabric: none\n",
    "JobSet": "framework: pytorch\nnodes: 2\nbackend: jobset\nprocsPerNode: 1\nfabric: none\n",
    "TrainJob": "framework: pytorch\nnodes: 2\nbackend: trainjob\nprocsPerNode: 1\nfabric: none\n",
    "RayJob": "framework: ray\nrayVersion: 2.40.0\nnodes: 2\nfabric: none\n",
}


def files(job: str, **others: str) -> Files:
    return {
        **SMALL,
        "specs/clusters/lab.yaml": others.get("cluster", OPERATORS),
        "specs/teams/vision.yaml": others.get("team", TEAM),
        "specs/jobs/vision/resnet.yaml": job,
    }


def pods(job: str) -> list[Any]:
    """The pod specs of the job's objects."""
    return [spec for made in bodies(compile_files(files(job)), ["job-vision-resnet"]) for spec in _find(made)]


def _find(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value] if "containers" in value else [spec for item in value.values() for spec in _find(item)]
    return [spec for item in value for spec in _find(item)] if isinstance(value, list) else []


def said(job: str, **others: str) -> list[tuple[str, str]]:
    return [(finding.code, finding.summary) for finding in resolve(files(job, **others)).findings]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_all_of_them_and_its_judges_accept_them(kind: str, tmp_path: Path) -> None:
    project = write_project(tmp_path, files(GPUS + EVERYTHING + KINDS[kind]))

    done = project.run("render")

    assert (done.code, "error" in done.out) == (0, False), done.out
    assert "kind: ConfigMap" in "".join(project.read_tree("rendered").values())


def test_checks_ask_for_the_gpus_that_the_pod_gets_anyway_and_run_without_a_shell() -> None:
    (pod,) = pods(GPUS + SAVES + "preflight: {gpus: true, storage: true}\n")

    gpus, data, saves = pod["initContainers"]
    assert gpus["command"] == ["nvidia-smi", "--list-gpus"]
    assert gpus["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert (data["name"], data["command"]) == ("check-in", ["test", "-w", "/in"])
    assert (saves["name"], saves["command"]) == ("check-checkpoints", ["test", "-w", "/checkpoints"])
    assert {check["image"] for check in (gpus, data, saves)} == {"registry.example.com/vision/train:1.0"}


def test_a_sidecar_goes_on_beside_the_training_and_ends_with_it() -> None:
    (pod,) = pods(JOB + 'sidecars: [{name: exporter, image: "registry.example.com/e:1"}]\n')

    (sidecar,) = pod["initContainers"]
    assert sidecar["restartPolicy"] == "Always"
    assert sidecar["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert [container["name"] for container in pod["containers"]] == ["train"]


def test_what_a_sidecar_needs_is_taken_off_the_trainings_share_of_the_node() -> None:
    sidecar = "sidecars: [{name: a, cpu: '2', memory: 4Gi}, {name: b}]\n"

    (alone,), (beside,) = pods(GPUS), pods(GPUS + sidecar)

    def asked(pod: Any) -> int:
        return sum(
            milli(container["resources"]["requests"]["cpu"])
            for container in (*pod["containers"], *pod.get("initContainers", ()))
        )

    assert asked(beside) == asked(alone)


def milli(cpu: str) -> int:
    return int(cpu.removesuffix("m")) * (1 if cpu.endswith("m") else 1000)


def test_a_size_that_the_job_says_must_leave_the_sidecars_room() -> None:
    whole = "cpu: '219'\nsidecars: [{name: a, cpu: '2'}]\n"

    assert said(GPUS + whole) == [
        ("too-large-for-node", "219 CPUs leave none of the 2 CPUs that the sidecars need")
    ]


def test_init_containers_see_the_data_that_they_name_and_nothing_else() -> None:
    (pod,) = pods(JOB + SAVES + "initContainers: [{name: unpack, command: [tar], mounts: {in: /data}}]\n")

    (unpack,) = pod["initContainers"]
    assert unpack["volumeMounts"] == [{"name": "in", "mountPath": "/data"}]


def test_a_sidecar_sees_the_same_folder_and_may_write_no_more_than_the_training() -> None:
    all_of_it = "all: {volume: data, mountPath: /all}"
    cats = "in: {volume: data, mountPath: /in, subPath: cats, readOnly: true}"
    data = f"data: {{{all_of_it}, {cats}}}\n"
    (pod,) = pods(JOB + data + "sidecars: [{name: a, mounts: {in: /look}}]\n")

    (sidecar,) = pod["initContainers"]
    assert sidecar["volumeMounts"] == [
        {"name": "in", "mountPath": "/look", "subPath": "cats", "readOnly": True}
    ]


def test_a_sidecar_sees_shared_memory_where_the_pods_have_some() -> None:
    shm = "sidecars: [{name: a, mounts: {shm: /dev/shm}}]\n"

    assert said(GPUS + shm) == []
    assert said(GPUS + "shm: none\n" + shm) == [("unknown-volume", 'the pods mount nothing called "shm"')]


def test_a_launcher_or_head_beside_the_nodes_gets_none_of_them() -> None:
    ray = "framework: ray\nrayVersion: 2.40.0\nnodes: 2\nsidecars: [{name: exporter}]\n"

    names = [[each["name"] for each in pod.get("initContainers", ())] for pod in pods(JOB + ray)]
    assert sorted(names) == [[], [], ["exporter"]]


@pytest.mark.parametrize(
    ("extras", "finding"),
    [
        ("preflight: {gpus: true}\n", ("conflicting-choice", "the job asks for no GPUs")),
        (
            "preflight: {storage: true}\n",
            ("conflicting-choice", "nothing is mounted for writing, so there is no storage to check"),
        ),
        (
            "initContainers: [{name: a, mounts: {im: /data}}]\n" + SAVES,
            ("unknown-volume", 'the pods mount nothing called "im"'),
        ),
        (
            "sidecars: [{name: a}, {name: a}]\n",
            ("name-taken", 'another container of the pods is called "a"'),
        ),
        (
            "initContainers: [{name: a}]\nsidecars: [{name: a}]\n",
            ("name-taken", 'another container of the pods is called "a"'),
        ),
        (
            "sidecars: [{name: a, env: {B: {secret: unknown, key: k}}}]\n",
            ("unknown-secret", 'team "vision" declares no Secret "unknown"'),
        ),
        (
            'sidecars: [{name: a, image: "registry.example.com/e"}]\n',
            ("image-tag", '"registry.example.com/e" may be another image tomorrow'),
        ),
    ],
)
def test_what_cannot_be_is_said_at_its_line(extras: str, finding: tuple[str, str]) -> None:
    assert finding in said(JOB + extras)


def test_sidecars_need_a_kubernetes_that_ends_them() -> None:
    old = OPERATORS.replace('"1.36"', '"1.28"')

    assert ("release-lacks", 'Kubernetes 1.28 on "lab" has no sidecars that end with the run') in said(
        JOB + "sidecars: [{name: a}]\n", cluster=old
    )


def test_a_container_that_pod_security_refuses_is_refused_at_its_own_line(tmp_path: Path) -> None:
    root = "sidecars:\n- name: fine\n- {name: root, securityContext: {privileged: true}}\n"

    done = write_project(tmp_path, files(JOB + root)).run("check")

    line = len((JOB + root).splitlines())
    assert f"resnet.yaml:{line}:3: error[pod-security]" in done.out


@pytest.mark.parametrize(
    ("raw", "finding"),
    [
        ("{kind: ConfigMap}", ("missing-field", "the object does not say what it is")),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: kube-system}}",
            (
                "conflicting-choice",
                'the object is for namespace "kube-system", the run lives in "team-vision"',
            ),
        ),
        (
            "{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {a: b}}",
            ("plain-secret", "a Secret would stand in Git in clear"),
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: AKIAIOSFODNN7EXAMPLE}}",
            ("plain-secret", "rawObjects hold a secret in clear"),
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: null}",
            ("bad-value", "null means nothing to the API server"),
        ),
        (
            "{apiVersion: v1, kind: ../../Config, metadata: {name: a}}",
            ("bad-name", '"../../Config" is no kind that Kubernetes takes'),
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: ../a}}",
            ("bad-name", '"../a" is no name that Kubernetes takes'),
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: [b]}}",
            ("wrong-type", "labels are a map of texts"),
        ),
    ],
)
def test_raw_objects_stay_in_the_runs_namespace_and_hold_no_secret(
    raw: str, finding: tuple[str, str]
) -> None:
    assert finding in said(JOB + f"rawObjects: [{raw}]\n")


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}",
            "project-forbids",
        ),
        ("{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}}", "project-forbids"),
        (
            "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: resnet-out}, spec: {resources: {}}}",
            "object-twice",
        ),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dta: {}}", "schema-invalid"),
    ],
)
def test_raw_objects_are_judged_like_ours(raw: str, code: str, tmp_path: Path) -> None:
    own = "data: {out: {create: {storage: shared, size: 1Ti}, mountPath: /out}}\n"

    done = write_project(tmp_path, files(JOB + own + f"rawObjects:\n- {raw}\n")).run("check")

    line = len((JOB + own).splitlines()) + 2
    assert f"resnet.yaml:{line}:" in done.out
    assert f"error[{code}]" in done.out
