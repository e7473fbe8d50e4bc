"""F3: an air-gapped cluster fetches nothing from outside, whoever names the image."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM, write_project
from ruamel.yaml import YAML
from stages.street import bodies, body, compile_files, resolve

from trainshed.model.mirror import Mirror

AIR_GAP = """\
airGap: true
images:
  mirror:
    docker.io: mirror.example.com/dockerhub
    registry.example.com: registry.example.com
    "*": mirror.example.com
"""
ARGOCD = 'argocd: {repoURL: "https://git.example.com/ml/training.git"'
MIRRORED_GIT = f'{ARGOCD}, mirrors: {{"https://github.com/": "https://git.example.com/mirrors/"}}'
CLOSED = CLUSTER.replace(ARGOCD, AIR_GAP + MIRRORED_GIT)
SITE = ("mirror.example.com/", "registry.example.com/")
WORKERS = JOB + "framework: pytorch\nnodes: 2\n"
RAY = JOB + 'framework: ray\nrayVersion: "2.40.0"\nnodes: 2\n'
CLONED = JOB + f"code: {{git: {{repo: 'https://git.example.com/a.git', commit: '{'0' * 40}'}}}}\n"


def on(cluster: str, job: str = JOB) -> dict[str, str | bytes]:
    return {**SMALL, "specs/clusters/lab.yaml": cluster, "specs/jobs/vision/resnet.yaml": job}


def images_of(value: Any) -> Iterator[str]:
    """Everything that a container, a Helm value or a flag calls an image."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "image" and isinstance(item, str):
                yield item
            yield from images_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from images_of(item)


@pytest.mark.parametrize("job", [JOB, WORKERS, RAY, CLONED], ids=["job", "torch", "ray", "git"])
def test_every_container_of_a_run_comes_from_the_site(job: str) -> None:
    found = [
        image
        for item in bodies(compile_files(on(CLOSED, job)), ["job-vision-resnet"])
        for image in images_of(item)
    ]
    assert found
    assert all(image.startswith(SITE) for image in found), found


def test_a_short_name_is_one_of_docker_hub() -> None:
    target = resolve(on(CLOSED, JOB.replace("registry.example.com/vision/train:1.0", "python:3.13"))).target()
    assert target.image == "mirror.example.com/dockerhub/library/python:3.13"


def test_a_role_has_an_image_of_its_own() -> None:
    role = RAY.replace("nodes: 2", "roles: {head: {image: 'quay.io/ray/head:1'}, workers: {}}")
    assert resolve(on(CLOSED, role)).target().groups[0].image == "mirror.example.com/quay.io/ray/head:1"


@pytest.mark.parametrize(
    ("written", "fetched"),
    [
        ("alpine", "mirror.example.com/dockerhub/library/alpine"),
        ("alpine/git:v2.49.1", "mirror.example.com/dockerhub/alpine/git:v2.49.1"),
        (
            "docker.io/library/alpine@sha256:" + "0" * 64,
            "mirror.example.com/dockerhub/library/alpine@sha256:" + "0" * 64,
        ),
        ("quay.io/kuberay/operator:v1", "mirror.example.com/quay.io/kuberay/operator:v1"),
        ("ghcr.io/kubeflow/x:1", "mirror.example.com/flow/x:1"),
        ("ghcr.io/other/x:1", "mirror.example.com/ghcr/other/x:1"),
        ("ghcr.io/kubeflowers/x:1", "mirror.example.com/ghcr/kubeflowers/x:1"),
        ("mirror.example.com/dockerhub/library/alpine", "mirror.example.com/dockerhub/library/alpine"),
        ("localhost:5000/x", "mirror.example.com/localhost:5000/x"),
    ],
)
def test_the_longest_row_that_fits_moves_an_image_once(written: str, fetched: str) -> None:
    rows = (
        ("ghcr.io/kubeflow", "mirror.example.com/flow"),
        ("docker.io", "mirror.example.com/dockerhub"),
        ("ghcr.io", "mirror.example.com/ghcr"),
        ("*", "mirror.example.com"),
    )
    mirror = Mirror(images=rows)
    assert mirror.image(written) == fetched
    assert mirror.image(fetched) == fetched


def test_without_a_row_an_image_stays_as_it_is_written() -> None:
    assert Mirror(images=(("ghcr.io", "mirror.example.com"),)).image("alpine") == "alpine"


def operator(name: str, cluster: str = CLOSED) -> dict[str, Any]:
    items = bodies(compile_files(on(cluster)), ["argocd/platform"])
    (found,) = (item for item in items if item["metadata"]["name"] == f"lab-operator-{name}")
    return found["spec"]["sources"][0]


def test_operators_come_from_mirrored_repositories_and_registries() -> None:
    kuberay = operator("kuberay")
    assert kuberay["repoURL"] == "https://git.example.com/mirrors/ray-project/kuberay"
    assert kuberay["helm"]["valuesObject"]["image"] == {
        "repository": "mirror.example.com/quay.io/kuberay/operator",
        "tag": "v1.6.2",
    }
    (image,) = operator("training-operator")["kustomize"]["images"]
    mirrored = "mirror.example.com/ghcr.io/kubeflow/training-v1/training-operator:v1-93c5489"
    assert image == f"ghcr.io/kubeflow/training-v1/training-operator={mirrored}"


OTHERS = CLOSED.replace(
    "  kueue: v0.19.2\n",
    "  kueue: v0.19.2\n  jobset: v0.8.0\n  trainer: v2.3.0\n  volcano: v1.15.1\n  scheduler-plugins: v0.34.7\n"
    "  gpu-operator: v1.11.1\n  external-secrets: v1.3.2\n  prometheus-operator: v0.85.0\n  snapscheduler: v3.5.0\n",
)


def test_a_chart_that_puts_the_registry_in_front_gets_the_mirror_as_registry() -> None:
    trainer = operator("trainer", OTHERS)["helm"]["valuesObject"]["image"]
    assert f"{trainer['registry']}/{trainer['repository']}:{trainer['tag']}" == (
        "mirror.example.com/ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.3.0"
    )
    basic = operator("volcano", OTHERS)["helm"]["valuesObject"]["basic"]
    assert f"{basic['image_registry']}/{basic['scheduler_image_name']}" == (
        "mirror.example.com/dockerhub/volcanosh/vc-scheduler"
    )


def test_every_image_of_a_chart_is_mirrored_not_only_the_operators_own() -> None:
    plugins = operator("scheduler-plugins", OTHERS)["helm"]["valuesObject"]
    assert (
        plugins["controller"]["image"]
        == "mirror.example.com/registry.k8s.io/scheduler-plugins/controller:v0.34.7"
    )
    gpus = operator("gpu-operator", OTHERS)["helm"]["valuesObject"]
    assert gpus["driver"]["repository"] == "mirror.example.com/nvcr.io/nvidia"
    assert gpus["toolkit"]["repository"] == "mirror.example.com/nvcr.io/nvidia/k8s"
    secrets = operator("external-secrets", OTHERS)["helm"]["valuesObject"]
    assert secrets["webhook"]["image"]["repository"] == (
        "mirror.example.com/ghcr.io/external-secrets/external-secrets"
    )


def test_what_operators_put_into_pods_is_mirrored_by_their_flags() -> None:
    (patch, *_) = operator("training-operator")["kustomize"]["patches"]
    arguments = json.loads(patch["patch"])[0]["value"]
    delivery = "mirror.example.com/ghcr.io/kubeflow/training-v1/kubectl-delivery:latest"
    assert f"--mpi-kubectl-delivery-image={delivery}" in arguments
    (patch,) = operator("prometheus-operator", OTHERS)["kustomize"]["patches"]
    (edit,) = json.loads(patch["patch"])
    reloader = "mirror.example.com/quay.io/prometheus-operator/prometheus-config-reloader:v0.85.0"
    assert edit["value"] == f"--prometheus-config-reloader={reloader}"


def init_image(cluster: str) -> str:
    config = body(compile_files(on(cluster)), "ConfigMap", "operator-training-operator")
    template = config["data"]["initContainer.yaml"].replace("{{.MasterAddr}}", "master")
    template = template.replace("{{.InitContainerImage}}", "THE-OPERATORS-OWN")
    (container,) = YAML(typ="safe").load(template)
    return container["image"]


def test_workers_wait_in_a_mirrored_image() -> None:
    assert init_image(CLOSED) == "mirror.example.com/dockerhub/library/alpine:3.10"
    assert init_image(CLUSTER) == "THE-OPERATORS-OWN"


def test_workers_wait_in_the_image_that_the_cluster_names() -> None:
    pinned = "registry.example.com/alpine@sha256:" + "1" * 64
    assert init_image(CLUSTER + f'images: {{init: "{pinned}"}}\n') == pinned
    assert init_image(CLOSED.replace("images:\n", f'images:\n  init: "{pinned}"\n')) == pinned


def test_a_pinned_init_image_satisfies_a_cluster_that_demands_digests(tmp_path: Path) -> None:
    pinned = "registry.example.com/alpine@sha256:" + "1" * 64
    demanding = CLUSTER + f'images: {{digest: required, init: "{pinned}"}}\n'
    job = WORKERS.replace("train:1.0", "train:1.0@sha256:" + "2" * 64)
    assert "image-digest" not in write_project(tmp_path, on(demanding, job)).run("render").err


NO_STAR = CLOSED.replace('    "*": mirror.example.com\n', "")


def test_an_air_gapped_cluster_says_what_it_cannot_reach() -> None:
    job = JOB.replace("registry.example.com/vision/train:1.0", "quay.io/vision/train:1.0")
    said = resolve(on(NO_STAR, job)).said
    assert (
        'specs/jobs/vision/resnet.yaml:5:8 not-mirrored: cluster "lab" cannot reach "quay.io/vision/train:1.0"'
        in said
    )
    assert any("not-mirrored: the cluster cannot reach the image of kuberay" in line for line in said)


def test_an_air_gapped_cluster_needs_mirrored_repositories() -> None:
    said = resolve(on(CLOSED.replace(MIRRORED_GIT, ARGOCD))).said
    assert len([line for line in said if "cannot reach the repository of" in line]) == 3


def test_a_bundled_jobset_is_out_of_reach() -> None:
    alone = CLOSED.replace("  kueue: v0.19.2\n", "  kueue: v0.19.2\n  trainer: v2.3.0\n")
    assert any(
        "cannot reach the JobSet that trainer brings along" in line for line in resolve(on(alone)).said
    )


@pytest.mark.parametrize("place", ["https://mirror.example.com", "mirror.example.com:5000/x:tag", "Mirror"])
def test_a_mirror_is_a_host_and_a_path(place: str) -> None:
    (said,) = resolve(on(CLUSTER + f'images: {{mirror: {{docker.io: "{place}"}}}}\n')).said
    assert f'bad-image: "{place}" is not a registry, or a part of one' in said


def test_a_mirrored_cluster_changes_no_name_of_a_run() -> None:
    assert (
        resolve(on(CLOSED)).target().run == resolve({**SMALL, "specs/teams/vision.yaml": TEAM}).target().run
    )
