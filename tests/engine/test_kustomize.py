"""The Kustomize wrapper: files in, objects or problems out."""

from pathlib import Path
from typing import Any

import pytest

from trainshed.engine.client import Engine
from trainshed.engine.kustomize import KustomizeError, build, build_many, read_tree
from trainshed.engine.messages import Build, BuildResult
from trainshed.engine.pool import EnginePool

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
TRAINING = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/train:1
            args: [--lr, "0.1"]
"""


def container(objects: list[dict[str, Any]]) -> dict[str, Any]:
    return objects[0]["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]


def test_a_tree_becomes_objects(engine: Engine) -> None:
    files = {"kustomization.yaml": "namespace: ml\nresources: [service.yaml]\n", "service.yaml": SERVICE}
    assert build(files, engine=engine) == [
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "ml"}}
    ]


def test_a_build_needs_no_engine_of_the_caller() -> None:
    files = {"kustomization.yaml": "resources: [service.yaml]\n", "service.yaml": SERVICE}
    assert [found["kind"] for found in build(files)] == ["Service"]


def test_an_overlay_builds_upon_a_base_beside_it(engine: Engine) -> None:
    files = {
        "base/kustomization.yaml": "resources: [service.yaml]\n",
        "base/service.yaml": SERVICE,
        "overlays/east/kustomization.yaml": "namespace: east\nresources: [../../base]\n",
    }
    assert build(files, "overlays/east", engine=engine)[0]["metadata"] == {"name": "web", "namespace": "east"}


def test_a_json_patch_keeps_what_a_strategic_merge_drops(engine: Engine) -> None:
    patches = {
        "json": (
            "- target: {kind: PyTorchJob}\n  patch: |-\n    - op: add\n"
            "      path: /spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/tty\n      value: true\n"
        ),
        "strategic": (
            "- patch: |-\n    apiVersion: kubeflow.org/v1\n    kind: PyTorchJob\n"
            "    metadata: {name: train}\n"
            "    spec:\n      pytorchReplicaSpecs:\n"
            "        Worker: {template: {spec: {containers: [{name: pytorch, tty: true}]}}}\n"
        ),
    }
    files = {"base/kustomization.yaml": "resources: [job.yaml]\n", "base/job.yaml": TRAINING}
    for name, patch in patches.items():
        files[f"{name}/kustomization.yaml"] = f"resources: [../base]\npatches:\n{patch}"
    assert container(build(files, "json", engine=engine)) == {
        "name": "pytorch",
        "image": "registry.example.com/train:1",
        "args": ["--lr", "0.1"],
        "tty": True,
    }
    assert container(build(files, "strategic", engine=engine)) == {"name": "pytorch", "tty": True}


def test_an_error_names_file_and_line(engine: Engine) -> None:
    files = {"kustomization.yaml": "resources:\n- web\n", "web/kustomization.yaml": "resources:\n- a.yaml\n"}
    files["web/a.yaml"] = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a: b\n"
    with pytest.raises(KustomizeError) as raised:
        build(files, engine=engine)
    assert (raised.value.path, raised.value.line) == ("web/a.yaml", 4)
    assert str(raised.value).startswith("web/a.yaml:4: ")
    assert "mapping values are not allowed" in raised.value.message


def test_a_patch_that_does_not_apply_is_found(engine: Engine) -> None:
    patch = "- op: replace\n  path: /spec/runPolicy/suspend\n  value: true\n"
    kustomization = "resources: [job.yaml]\npatches:\n- path: patch.yaml\n  target: {kind: PyTorchJob}\n"
    files = {"kustomization.yaml": kustomization}
    with pytest.raises(KustomizeError) as raised:
        build(files | {"job.yaml": TRAINING, "patch.yaml": patch}, engine=engine)
    assert (raised.value.path, raised.value.line) == ("patch.yaml", 2)


@pytest.mark.parametrize(
    ("kustomization", "words"),
    [
        ("resources: [https://github.com/example/repository]\n", "works offline"),
        ("resources: [https://example.com/a.yaml]\n", "works offline"),
        ("resources: [../a.yaml]\n", "doesn't exist"),
        ("resources: [/etc/hostname]\n", "cannot be absolute"),
        ("resources: [a]\ncrds: [../../etc/hostname]\n", "doesn't exist"),
        ("helmCharts: [{name: a, repo: https://example.com}]\n", "must specify --enable-helm"),
        ("generators: [plugin.yaml]\n", "external plugins disabled"),
        ("", "kustomization.yaml is empty"),
    ],
)
def test_what_lies_outside_is_refused(engine: Engine, kustomization: str, words: str) -> None:
    plugin = "apiVersion: example.com/v1\nkind: Plugin\nmetadata: {name: a}\n"
    with pytest.raises(KustomizeError, match=words):
        build({"kustomization.yaml": kustomization, "plugin.yaml": plugin}, engine=engine)


def test_a_panic_in_kustomize_is_a_problem_of_that_build_alone(engine: Engine) -> None:
    good = {"kustomization.yaml": "resources: [service.yaml]\n", "service.yaml": SERVICE}
    kustomization = "resources: [service.yaml]\nopenapi: {path: s.json}\npatches: [{path: p.yaml}]\n"
    bad = good | {"kustomization.yaml": kustomization, "s.json": "{", "p.yaml": SERVICE}
    first, second = build_many([Build(bad), Build(good)], engine=engine)
    assert first.problem is not None
    assert first.problem.message.startswith("kustomize panicked: ")
    assert second == BuildResult(({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}},))


def test_warnings_come_with_the_result(engine: Engine) -> None:
    files = {
        "kustomization.yaml": "commonLabels: {a: b}\nresources: [service.yaml]\n",
        "service.yaml": SERVICE,
    }
    (result,) = build_many([Build(files)], engine=engine)
    assert result.problem is None
    assert [warning.split(".")[0] for warning in result.warnings] == [
        "# Warning: 'commonLabels' is deprecated"
    ]


def test_many_builds_keep_their_order_on_several_engines() -> None:
    trees = [
        Build(
            {
                "base/kustomization.yaml": "resources: [service.yaml]\n",
                "base/service.yaml": SERVICE,
                "a/kustomization.yaml": f"namespace: a{number}\nresources: [../base]\n",
                "b/kustomization.yaml": f"namespace: b{number}\nresources: [../base]\n",
            },
            ("a", "b"),
        )
        for number in range(200)
    ]
    with EnginePool(2) as pool:
        results = build_many(trees, engine=pool)
    namespaces = [result.objects[0]["metadata"]["namespace"] for result in results]
    assert namespaces == [f"{root}{number}" for number in range(200) for root in "ab"]


def test_every_character_comes_through(engine: Engine) -> None:
    text = "Grüße, 世界, 🚀\u00a0\u200d\u2028\ufeff\u0085 \\ \" '"
    files = {
        "kustomization.yaml": "configMapGenerator:\n- name: a\n  files: [size.txt]\n"
        "generatorOptions: {disableNameSuffixHash: true}\n",
        "size.txt": text,
    }
    assert build(files, engine=engine)[0]["data"] == {"size.txt": text}


def test_a_file_name_that_kustomize_cannot_hold_is_named(engine: Engine) -> None:
    with pytest.raises(KustomizeError, match="illegal name"):
        build({"größe.txt": "", "kustomization.yaml": "resources: [größe.txt]\n"}, engine=engine)


def test_half_a_character_is_refused_with_its_line(engine: Engine) -> None:
    with pytest.raises(KustomizeError) as raised:
        build({"kustomization.yaml": "resources: []\n# \ud800\n"}, engine=engine)
    assert (raised.value.path, raised.value.line) == ("kustomization.yaml", 2)


def test_nothing_to_build_is_no_result(engine: Engine) -> None:
    assert build_many([], engine=engine) == []


def test_a_folder_is_read_as_a_tree(tmp_path: Path) -> None:
    (tmp_path / "base" / "deep").mkdir(parents=True)
    (tmp_path / "base" / "deep" / "a.yaml").write_text("a: é\r\n", "utf-8", newline="")
    (tmp_path / "link.yaml").symlink_to("base/deep/a.yaml")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_bytes(b"\xff")
    assert read_tree(tmp_path) == {"base/deep/a.yaml": "a: é\r\n", "link.yaml": "a: é\r\n"}


def test_a_folder_reached_by_a_link_is_read_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.yaml").write_text("a: 1\n")
    (tmp_path / "link").symlink_to("real")
    assert read_tree(tmp_path / "link") == {"a.yaml": "a: 1\n"}


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("../outside.yaml", "a link leads out of the folder"),
        ("folder", "not a file, nor a link to one"),
        ("nothing", "not a file, nor a link to one"),
        ("itself", "not a file, nor a link to one"),
    ],
)
def test_a_link_must_lead_to_a_file_within(tmp_path: Path, target: str, words: str) -> None:
    home = tmp_path / "home"
    (home / "folder").mkdir(parents=True)
    (tmp_path / "outside.yaml").write_text("secret")
    (home / "itself").symlink_to(target)
    with pytest.raises(KustomizeError) as raised:
        read_tree(home)
    assert (raised.value.path, raised.value.message) == ("itself", words)


def test_a_file_must_be_text(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\xff\xfe")
    with pytest.raises(KustomizeError, match=r"a\.bin: not UTF-8 text"):
        read_tree(tmp_path)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KustomizeError, match="not a folder"):
        read_tree(tmp_path / "none")
