"""Two pull requests and one merge, with Git itself: different jobs never conflict, and what clashes is found after."""

from collections.abc import Callable

import pytest
from repositories import TEAM
from sealed.shed import JOBS, TEAM_FILE, WIDE, Shed, job

Change = Callable[[Shed], None]


def new_job(name: str, more: str = "") -> Change:
    return lambda shed: shed.write({f"specs/jobs/vision/{name}.yaml": job(name, more)})


def edited(name: str, line: str) -> Change:
    return lambda shed: shed.append(name, line)


def retired(name: str) -> Change:
    return lambda shed: (shed.path / f"specs/jobs/vision/{name}.yaml").unlink()


def new_volume(shed: Shed) -> None:
    """A volume of the team, and a job that mounts it."""
    shed.edit(TEAM_FILE, "volumes:\n", "volumes:\n  scratch: {storage: shared, size: 1Gi}\n")
    new_job("scratching", "data: {s: {volume: scratch, mountPath: /s}}\n")(shed)


def new_default(shed: Shed) -> None:
    shed.edit(TEAM_FILE, "defaults: {", "defaults: {env: {NCCL_DEBUG: INFO}, ")


def joined_cluster(shed: Shed) -> None:
    shed.edit_job("plain", "clusters: [lab]", "clusters: [lab, west]")


PAIRS: dict[str, tuple[Change, Change]] = {
    "new and new": (new_job("one"), new_job("two", WIDE)),
    "names side by side": (new_job("plain-a"), new_job("plain-b")),
    "edited and edited": (edited("plain", "cpu: 2\n"), edited("wide", "memory: 8Gi\n")),
    "edited and retired": (edited("plain", "cpu: 2\n"), retired("cached")),
    "new and retired": (new_job("one"), retired("plain")),
    "a volume and a job": (new_volume, new_job("one")),
    "a default and an edit": (new_default, edited("plain", "cpu: 2\n")),
    "attempt and stop": (edited("ray", "attempt: 2\n"), edited("trainer", "state: stopped\n")),
    "a cluster and an edit": (joined_cluster, edited("swept", "cpu: 2\n")),
}


def propose(shed: Shed, name: str, change: Change, *flags: str) -> None:
    """A pull request upon the first commit, rendered."""
    shed.branch(name, "start")
    change(shed)
    shed.render(*flags)
    shed.save(name)


def both(shed: Shed, first: Change, second: Change) -> None:
    """The first pull request is merged; the second is checked out, upon what was there before."""
    shed.git("branch", "start", "main")
    propose(shed, "first", first)
    propose(shed, "second", second)
    shed.git("branch", "--force", "main", "first")


@pytest.mark.parametrize(("first", "second"), PAIRS.values(), ids=PAIRS)
def test_pull_requests_on_different_jobs_never_conflict(shed: Shed, first: Change, second: Change) -> None:
    both(shed, first, second)
    assert shed.merge("main")
    assert shed.git("status", "--porcelain") == ""
    shed.check()


def test_what_was_merged_meanwhile_is_sealed_for_the_second(shed: Shed) -> None:
    both(shed, new_default, new_job("late"))
    assert shed.merge("main")
    done = shed.run("check", "--base", "main")
    assert done.code == 1, "a run that main does not hold takes the defaults of main"
    assert "run `trainshed render --base main` and commit the result" in done.out
    shed.render("--base", "main")
    assert "NCCL_DEBUG" in str(shed.tree("late"))
    shed.check("--base", "main")


def drop_volume(shed: Shed) -> None:
    shed.edit(TEAM_FILE, "  data: {storage: shared, size: 1Ti}\n", "")
    retired("cached")(shed)


def drop_pool(shed: Shed) -> None:
    shed.edit(TEAM_FILE, "lab: {quota: {h100: 4, cpu: 4}}", "lab: {quota: {cpu: 4}}")


def drop_secret(shed: Shed) -> None:
    shed.edit(TEAM_FILE, "secrets: [wandb]", "secrets: []")


def other_team(shed: Shed) -> None:
    """A team whose name and a job's make the app of another team's job."""
    half = "lab: {quota: {h100: 2, cpu: 2}}"
    shed.edit(TEAM_FILE, "lab: {quota: {h100: 4, cpu: 4}}", half)
    team = TEAM.replace("name: vision", "name: vision-two").replace("lab: {quota: {h100: 4, cpu: 4}}", half)
    shed.write({"specs/teams/vision-two.yaml": team})


def preset(shed: Shed) -> None:
    shed.write(
        {"specs/presets/steady.yaml": "apiVersion: trainshed/v1\nkind: Preset\nname: steady\njob: {cpu: 1}\n"}
    )


def no_preset(shed: Shed) -> None:
    (shed.path / "specs/presets/steady.yaml").unlink()


TOGETHER: dict[str, tuple[Change, Change, Change, str, str]] = {
    "a volume that is mounted": (
        lambda _: None,
        drop_volume,
        new_job("late", "data: {in: {volume: data, mountPath: /in}}\n"),
        "no-such-claim",
        "unknown-volume",
    ),
    "a pool that is used": (
        lambda _: None,
        drop_pool,
        new_job("late", "gpus: 8\n"),
        "resource-uncovered",
        "quota-exceeded",
    ),
    "a secret that is read": (
        lambda _: None,
        drop_secret,
        new_job("late", "env: {T: {secret: wandb, key: a}}\n"),
        "no-such-secret",
        "unknown-secret",
    ),
    "a preset that is taken": (
        preset,
        no_preset,
        new_job("late", "extends: steady\n"),
        "unknown-preset",
        "unknown-preset",
    ),
    "one name for two apps": (
        other_team,
        lambda shed: shed.write({"specs/jobs/vision/two-job.yaml": job("two-job")}),
        lambda shed: shed.write(
            {"specs/jobs/vision-two/job.yaml": job("job").replace("team: vision\n", "team: vision-two\n")}
        ),
        "name-taken",
        "name-taken",
    ),
    "one name for two jobs": (
        lambda _: None,
        new_job("same"),
        lambda shed: shed.write({"specs/jobs/vision/elsewhere/same.yaml": job("same")}),
        "name-taken",
        "name-taken",
    ),
}


@pytest.mark.parametrize(("start", "first", "second", "alone", "based"), TOGETHER.values(), ids=TOGETHER)
def test_what_is_valid_alone_and_not_together_is_found_after_the_merge(
    shed: Shed, start: Change, first: Change, second: Change, alone: str, based: str
) -> None:
    start(shed)
    shed.render()
    shed.land()
    both(shed, first, second)
    shed.merge("main")
    assert f"error[{alone}]" in shed.refuse("check")
    assert f"error[{based}]" in shed.refuse("check", "--base", "main"), "at the word of the run that is new"


def test_two_edits_of_one_job_meet_in_its_spec_and_a_render_mends_the_rest(shed: Shed) -> None:
    both(shed, edited("wide", "memory: 8Gi\n"), edited("wide", "memory: 9Gi\n"))
    assert not shed.merge("main")
    conflicted = shed.git("diff", "--name-only", "--diff-filter=U").splitlines()
    assert "specs/jobs/vision/wide.yaml" in conflicted
    said = shed.refuse("check")
    assert "specs/jobs/vision/wide.yaml:" in said
    shed.write({"specs/jobs/vision/wide.yaml": JOBS["wide"] + "memory: 10Gi\n"})
    for words in (("check",), ("check", "--base", "main")):
        assert "Traceback" not in shed.run(*words).out
    shed.render("--base", "main")
    assert "<<<<<<<" not in str(shed.tree())
    assert len(shed.runs("wide")) == 1
    shed.save("resolved")
    shed.check()
    shed.check("--base", "main")


def test_the_side_that_was_merged_first_may_win(shed: Shed) -> None:
    both(shed, edited("wide", "memory: 8Gi\n"), edited("wide", "memory: 9Gi\n"))
    merged = shed.git("show", "main:specs/jobs/vision/wide.yaml") + "\n"
    assert not shed.merge("main")
    shed.write({"specs/jobs/vision/wide.yaml": merged})
    shed.render("--base", "main")
    shed.save("resolved")
    assert shed.git("diff", "--stat", "main") == ""


def test_while_a_merge_is_resolved_what_it_brings_is_part_of_the_base(shed: Shed) -> None:
    """Another job was merged under a default that has changed since: the merge may not render it anew."""

    def job_then_default(shed: Shed) -> None:
        new_job("early")(shed)
        shed.append("wide", "memory: 8Gi\n")
        shed.render()
        new_default(shed)

    both(shed, job_then_default, edited("wide", "memory: 9Gi\n"))
    assert not shed.merge("main")
    shed.write({"specs/jobs/vision/wide.yaml": JOBS["wide"] + "memory: 10Gi\n"})
    shed.render("--base", "main")
    assert "NCCL_DEBUG" not in str(shed.tree("early"))
    shed.save("resolved")
    shed.check("--base", "main")


def test_conflict_markers_in_generated_files_are_named(shed: Shed) -> None:
    marked = "<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> other\n"
    path = "rendered/lab/team-vision/serviceaccount-train.yaml"
    (run,) = shed.runs("plain")
    sealed = f"rendered/lab/job-vision-plain/job-{run}.yaml"
    before = shed.tree()
    shed.write({path: marked, sealed: marked})
    for flags in ((), ("--base", "main")):
        said = shed.refuse("check", *flags)
        for name in (path, sealed):
            assert (
                f"{name}:1:1: error[stale-file]: {name.rsplit('/', 1)[1]} holds the conflict markers of a merge"
                in said
            )
    shed.render()
    assert shed.tree() == before
