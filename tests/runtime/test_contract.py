"""The contract between manifest and process is one: what is compiled, what is written down, and what the runtime reads."""

import re
from pathlib import Path

from kinds.batch import files, render, variables
from repositories import JOB
from stages import street
from trainshed_runtime.contract import VARIABLES, Contract

RUNS = Path(__file__).parents[2] / "docs" / "runs.md"
OF_THE_PROGRAM = {"TRAINSHED_TENSORBOARD_DIR", "TRAINSHED_DATA_<NAME>", "TRAINSHED_DATA_<NAME>_SHARD"}
"""Read by the training code itself."""
OF_KUBERNETES = {"JOB_COMPLETION_INDEX"}
OF_THE_LAUNCHER = {"TRAINSHED_PROGRESS"}
"""Set inside the container, by no manifest."""
ALL_OF_IT = (
    JOB
    + """\
runtime: carried
attempt: 2
parameters: {lr: 0.1}
hang: 10m
gracePeriod: 5m
output: data
checkpoint:
  volume: checkpoints
  every: 15m
  saveTime: 90s
  async: true
  keep: {last: 3, best: 1}
  local: {size: 1Gi, every: {steps: 50}}
"""
)


def documented() -> set[str]:
    return set(re.findall(r"^\| `(TRAINSHED_[A-Z_<>]+)` \|", RUNS.read_text("utf-8"), re.MULTILINE))


def test_what_the_runtime_reads_is_what_is_written_down() -> None:
    read = {variable.name for variable in VARIABLES} - OF_KUBERNETES
    assert read == documented() - OF_THE_PROGRAM


def test_what_is_compiled_is_what_the_runtime_reads() -> None:
    job = render(ALL_OF_IT, "Job")
    env = variables(job["spec"]["template"])
    compiled = {name for name in env if name.startswith("TRAINSHED_")}
    assert compiled <= {variable.name for variable in VARIABLES}
    name = job["metadata"]["name"]
    place = Contract.read(env)
    lineage = (place.directory or "").rpartition("/")[2]
    assert place == Contract(
        directory=f"/checkpoints/vision/resnet/lab/{lineage}",
        every_seconds=900,
        keep_last=3,
        keep_best=1,
        save_seconds=90,
        in_background=True,
        local_dir="/local-checkpoints",
        local_every_steps=50,
        grace_seconds=300,
        hang_seconds=600,
        job="resnet",
        run=name,
        attempt=2,
        parameters="/etc/trainshed/parameters.yaml",
        output=place.output,
    )
    assert len(lineage) == 8
    assert str(place.output).endswith(lineage)


def test_steps_and_a_lineage_to_start_from_arrive_as_well() -> None:
    job = render(JOB + "checkpoint: {volume: checkpoints, every: {steps: 500}, resume: 0a1b2c3d}\n", "Job")
    contract = Contract.read(variables(job["spec"]["template"]))
    assert (contract.every_steps, contract.resume, contract.resume_from) == (500, "from", "0a1b2c3d")
    never = render(JOB + "checkpoint: {volume: checkpoints, resume: never}\n", "Job")
    assert Contract.read(variables(never["spec"]["template"])).resume == "never"


def test_every_variable_of_the_contract_is_set_by_some_manifest() -> None:
    firing = "schedule: {cron: '0 2 * * 0'}\n"
    sides = (
        (ALL_OF_IT, "Job"),
        (
            JOB
            + "checkpoint: {volume: checkpoints, every: {steps: 5}, resume: 0a1b2c3d, local: {size: 1Gi, every: 30s}}\n",
            "Job",
        ),
        (JOB + "nodes: 2\nenv: {TRAINSHED_NOTICE: /run/notice}\n", "Job"),
    )
    found = {name for job, kind in sides for name in variables(render(job, kind)["spec"]["template"])}
    scheduled = str(street.bodies(street.compile_files(files(JOB + firing)), ["job-vision-resnet"]))
    missing = {variable.name for variable in VARIABLES} - found - OF_THE_LAUNCHER
    assert {name for name in missing if name not in scheduled} == {"TRAINSHED_ROLE"}, (
        "a JobSet's: tests/kinds"
    )
