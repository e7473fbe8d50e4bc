"""Patches: edits of what is rendered, said in the spec, made last and judged like the rest."""

from pathlib import Path
from typing import Any

import pytest
from repositories import JOB, SMALL, write_project
from stages.street import Files, body, compile_files, plan

from trainshed.compile import compile_manifests
from trainshed.model.diagnostic import Diagnostic
from trainshed.model.manifest import AppManifests

TWO_NODES = JOB + "framework: pytorch\nnodes: 2\nprocsPerNode: 1\n"
APP = "job-vision-resnet"
LINES = len(TWO_NODES.splitlines())


def files(patches: str) -> Files:
    return {**SMALL, "specs/jobs/vision/resnet.yaml": f"{TWO_NODES}patches:\n{patches}"}


def patched(patches: str, kind: str = "PyTorchJob") -> Any:
    return body(compile_files(files(patches)), kind, APP)


def refused(patches: str) -> list[tuple[str, str]]:
    """The place and summary of each finding of the compile stage."""
    return [(f"{finding.source.line}:{finding.source.column}", finding.summary) for finding in found(patches)]


def found(patches: str) -> tuple[Diagnostic, ...]:
    return compile_manifests(plan(files(patches))).findings


def app_of(patches: str) -> AppManifests:
    made = compile_manifests(plan(files(patches))).value
    assert made is not None
    (app,) = (app for app in made.apps if app.identity.app == APP)
    return app


def container(job: Any, role: str) -> Any:
    return job["spec"]["pytorchReplicaSpecs"][role]["template"]["spec"]["containers"][0]


def values(env: list[dict[str, str]]) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in env}


def test_maps_merge_null_removes_and_other_values_replace() -> None:
    job = patched(
        "- target: {kind: PyTorchJob}\n  merge: {spec: {nprocPerNode: null, runPolicy: {backoffLimit: 7}}}\n"
    )

    assert "nprocPerNode" not in job["spec"]
    assert job["spec"]["runPolicy"] == {"backoffLimit": 7, "cleanPodPolicy": "Running"}


def test_a_list_replaces_the_list_that_was_there() -> None:
    job = patched("- target: {role: worker, container: pytorch}\n  merge: {command: [sleep, '9']}\n")

    assert container(job, "Worker")["command"] == ["sleep", "9"]
    assert container(job, "Master")["command"] == ["python", "-m", "train"]


def test_append_adds_to_a_list_and_makes_one_where_there_is_none() -> None:
    job = patched(
        "- target: {role: master, container: pytorch}\n"
        "  merge: {command: {$append: [--debug]}, args: {$append: [x]}}\n"
    )

    assert container(job, "Master")["command"] == ["python", "-m", "train", "--debug"]
    assert container(job, "Master")["args"] == ["x"]


def test_by_key_merges_removes_and_appends_items_by_their_names() -> None:
    job = patched(
        "- target: {role: worker, container: pytorch}\n"
        "  merge: {env: {$byKey: name, USER: {value: me}, HOME: null, NEW: {value: '1'}}}\n"
    )

    env = values(container(job, "Worker")["env"])
    assert (env["USER"], env["NEW"], "HOME" in env) == ("me", "1", False)
    assert values(container(job, "Master")["env"])["USER"] == "train"


def test_replace_puts_one_map_in_the_place_of_another() -> None:
    job = patched("- target: {kind: PyTorchJob}\n  merge: {metadata: {labels: {$replace: {only: this}}}}\n")

    assert job["metadata"]["labels"] == {"only": "this"}


def test_a_container_without_a_role_is_patched_in_the_pods_of_every_role() -> None:
    job = patched("- target: {container: pytorch}\n  merge: {tty: true}\n")

    assert [container(job, role)["tty"] for role in ("Master", "Worker")] == [True, True]


def test_operations_of_rfc_6902_start_at_the_target() -> None:
    job = patched(
        "- target: {role: worker}\n"
        "  json6902:\n"
        "  - {op: test, path: /spec/enableServiceLinks, value: false}\n"
        "  - {op: add, path: /spec/hostAliases, value: [{ip: 10.0.0.1}]}\n"
        "  - {op: add, path: /spec/hostAliases/-, value: {ip: 10.0.0.2}}\n"
        "  - {op: copy, from: /spec/serviceAccountName, path: /metadata/labels/account}\n"
        "  - {op: remove, path: /spec/enableServiceLinks}\n"
    )

    worker = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    assert worker["spec"]["hostAliases"] == [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]
    assert worker["metadata"]["labels"]["account"] == "train"
    assert "enableServiceLinks" not in worker["spec"]


def test_what_stands_beside_a_run_can_be_patched_too() -> None:
    policy = patched(
        "- target: {kind: NetworkPolicy}\n  merge: {spec: {policyTypes: [Ingress]}}\n", "NetworkPolicy"
    )

    assert policy["spec"]["policyTypes"] == ["Ingress"]


def test_patches_are_made_in_their_order() -> None:
    job = patched(
        "- target: {kind: PyTorchJob}\n  merge: {metadata: {labels: {a: one}}}\n"
        "- target: {kind: PyTorchJob}\n  json6902: [{op: replace, path: /metadata/labels/a, value: two}]\n"
    )

    assert job["metadata"]["labels"]["a"] == "two"


def test_a_patch_is_the_jobs_own_word_and_gives_the_run_another_name() -> None:
    names = {
        patched(f"- target: {{kind: PyTorchJob}}\n  merge: {{metadata: {{labels: {{a: {word}}}}}}}\n")[
            "metadata"
        ]["name"]
        for word in ("one", "two")
    }

    assert len(names) == 2


@pytest.mark.parametrize(
    ("patch", "place", "summary"),
    [
        ("- target: {kind: RayJob}\n  merge: {a: b}\n", "1:18", "the job renders no RayJob"),
        (
            "- target: {kind: PyTorchJob, name: resnet}\n  merge: {a: b}\n",
            "1:36",
            'the job renders nothing of name "resnet"',
        ),
        ("- target: {role: chief}\n  merge: {a: b}\n", "1:18", 'the run has no pods of role "chief"'),
        (
            "- target: {role: worker, container: train}\n  merge: {a: b}\n",
            "1:37",
            'the pods have no container "train"',
        ),
        (
            "- target: {role: worker, container: pytorch}\n  merge:\n    env: {A: b}\n",
            "3:5",
            "a list stands at /spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/env, and a map is written",
        ),
        (
            "- target: {kind: PyTorchJob}\n  merge:\n    spec: {suspend: null}\n",
            "3:21",
            "there is no /spec/suspend to remove",
        ),
        (
            "- target: {kind: PyTorchJob}\n  merge:\n    spec: {$merge: {a: b}}\n",
            "3:12",
            '"$merge" means nothing',
        ),
        (
            "- target: {kind: PyTorchJob}\n  merge:\n    metadata: {name: other}\n",
            "1:3",
            "a patch cannot change metadata.name",
        ),
        (
            "- target: {kind: NetworkPolicy}\n  json6902: [{op: replace, path: /metadata/namespace, value: kube-system}]\n",
            "1:3",
            "a patch cannot change metadata.namespace",
        ),
        (
            "- target: {kind: PyTorchJob}\n  json6902: [{op: add, path: '', value: {a: b}}]\n",
            "1:3",
            "a patch cannot change apiVersion",
        ),
        (
            "- target: {kind: PyTorchJob}\n  json6902:\n  - {op: remove, path: /spec/suspend}\n",
            "3:24",
            "remove cannot be done at /spec/suspend",
        ),
        (
            "- target: {kind: PyTorchJob}\n  json6902:\n  - {op: test, path: /kind, value: Job}\n",
            "3:22",
            "/kind is not what the test expects",
        ),
    ],
)
def test_a_patch_that_cannot_be_made_is_a_finding_at_its_own_line(
    patch: str, place: str, summary: str
) -> None:
    line, _, column = place.partition(":")

    assert refused(patch) == [(f"{LINES + 1 + int(line)}:{column}", summary)]


def test_a_patch_that_changes_nothing_is_a_warning() -> None:
    (finding,) = found("- target: {kind: PyTorchJob}\n  merge: {kind: PyTorchJob}\n")

    assert (finding.severity, finding.code) == ("warning", "bad-patch")


def test_what_is_wrong_at_a_patched_place_is_found_at_the_patchs_line() -> None:
    app = app_of(
        "- target: {role: worker, container: pytorch}\n  merge:\n    env:\n      $append:\n      - {name: A, value: b}\n"
    )

    (job,) = (manifest for manifest in app.manifests if manifest.identity.kind == "PyTorchJob")
    pointer = "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/env/5/value"
    assert job.origins.find(pointer).line == LINES + 1 + 5


@pytest.mark.parametrize(
    ("body", "place", "finding"),
    [
        ("spec: {template: 5}", "7:92", "wrong-type"),
        ("spec: {template: {spec: {containers: 5}}}", "7:112", "wrong-type"),
        ("spec: [1]", "7:75", "wrong-type"),
    ],
)
def test_a_raw_object_that_kustomize_cannot_read_is_refused_at_its_own_word(
    body: str, place: str, finding: str, tmp_path: Path
) -> None:
    raw = f"rawObjects: [{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: x}}, {body}}}]\n"
    made = write_project(tmp_path, {**SMALL, "specs/jobs/vision/resnet.yaml": JOB + raw})

    done = made.run("check")

    assert done.out.startswith(f"specs/jobs/vision/resnet.yaml:{place}: error[{finding}]"), done.out


def test_a_config_map_whose_data_is_a_number_is_refused_at_the_number(tmp_path: Path) -> None:
    raw = "rawObjects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: 5}]\n"
    made = write_project(tmp_path, {**SMALL, "specs/jobs/vision/resnet.yaml": JOB + raw})

    done = made.run("check")

    assert done.out.startswith("specs/jobs/vision/resnet.yaml:7:75: error[schema-invalid]"), (
        done.out,
        done.err,
    )
