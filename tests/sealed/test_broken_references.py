"""What a sealed run leans on may not be taken away: the error stands at the line that took it. All else are notes."""

from sealed.shed import VISION, WIDE, Shed, job

TEAM = "specs/teams/vision.yaml"
CLUSTER = "specs/clusters/lab.yaml"
LEANING = {
    "secretive": job("secretive", "env: {TOKEN: {secret: wandb, key: token}}\n"),
    "mounting": job("mounting", "data: {in: {volume: data, mountPath: /in}}\n"),
    "labelled": job("labelled", "data: {in: {configMap: labels, mountPath: /in}}\n"),
    "urgent": job("urgent", "priority: urgent\n"),
    "served": job("served", "serviceAccount: reader\n"),
    "big": job("big", WIDE + "gpus: 8\n"),
}


def lean(shed: Shed) -> None:
    """Runs that lean on one thing each, sealed and merged."""
    shed.write({f"specs/jobs/vision/{name}.yaml": text for name, text in LEANING.items()})
    shed.render()
    shed.land()


def block(said: str, code: str) -> str:
    """The first finding of a code, whole."""
    return next(part for part in said.split("\n\n") if f"[{code}]" in part)


def test_what_team_and_cluster_take_away_is_an_error_at_their_line(shed: Shed) -> None:
    lean(shed)
    for old, new in (
        ("secrets: [wandb]\n", "secrets: []\n"),
        ("configMaps: [labels]\n", "configMaps: []\n"),
        ("serviceAccounts: [reader]\n", "serviceAccounts: []\n"),
        ("  data: {storage: shared, size: 1Ti}\n", ""),
    ):
        shed.edit(TEAM, old, new)
    shed.edit(CLUSTER, "priorities: {urgent: 1000}", "priorities: {other: 1000}")
    for flags in ((), ("--base", "main")):
        said = shed.refuse("check", *flags)
        for code, place, name in (
            ("no-such-secret", f"{TEAM}:9:", "secretive"),
            ("no-such-claim", f"{TEAM}:8:", "mounting"),
            ("no-such-config-map", f"{TEAM}:10:", "labelled"),
            ("no-such-service-account", f"{TEAM}:11:", "served"),
            ("no-such-priority-class", f"{CLUSTER}:", "urgent"),
        ):
            finding = block(said, code)
            assert f"error[{code}]" in finding
            assert finding.startswith(place), finding
            assert (
                f"see specs/jobs/vision/{name}.yaml:3:7: {shed.runs(name)[0]} is sealed, and leans on it"
                in said
            )
            assert "put it back; or stop the job (`state: stopped`)" in finding


def test_a_queue_that_is_taken_away_is_an_error_at_the_quota(shed: Shed) -> None:
    lean(shed)
    shed.edit(TEAM, "lab: {quota: {h100: 4, cpu: 4}}", "lab: {quota: {cpu: 4}}")
    said = shed.refuse("check")
    errors = [part for part in said.split("\n\n") if "error[" in part]
    assert errors
    assert all(part.startswith(f"{TEAM}:5:") for part in errors), said
    assert f"{shed.runs('big')[0]} is sealed, and leans on it" in said


def test_a_team_without_any_quota_leaves_its_sealed_runs_no_queue(shed: Shed) -> None:
    lean(shed)
    (shed.path / "specs/jobs/vision/desk.yaml").unlink()  # it lives on, and needs a queue today
    shed.edit(TEAM, "lab: {quota: {h100: 4, cpu: 4}}", "lab: {}")
    said = shed.refuse("check")
    assert "error[no-such-queue]" in said, said
    assert block(said, "no-such-queue").startswith(f"{TEAM}:5:"), said
    assert "is sealed, and leans on it" in block(said, "no-such-queue")


def test_a_quota_that_is_cut_below_a_sealed_run_is_a_warning(shed: Shed) -> None:
    lean(shed)
    shed.edit(TEAM, "lab: {quota: {h100: 4, cpu: 4}}", "lab: {quota: {h100: 1, cpu: 4}}")
    said = shed.render()
    assert "warning[never-admitted]" in said
    assert block(said, "never-admitted").startswith(f"{TEAM}:5:")
    assert "error[" not in said


def test_a_namespace_that_moves_is_an_error(shed: Shed) -> None:
    shed.edit(TEAM, "name: vision\n", "name: vision\nnamespace: eyes\n")
    said = shed.refuse("check")
    assert "error[no-such-namespace]" in said
    assert block(said, "no-such-namespace").startswith(f"{TEAM}:")


def test_a_policy_that_is_tightened_is_a_note_and_is_not_repeated_for_every_run(shed: Shed) -> None:
    shed.write(
        {
            TEAM: VISION
            + "policies: {image-digest: error, deadline-missing: error, checkpoint-missing: error}\n"
        }
    )
    shed.edit("specs/jobs/vision/nightly.yaml", "train:1.0", "train@sha256:" + "0" * 64)
    shed.edit("specs/jobs/vision/desk.yaml", "train:1.0", "train@sha256:" + "0" * 64)
    said = shed.run("check").out
    sealed = [part for part in said.split("\n\n") if "[image-digest]" in part]
    assert [part for part in sealed if "error[" in part] == [], said
    assert 1 <= len(sealed) <= 9, "three of a code at most: from the specs, and from each of two clusters"
    assert "the run is sealed and stays as it is: this counts at the job's next edit or attempt" in sealed[0]
    assert "more of [image-digest] about sealed runs" in said


def test_an_older_operator_that_lacks_what_a_sealed_run_says_is_a_note(shed: Shed) -> None:
    shed.edit(CLUSTER, "kueue: v0.19.2", "kueue: v0.10.0")
    said = shed.run("check").out
    assert "Traceback" not in said
    assert not [
        part for part in said.split("\n\n") if "error[" in part and "job-vision-" in part.split(": error")[0]
    ]


def test_many_runs_behind_today_are_told_in_a_few_lines(shed: Shed) -> None:
    shed.write({f"specs/jobs/vision/many-{index}.yaml": job(f"many-{index}") for index in range(40)})
    shed.render()
    shed.land()
    shed.write(
        {
            TEAM: VISION.replace("defaults: {", "defaults: {env: {A: b}, ")
            + "policies: {owner-missing: error}\n"
        }
    )
    for name in ("nightly", "desk"):
        shed.append(name, "owner: alice\n")
    said = shed.render()
    assert said.count("note[sealed-older]") == 1
    assert f'{TEAM}:3:7: note[sealed-older]: 48 runs of team "vision"' in said
    assert len(said.splitlines()) < 80, said


def test_many_runs_that_lean_on_one_volume_are_told_in_a_few_lines(shed: Shed) -> None:
    mount = "data: {in: {volume: data, mountPath: /in}}\n"
    shed.write({f"specs/jobs/vision/many-{index}.yaml": job(f"many-{index}", mount) for index in range(10)})
    shed.render()
    shed.edit(TEAM, "  data: {storage: shared, size: 1Ti}\n", "")
    said = shed.refuse("check")
    assert said.count("error[no-such-claim]") == 3
    assert "8 more sealed runs lean on it" in said
