"""Only an edit of the job itself starts a run: whatever else changes, what was rendered stays byte for byte."""

from collections.abc import Callable, Mapping

import pytest
from sealed.shed import LAB, ONE_SHOT, VISION, Shed, changed, job, only_seals

from trainshed.model.codes import Code

TEAM = "specs/teams/vision.yaml"
CLUSTER = "specs/clusters/lab.yaml"


def add_default(shed: Shed) -> None:
    shed.edit(TEAM, "defaults: {", "defaults: {env: {NCCL_DEBUG: INFO}, memory: 8Gi, ")


def label_pool(shed: Shed) -> None:
    shed.edit(CLUSTER, "labels: {pool: cpu}", "labels: {pool: cpu, zone: a}")


def change_owner(shed: Shed) -> None:
    shed.write({TEAM: VISION + "owner: alice\n"})


def older_operators(shed: Shed) -> None:
    shed.edit(CLUSTER, "training-operator: v1.9.4", "training-operator: v1.8.1")
    shed.edit(CLUSTER, "kuberay: v1.6.2", "kuberay: v1.2.2")


def mirror_images(shed: Shed) -> None:
    shed.write({CLUSTER: LAB + "images: {mirror: {registry.example.com: mirror.example.com}}\n"})


def larger_volume(shed: Shed) -> None:
    shed.edit(TEAM, "checkpoints: {storage: shared, size: 1Ti}", "checkpoints: {storage: shared, size: 2Ti}")


ELSEWHERE: Mapping[str, Callable[[Shed], None]] = {
    change.__name__: change
    for change in (add_default, label_pool, change_owner, older_operators, mirror_images, larger_volume)
}


def test_the_first_render_seals_every_run_and_nothing_that_lives_on(shed: Shed) -> None:
    found = only_seals(set(shed.tree()))
    assert {path.split("/")[1] for path in found} == {f"job-vision-{name}" for name in ONE_SHOT}
    assert len(found) == len(ONE_SHOT) + 1, "a seal for each run: wide runs on two clusters"
    for name in ONE_SHOT:
        seal = shed.seal(name)
        assert (seal["team"], seal["job"], seal["cluster"]) == ("vision", name, "lab")
        assert sorted([*seal["files"], *seal.get("claims", ())]) == shed.rendered(name)
        assert shed.runs(name) == [seal["run"]]
        assert seal["run"] == f"{name}-{seal['digest'][:8]}"


def test_a_seal_says_what_the_run_was_made_of(shed: Shed) -> None:
    wide = shed.seal("wide")
    assert set(wide["code"]) == {"train.py"}
    assert (wide["kind"], wide["attempt"], wide["digest_version"]) == ("PyTorchJob", 1, 1)
    releases = {name: release for name, release in wide["releases"].items() if name != "trainshed"}
    assert releases == {"kubernetes": "1.36", "kueue": "v0.19.2", "training-operator": "v1.9.4"}
    cached = shed.seal("cached")
    assert list(cached["claims"]) == ["persistentvolumeclaim-cached-cache.yaml"]
    assert "persistentvolumeclaim-cached-cache.yaml" not in cached["files"]


@pytest.mark.parametrize("change", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_change_elsewhere_leaves_every_sealed_byte_alone(
    shed: Shed, change: Callable[[Shed], None]
) -> None:
    before = shed.tree(*ONE_SHOT)
    change(shed)
    said = shed.render()
    assert changed(before, shed.tree(*ONE_SHOT)) == set()
    assert "nothing changed" not in said, "the change changes something that lives on"
    shed.check()
    shed.check("--base", "main")


def test_a_preset_that_changes_leaves_its_runs_alone(shed: Shed) -> None:
    preset = "apiVersion: trainshed/v1\nkind: Preset\nname: steady\njob: {failOn: [3]}\n"
    shed.write(
        {
            "specs/presets/steady.yaml": preset,
            "specs/jobs/vision/plain.yaml": job("plain", "extends: steady\n"),
        }
    )
    shed.render()
    before = shed.tree()
    shed.edit("specs/presets/steady.yaml", "failOn: [3]", "failOn: [4]")
    said = shed.render()
    assert shed.tree() == before
    assert 'note[sealed-older]: 1 run of team "vision" is sealed under older defaults than today\'s' in said


def test_what_lives_on_takes_a_new_default_at_once(shed: Shed) -> None:
    before = shed.tree("nightly", "desk")
    add_default(shed)
    shed.render()
    names = {path.rsplit("/", 1)[1] for path in changed(before, shed.tree("nightly", "desk"))}
    assert {"cronjob-nightly.yaml", "raycluster-desk.yaml"} <= names


def test_one_note_a_team_and_one_a_cluster_say_what_is_older(shed: Shed) -> None:
    add_default(shed)
    older_operators(shed)
    said = shed.render()
    assert said.count(f"note[{Code.SEALED_OLDER}]") == 2
    assert f'{TEAM}:3:7: note[sealed-older]: 8 runs of team "vision" are sealed under older defaults' in said
    assert "plain-" in said and "and 3 more; the next edit or attempt of each job takes today's" in said
    assert (
        f'{CLUSTER}:3:7: note[sealed-older]: 3 runs on cluster "lab" are sealed under other releases' in said
    )
    assert "kuberay v1.6.2, today v1.2.2; training-operator v1.9.4, today v1.8.1" in said
    shed.land()
    assert shed.check().count("note[sealed-older]") == 2, "said for as long as it is so"


def test_words_for_people_start_nothing_and_change_nothing_sealed(shed: Shed) -> None:
    before = shed.tree(*ONE_SHOT)
    shed.append("wide", "description: the wide one\nowner: bob\ntags: [a]\ncostCenter: x1\n")
    shed.write(
        {
            "specs/jobs/vision/plain.yaml": "# a comment\n"
            + (shed.path / "specs/jobs/vision/plain.yaml").read_text()
        }
    )
    said = shed.render()
    assert changed(before, shed.tree(*ONE_SHOT)) == set()
    assert "sealed-older" not in said
    shed.check("--base", "main")


def test_an_edit_renders_with_the_defaults_of_today_and_ends_the_run_before(shed: Shed) -> None:
    add_default(shed)
    shed.render()
    shed.land()
    (old,) = shed.runs("plain")
    before = shed.tree()
    shed.append("plain", "cpu: 2\n")
    said = shed.render()
    (new,) = shed.runs("plain")
    assert new != old
    assert shed.rendered("plain") == [f"job-{new}.yaml"]
    assert "NCCL_DEBUG" in (shed.path / f"rendered/lab/job-vision-plain/job-{new}.yaml").read_text()
    assert {
        path.split("/")[1 if path.startswith("overlays") else 2] for path in changed(before, shed.tree())
    } == {"job-vision-plain"}
    assert "7 runs of team" in said, "one less is older"


def test_a_second_attempt_is_a_new_run_of_the_same_digest(shed: Shed) -> None:
    add_default(shed)
    old = shed.seal("wide")
    shed.append("wide", "attempt: 2\n")
    shed.render()
    new = shed.seal("wide")
    assert (new["run"], new["attempt"]) == (f"{old['run']}-2", 2)
    assert (new["digest"], new["code"]) == (old["digest"], old["code"])
    assert f"pytorchjob-{old['run']}.yaml" not in shed.rendered("wide")
    shed.check("--base", "main")


def test_another_line_of_code_is_an_edit_of_the_jobs_that_name_it(shed: Shed) -> None:
    before = shed.tree("plain", "ray", "trainer")
    (old,) = shed.runs("wide")
    shed.write({"specs/jobs/vision/train.py": "print('goodbye')\n"})
    shed.render()
    assert shed.runs("wide") != [old]
    assert shed.tree("plain", "ray", "trainer") == before


def test_going_back_to_the_words_before_is_a_run_rendered_anew(shed: Shed) -> None:
    before = shed.tree("plain")
    shed.append("plain", "cpu: 2\n")
    shed.render()
    shed.land()
    shed.edit_job("plain", "cpu: 2\n", "")
    shed.render()
    assert shed.tree("plain") == before


def test_rendering_twice_changes_nothing_and_from_nothing_gives_the_same(shed: Shed) -> None:
    before = shed.tree()
    assert "nothing changed" in shed.render()
    shed.git("rm", "-r", "--quiet", "overlays", "rendered")
    shed.render()
    assert shed.tree() == before


def test_a_job_alone_is_rendered_upon_its_seal(shed: Shed) -> None:
    before = shed.tree()
    add_default(shed)
    assert "nothing changed" in shed.render("--only", "job=plain")
    shed.append("plain", "cpu: 2\n")
    shed.render("--only", "job=plain")
    assert {
        path.split("/")[1 if path.startswith("overlays") else 2] for path in changed(before, shed.tree())
    } == {"job-vision-plain"}
