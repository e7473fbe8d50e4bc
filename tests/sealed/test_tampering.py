"""What is sealed and is touched all the same: with a base and without one."""

import hashlib
import json

import pytest
from sealed.shed import Shed, changed, job

DEFAULT = ("specs/teams/vision.yaml", "defaults: {", "defaults: {env: {NCCL_DEBUG: INFO}, ")


def object_path(shed: Shed, name: str) -> str:
    seal = shed.seal(name)
    return f"rendered/lab/job-vision-{name}/{seal['kind'].lower()}-{seal['run']}.yaml"


def vouch(shed: Shed, name: str) -> None:
    """Forge the seal, so that it vouches for the files as they are."""
    seal = shed.seal(name)
    folder = shed.path / f"rendered/lab/job-vision-{name}"
    files = {file: hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in seal["files"]}
    shed.forge(name, files=files)


@pytest.mark.parametrize("flags", [(), ("--base", "main")], ids=["alone", "base"])
def test_a_file_that_would_come_out_the_same_is_found_and_put_back(
    shed: Shed, flags: tuple[str, ...]
) -> None:
    before = shed.tree()
    path = object_path(shed, "wide")
    shed.edit(path, "train:1.0", "train:2.0")
    said = shed.refuse("check", *flags)
    assert f"{path}:" in said
    assert "under `patches` where no field says it" in said
    assert said.endswith("1 error\n")
    shed.render(*flags)
    assert shed.tree() == before


def test_a_file_that_defaults_have_moved_on_from_is_not_rendered_over(shed: Shed) -> None:
    before = shed.tree("plain")
    path = object_path(shed, "plain")
    shed.edit(*DEFAULT)
    shed.render()
    shed.land()
    shed.edit(path, "train:1.0", "train:2.0")
    for command in ("check", "render"):
        said = shed.refuse(command)
        assert f"{path}:1:1: error[sealed-changed]: job-plain-" in said
        assert "is not what was sealed: run plain-" in said
    assert "`trainshed render --base origin/main` puts it back" in said
    said = shed.refuse("check", "--base", "main")
    assert "error[sealed-changed]" in said and "`trainshed render --base main` puts it back" in said
    shed.render("--base", "main")
    assert shed.tree("plain") == before


@pytest.mark.parametrize("flags", [(), ("--base", "main")], ids=["alone", "base"])
def test_a_sealed_file_that_is_gone_is_found(shed: Shed, flags: tuple[str, ...]) -> None:
    shed.edit(*DEFAULT)
    shed.render()
    shed.land()
    before = shed.tree()
    (shed.path / object_path(shed, "wide")).unlink()
    assert f"{object_path(shed, 'wide')}:1:1: error[sealed-changed]" in shed.refuse("check", *flags)
    shed.render("--base", "main")
    assert shed.tree() == before


def test_a_seal_that_vouches_for_a_changed_file_is_found_upon_the_base(shed: Shed) -> None:
    before = shed.tree()
    path = object_path(shed, "plain")
    shed.edit(path, "train:1.0", "train:2.0")
    vouch(shed, "plain")
    said = shed.refuse("check", "--base", "main")
    assert f"{path}:1:1: error[sealed-changed]" in said
    assert f"{shed.seal_path('plain')}:1:1: error[sealed-changed]" in said
    assert shed.run("check", "--only", "job=plain", "--base", "main").code == 1
    shed.render("--base", "main")
    assert shed.tree() == before


def test_a_new_run_with_a_forged_file_and_a_seal_for_it_is_found_upon_the_base(shed: Shed) -> None:
    shed.write({"specs/jobs/vision/sneaky.yaml": job("sneaky")})
    shed.render()
    path = object_path(shed, "sneaky")
    shed.edit(path, "train:1.0", "miner:6.6")
    for file in shed.tree("sneaky"):
        if file.startswith("overlays/") and file.endswith(".yaml") and "/base/job-" in file:
            shed.edit(file, "train:1.0", "miner:6.6")
    shed.forge("sneaky", shared={})
    vouch(shed, "sneaky")
    shed.save("forged")
    said = shed.refuse("check", "--base", "main")
    assert f"{path}:" in said
    assert "the specs say: image: registry.example.com/vision/train:1.0" in said
    shed.render("--base", "main")
    assert "miner" not in str(shed.tree())
    shed.check("--base", "main")


def test_a_run_rendered_on_the_branch_takes_what_the_branch_says_in_the_end(shed: Shed) -> None:
    shed.write({"specs/jobs/vision/fresh.yaml": job("fresh")})
    shed.render()
    shed.save()
    shed.edit(*DEFAULT)
    shed.render()
    shed.save()
    said = shed.refuse("check", "--base", "main")
    assert "run `trainshed render --base main` and commit the result" in said
    shed.render("--base", "main")
    assert "NCCL_DEBUG" in (shed.path / object_path(shed, "fresh")).read_text()
    shed.check("--base", "main")


@pytest.mark.parametrize("flags", [(), ("--base", "main")], ids=["alone", "base"])
def test_a_seal_that_is_gone_is_put_back_while_nothing_would_change(
    shed: Shed, flags: tuple[str, ...]
) -> None:
    before = shed.tree()
    path = shed.seal_path("plain")
    (shed.path / path).unlink()
    assert f"{path}:1:1: error[" in shed.refuse("check", *flags)
    shed.render(*flags)
    assert shed.tree() == before


def test_a_seal_that_is_gone_is_an_error_where_the_run_would_change(shed: Shed) -> None:
    before = shed.tree("plain")
    shed.edit(*DEFAULT)
    path = object_path(shed, "plain")
    (shed.path / shed.seal_path("plain")).unlink()
    for command in ("check", "render"):
        assert f"{path}:1:1: error[seal-missing]: run plain-" in shed.refuse(command)
    shed.render("--base", "main")
    assert shed.tree("plain") == before


def test_a_seal_without_a_run_is_removed(shed: Shed) -> None:
    before = shed.tree()
    seal = shed.seal("plain")
    stray = "overlays/job-vision-plain/lab/seals/plain-0badcafe.json"
    shed.write({stray: json.dumps({**seal, "run": "plain-0badcafe", "digest": "0badcafe" * 8})})
    for flags in ((), ("--base", "main")):
        assert f"{stray}:1:1: error[foreign-file]" in shed.refuse("check", *flags)
    shed.render()
    assert shed.tree() == before


@pytest.mark.parametrize("flags", [(), ("--base", "main")], ids=["alone", "base"])
def test_a_base_that_sealed_overlays_lean_on_is_put_back(shed: Shed, flags: tuple[str, ...]) -> None:
    before = shed.tree()
    (run,) = shed.runs("wide")
    path = f"overlays/job-vision-wide/base/pytorchjob-{run}.yaml"
    shed.edit(path, "train:1.0", "train:2.0")
    assert f"{path}:" in shed.refuse("check", *flags)
    shed.render(*flags)
    assert shed.tree() == before


def test_words_of_a_seal_that_only_trainshed_writes_are_put_back(shed: Shed) -> None:
    before = shed.tree()
    shed.forge("plain", kind="PyTorchJob", lineage="0" * 64, releases={})
    assert "error[sealed-changed]" in shed.refuse("check", "--base", "main")
    shed.render("--base", "main")
    assert shed.tree() == before


def test_a_change_of_the_specs_and_of_a_sealed_file_are_told_apart(shed: Shed) -> None:
    other = shed.tree("wide")
    path = object_path(shed, "wide")
    shed.append("plain", "cpu: 2\n")
    shed.edit(path, "train:1.0", "train:2.0")
    shed.render("--base", "main")
    assert changed(other, shed.tree("wide")) == set()
    shed.check("--base", "main")


def test_a_base_that_is_broken_can_be_mended(shed: Shed) -> None:
    good = shed.tree()
    shed.write({shed.seal_path("plain"): "<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n"})
    shed.land()
    shed.branch("mend")
    shed.write({path: text for path, text in good.items() if "/job-vision-plain/" in path})
    shed.check("--base", "main")
    shed.save()
    assert shed.tree() == good


def test_a_base_without_the_seal_is_no_reason_to_render_over_a_run(shed: Shed) -> None:
    shed.write({shed.seal_path("plain"): "{}\n"})
    shed.land()
    shed.branch("mend")
    shed.edit(*DEFAULT)
    assert "error[seal-missing]" in shed.refuse("render", "--base", "main")
