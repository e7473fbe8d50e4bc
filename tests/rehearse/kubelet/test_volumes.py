"""The volumes of a pod, and those that are refused."""

import base64
import json
from pathlib import Path

import pytest
from rehearse.kubelet.stage import Stage, container, pod

from trainshed.rehearse.kubelet.setting import Setting

LIST = """
import json, os, stat, sys
def walk(top):
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            yield os.path.relpath(path, top), oct(stat.S_IMODE(os.stat(path).st_mode)), open(path).read()
print(json.dumps(sorted(walk(os.environ["TOP"]))))
"""
TOP = [{"name": "TOP", "value": "/top"}]
CONFIG = {
    "metadata": {"name": "code"},
    "data": {"train.py": "print(1)", "etc.conf": "a"},
    "binaryData": {"blob": base64.b64encode(b"xyz").decode()},
}
SETTING = Setting(config_maps=(CONFIG,), secret_values={"keys/id": "private"})


def listed(stage: Stage, volume: object, **mount: object) -> list[list[str]]:
    stage.setting = SETTING
    mounts = [{"name": "v", "mountPath": "/top", **mount}]
    end = stage.run(pod(LIST, env=TOP, spec={"volumes": [volume]}, volumeMounts=mounts))
    assert end.succeeded, (stage.texts(), stage.log())
    return json.loads(stage.log())


def config_map(**fields: object) -> dict[str, object]:
    return {"name": "v", "configMap": {"name": "code", **fields}}


def test_every_key_of_a_config_map_is_a_file(stage: Stage) -> None:
    assert listed(stage, config_map()) == [
        ["blob", "0o644", "xyz"],
        ["etc.conf", "0o644", "a"],
        ["train.py", "0o644", "print(1)"],
    ]


def test_items_choose_keys_paths_and_modes(stage: Stage) -> None:
    items = [{"key": "train.py", "path": "src/main.py"}, {"key": "blob", "path": "b", "mode": 0o755}]
    assert listed(stage, config_map(items=items, defaultMode=0o440)) == [
        ["b", "0o755", "xyz"],
        ["src/main.py", "0o440", "print(1)"],
    ]


def test_one_file_can_be_mounted_alone(stage: Stage) -> None:
    stage.setting = SETTING
    mounts = [{"name": "v", "mountPath": "/etc/train.conf", "subPath": "etc.conf"}]
    code = "import os; print(open(os.environ['CONF']).read())"
    env = [{"name": "CONF", "value": "/etc/train.conf"}]
    assert stage.run(pod(code, env=env, spec={"volumes": [config_map()]}, volumeMounts=mounts)).succeeded
    assert stage.log() == "a\n"


def test_projected_volumes_hold_all_of_their_sources(stage: Stage) -> None:
    sources = [
        {"configMap": {"name": "code", "items": [{"key": "etc.conf", "path": "conf"}]}},
        {"secret": {"name": "keys", "items": [{"key": "id", "path": "ssh/id", "mode": 0o400}]}},
        {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
        {"serviceAccountToken": {"path": "token"}},
    ]
    assert listed(stage, {"name": "v", "projected": {"sources": sources}}) == [
        ["conf", "0o644", "a"],
        ["labels", "0o644", 'replica="worker-0"\n'],
        ["ssh/id", "0o400", "private"],
        ["token", "0o644", "a-token-that-no-cluster-takes"],
    ]


def test_a_folder_of_a_claim_is_made_for_the_pod_that_asks(stage: Stage) -> None:
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    assert listed(stage, volume, subPathExpr="runs/$(TOP)") == []
    assert (stage.folder / "claims" / "data" / "runs").is_dir()


def test_volumes_of_other_kinds_are_empty_folders_and_said(stage: Stage) -> None:
    assert listed(stage, {"name": "v", "hostPath": {"path": "/etc"}}) == []
    assert "volume v: hostPath is an empty folder here" in stage.texts()


def test_local_folders_lie_at_paths_of_the_image(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "train.py").write_text("print('trained')")
    stage.setting = Setting(local={"/opt/app": tmp_path / "app"})
    one = pod(args=[], command=["python", "/opt/app/train.py"], workingDir="/opt/app")
    assert stage.run(one).succeeded, stage.texts()
    assert stage.log() == "trained\n"


@pytest.mark.parametrize(
    ("volume", "mount", "words"),
    [
        (
            config_map(items=[{"key": "blob", "path": "../../out"}]),
            {},
            '"../../out" is no path inside of a volume',
        ),
        (config_map(items=[{"key": "blob", "path": "/etc/passwd"}]), {}, '"/etc/passwd" is no path inside'),
        (config_map(items=[{"key": "no", "path": "x"}]), {}, 'configmap "code" has no key "no"'),
        (
            config_map(items=[{"key": "blob", "path": "a"}, {"key": "blob", "path": "a/b"}]),
            {},
            "cannot be a file",
        ),
        ({"name": "v", "configMap": {"name": "nobody"}}, {}, 'configmap "nobody" is not among the manifests'),
        (
            {"name": "v", "persistentVolumeClaim": {"claimName": "../../x"}},
            {},
            '"../../x" is no name of a claim',
        ),
        ({"name": "../v", "emptyDir": {}}, {}, '"../v" is no name of a volume'),
        ({"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "a lot"}}, {}, '"a lot" is no quantity'),
        ({"name": "v", "emptyDir": {}}, {"mountPath": "/"}, "mountPath /: a container cannot live"),
        (
            {"name": "v", "emptyDir": {}},
            {"mountPath": "/proc/sys"},
            "mountPath /proc/sys: a container cannot live",
        ),
        (
            {"name": "v", "emptyDir": {}},
            {"mountPath": "/a/../../x"},
            'mountPath "/a/../../x" is no plain path',
        ),
        ({"name": "v", "emptyDir": {}}, {"subPath": "../../../etc"}, '"../../../etc" is no path inside'),
        ({"name": "other", "emptyDir": {}}, {}, '/top: there is no volume "v"'),
    ],
)
def test_what_leads_out_of_its_place_is_refused(
    stage: Stage, volume: dict[str, object], mount: dict[str, object], words: str
) -> None:
    stage.setting = SETTING
    mounts = [{"name": "v", "mountPath": "/top", **mount}]
    end = stage.run(pod("print('never')", spec={"volumes": [volume]}, volumeMounts=mounts))
    assert (end.succeeded, end.reason) == (False, "CreateContainerConfigError")
    assert any(words in text for text in stage.texts()), stage.texts()


@pytest.mark.parametrize("key", ["../out", "..", "/etc/x"])
def test_a_key_that_is_no_name_of_a_file_is_refused(stage: Stage, key: str) -> None:
    stage.setting = Setting(config_maps=({"metadata": {"name": "code"}, "data": {key: "x"}},))
    before = sorted(stage.folder.parent.rglob("out"))
    end = stage.run(pod(spec={"volumes": [config_map()]}))
    assert end.reason == "CreateContainerConfigError"
    assert sorted(stage.folder.parent.rglob("out")) == before


def test_a_link_that_a_pod_left_in_a_claim_leads_no_other_pod_out_of_it(stage: Stage, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    (stage.folder / "claims" / "data").mkdir(parents=True)
    (stage.folder / "claims" / "data" / "link").symlink_to(outside)
    mounts = [{"name": "v", "mountPath": "/top", "subPath": "link"}]
    end = stage.run(pod("open('/top/x', 'w')", spec={"volumes": [volume]}, volumeMounts=mounts))
    assert not end.succeeded
    assert any("subPath link: l" in text or "link is a symbolic link" in text for text in stage.texts())
    assert list(outside.iterdir()) == []


def test_a_huge_folder_in_memory_is_cut_to_this_machine(stage: Stage) -> None:
    assert listed(stage, {"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "900Ti"}}) == []
    assert "volume v: sizeLimit 900Ti is cut to half of this machine's memory" in stage.texts()


COUNTS_TMP = """\
import os, pathlib, sys
tmp, done = pathlib.Path(os.environ["HOME"]), pathlib.Path(os.environ["DONE"])
print(len(list(tmp.iterdir())))
(tmp / "left").touch()
if not done.exists():
    done.touch()
    sys.exit(1)
"""


def test_tmp_is_empty_again_after_a_restart(stage: Stage) -> None:
    main = container(COUNTS_TMP, env=[{"name": "DONE", "value": "/kept/done"}])
    main["volumeMounts"] = [{"name": "kept", "mountPath": "/kept"}]
    spec = {"restartPolicy": "OnFailure", "containers": [main], "volumes": [{"name": "kept", "emptyDir": {}}]}
    assert stage.run(pod(spec=spec)).succeeded
    assert stage.log() == "0\n0\n"
