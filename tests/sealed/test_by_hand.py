"""Work by hand stays possible: what a person changes in a generated file is found, named, explained, and put back."""

from collections.abc import Callable

import pytest
from sealed.shed import Shed

Touch = Callable[[Shed], str]
"""Changes a generated file by hand; the path that a finding has to name."""

POD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n  namespace: team-vision\n"


def sealed_object(shed: Shed) -> str:
    return f"rendered/lab/job-vision-plain/job-{shed.runs('plain')[0]}.yaml"


def field_of_a_sealed_run(shed: Shed) -> str:
    path = sealed_object(shed)
    shed.edit(path, "train:1.0", "train:2.0")
    return path


def field_of_a_schedule(shed: Shed) -> str:
    path = "rendered/lab/job-vision-nightly/cronjob-nightly.yaml"
    shed.edit(path, "train:1.0", "train:2.0")
    return path


def added_object(shed: Shed) -> str:
    path = "rendered/lab/job-vision-plain/configmap-mine.yaml"
    shed.write({path: POD})
    return path


def added_resource(shed: Shed) -> str:
    path = "overlays/job-vision-plain/lab/kustomization.yaml"
    text = (shed.path / path).read_text()
    shed.write({path: text + "- mine.yaml\n"})
    return path


def added_patch(shed: Shed) -> str:
    path = "overlays/job-vision-nightly/lab/kustomization.yaml"
    shed.write({path: (shed.path / path).read_text() + "patches: [{path: mine.yaml}]\n"})
    return path


def changed_base(shed: Shed) -> str:
    path = f"overlays/job-vision-plain/base/job-{shed.runs('plain')[0]}.yaml"
    shed.edit(path, "train:1.0", "train:2.0")
    return path


def removed_object(shed: Shed) -> str:
    path = "rendered/lab/job-vision-desk/raycluster-desk.yaml"
    (shed.path / path).unlink()
    return path


def removed_sealed_object(shed: Shed) -> str:
    path = sealed_object(shed)
    (shed.path / path).unlink()
    return path


def renamed(shed: Shed) -> str:
    path = sealed_object(shed)
    (shed.path / path).rename(shed.path / path.replace("job-plain-", "job-mine-"))
    return path


def renamed_folder(shed: Shed) -> str:
    (shed.path / "rendered/lab/job-vision-swept").rename(shed.path / "rendered/lab/swept")
    return f"rendered/lab/job-vision-swept/job-{shed.runs('swept')[0]}.yaml"


def line_ends(shed: Shed) -> str:
    path = sealed_object(shed)
    shed.write({path: (shed.path / path).read_bytes().replace(b"\n", b"\r\n")})
    return path


EDITS: dict[str, tuple[Touch, str]] = {
    "a field of a sealed run": (
        field_of_a_sealed_run,
        "what was changed by hand belongs in specs/jobs/vision/plain.yaml, under `patches` where no field says it",
    ),
    "a field of a schedule": (
        field_of_a_schedule,
        "what was changed by hand belongs in specs/jobs/vision/nightly.yaml, under `patches` where no field says it",
    ),
    "an object that was added": (
        added_object,
        "an object that was added by hand belongs in specs/jobs/vision/plain.yaml, under `rawObjects`",
    ),
    "a resource of a kustomization": (added_resource, "belongs in specs/jobs/vision/plain.yaml"),
    "a patch of a kustomization": (added_patch, "belongs in specs/jobs/vision/nightly.yaml"),
    "a base": (changed_base, "belongs in specs/jobs/vision/plain.yaml"),
    "an object that was removed": (removed_object, "to be rid of it edit specs/jobs/vision/desk.yaml"),
    "a sealed object that was removed": (
        removed_sealed_object,
        "to be rid of it edit specs/jobs/vision/plain.yaml",
    ),
    "a file that was renamed": (renamed, "to be rid of it edit specs/jobs/vision/plain.yaml"),
    "a folder that was renamed": (renamed_folder, "to be rid of it edit specs/jobs/vision/swept.yaml"),
    "the ends of lines": (line_ends, "the lines end with CR LF: mark the generated folders with `-text`"),
}


@pytest.mark.parametrize(("touch", "advice"), EDITS.values(), ids=EDITS)
def test_a_change_by_hand_is_named_explained_and_put_back(shed: Shed, touch: Touch, advice: str) -> None:
    before = shed.tree()
    path = touch(shed)
    said = shed.refuse("check")
    assert f"{path}:" in said
    assert advice in said
    assert "run `trainshed render`" in said
    shed.render()
    assert shed.tree() == before


def test_upon_a_base_every_change_by_hand_is_put_back_at_once(shed: Shed) -> None:
    before = shed.tree()
    paths = [
        field_of_a_schedule(shed),
        added_object(shed),
        added_patch(shed),
        changed_base(shed),
        removed_object(shed),
    ]
    (file,) = [name for name in shed.rendered("patched") if name.startswith("job-")]
    sealed = f"rendered/lab/job-vision-patched/{file}"
    shed.edit(sealed, "train:1.0", "train:2.0")
    shed.save("by hand")
    said = shed.refuse("check", "--base", "main")
    assert all(f"{path}:" in said for path in paths)
    assert f"{sealed}:1:1: error[sealed-changed]" in said
    assert "in the job's spec, under `patches` where no field says it, which starts a new run" in said
    assert said.count("`trainshed render --base main`") == len(paths) + 1
    shed.render("--base", "main")
    assert shed.tree() == before


def test_what_was_meant_is_said_with_patches_and_is_a_new_run(shed: Shed) -> None:
    (old,) = shed.runs("plain")
    shed.append("plain", "patches: [{target: {kind: Job}, merge: {metadata: {labels: {by: alice}}}}]\n")
    shed.render()
    assert shed.runs("plain") != [old]
    assert "by: alice" in (shed.path / sealed_object(shed)).read_text()
    shed.check("--base", "main")
