"""`trainshed rehearse`."""

import asyncio
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from trainshed.cli.grouped import GroupedCommand
from trainshed.cli.judge import read_input
from trainshed.cli.options import repository_option
from trainshed.cli.orders import read_orders
from trainshed.engine.pool import EnginePool
from trainshed.model.diagnostic import has_errors
from trainshed.model.verdict import PodLine
from trainshed.rehearse.committed import find_rendered
from trainshed.rehearse.conduct import Orders, check_orders
from trainshed.rehearse.conduct import rehearse as conduct
from trainshed.rehearse.faults import EXAMPLES, Deed, FaultError
from trainshed.rehearse.machine import parse_scale
from trainshed.rehearse.missing import find_missing, say_gpus
from trainshed.rehearse.rooms.choose import KINDS
from trainshed.rehearse.rooms.room import RoomError
from trainshed.rehearse.scene import Scene, set_scene
from trainshed.report.outcome import print_findings
from trainshed.report.rehearsal import write_rehearsal
from trainshed.report.rehearsal.audience import Audience
from trainshed.report.terminal import open_progress

GROUPS: Mapping[str, Sequence[str]] = {
    "What is rehearsed": ("manifests", "name", "cluster", "root"),
    "On this machine": ("scale", "rooms", "python", "mounts", "claims", "secrets", "env", "command"),
    "Faults": ("kill", "reclaim", "hang", "fill", "slow", "random", "seed", "times", "until_done"),
    "How it is judged, and what is kept": ("timeout", "no_compare", "record", "picture", "keep"),
}


def _fault_option(deed: Deed, help_text: str) -> Callable[[Any], Any]:
    metavar = "CLAIM=RATE" if deed is Deed.SLOW else "CLAIM@WHEN" if deed is Deed.FILL else "POD@WHEN"
    return click.option(f"--{deed}", metavar=metavar, multiple=True, help=f"{help_text}: {EXAMPLES[deed]}")


@click.command(cls=GroupedCommand, groups=GROUPS)
@click.argument("job", required=False)
@click.option(
    "--manifest",
    "manifests",
    metavar="FILE",
    multiple=True,
    type=click.Path(exists=True, allow_dash=True),
    help="Manifests of any origin in place of JOB: a file, a folder, or - for standard input. Can be repeated.",
)
@click.option("--name", metavar="KIND/NAME", help="The workload, where the manifests hold several.")
@click.option("--cluster", metavar="NAME", help="The cluster that JOB is rendered for.")
@click.option(
    "--scale",
    metavar="NODESxPROCS|auto|off",
    default="auto",
    show_default=True,
    help="At most so many nodes, of so many processes each. auto is what fits this machine; what is cut is said.",
)
@click.option(
    "--rooms",
    type=click.Choice(KINDS),
    default=KINDS[0],
    show_default=True,
    help="isolated: Linux namespaces, with the pod's paths, names, addresses and users. plain: processes of yours.",
)
@click.option(
    "--python",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Programs of this folder come first, such as the bin folder of a virtual environment.",
)
@click.option(
    "--mount", "mounts", metavar="PATH=FOLDER", multiple=True, help="Put a folder at a path of the image."
)
@click.option(
    "--claim", "claims", metavar="NAME=FOLDER", multiple=True, help="What a claim holds from the beginning."
)
@click.option(
    "--secret", "secrets", metavar="NAME/KEY=VALUE", multiple=True, help="The value of a Secret's key."
)
@click.option("--env", metavar="NAME=VALUE", multiple=True, help="A variable that the image would set.")
@click.option("--command", metavar="WORDS", help="What the image starts, for containers that do not say.")
@_fault_option(Deed.KILL, "SIGKILL to every process of a pod at a step, or after a time")
@_fault_option(Deed.RECLAIM, "Take a pod's node away, after its notice, and for a while")
@_fault_option(Deed.HANG, "Stop a pod where it is, without an end")
@_fault_option(Deed.FILL, "Leave no byte free in a claim")
@_fault_option(Deed.SLOW, "Let a claim take so much in a second")
@click.option(
    "--random", metavar="N", type=click.IntRange(0), default=0, help="N kills and reclaims of any pods."
)
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="The same N, the same faults."
)
@click.option(
    "--times",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Repeat each fault: at step 20, 40, 60.",
)
@click.option("--until-done", is_flag=True, help="Repeat each fault until the run is over.")
@click.option(
    "--timeout", metavar="TIME", default="15m", show_default=True, help="End everything after this long."
)
@click.option(
    "--no-compare", is_flag=True, help="Do not rehearse without faults first, to compare the end states."
)
@click.option(
    "--json",
    "record",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the record.",
)
@click.option(
    "--html",
    "picture",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the picture.",
)
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep claims and logs there.  [default: they go]",
)
@repository_option
def rehearse(job: str | None, root: Path, **asked: Any) -> int:
    """Run a rendered job as processes on this machine: what the merge would start, before the merge.

    Its operator's own code makes the pods; each runs with the command and the variables that it has on the cluster, its
    claims are folders, and what ends is restarted as the operator and the kubelet would. Faults come when you say. The
    verdict says what each cost, and whether the end state is that of a run without them.

    Exit code 0 means that the run ended well, lost no more than its checkpoint interval, and left the same.

    \b
    trainshed rehearse item-knn                                     does it run at all
    trainshed rehearse resnet50 --kill worker-1@step=20             and after a crash
    trainshed rehearse resnet50 --random 5 --html rehearsal.html    with a picture
    trainshed rehearse --manifest job.yaml --python .venv/bin       a manifest of any origin
    """  # noqa: D301 - click's mark of lines that stay as they are
    orders = read_orders(asked)
    if asked["keep"] and asked["keep"].exists() and any(asked["keep"].iterdir()):
        raise click.UsageError(f"--keep: {asked['keep']} holds something already")
    paths, cluster = _find_manifests(root, job, asked)
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        progress.show("making the pods")
        nodes, procs = parse_scale(asked["scale"])
        outcome = set_scene(root, paths, cluster, asked["name"], nodes, procs, read_input, engine)
    code = print_findings(outcome.findings, root, "text", err=True)
    if outcome.value is None or has_errors(outcome.findings):
        return code or 1
    scene = _with_command(outcome.value, asked["command"])
    setting = replace(
        orders.setting,
        pods=scene.pods,
        config_maps=scene.config_maps,
        secrets=scene.secrets,
        services=scene.services,
    )
    missing = find_missing(scene, setting)
    if missing:
        return print_findings(missing, root, "text", err=True)
    return _perform(scene, replace(orders, setting=setting), cluster or "", asked)


def _perform(scene: Scene, orders: Orders, cluster: str, asked: Mapping[str, Any]) -> int:
    name = scene.workload["metadata"]["name"]
    audience = Audience(sys.stderr, os.environ, name, [PodLine(pod.name, pod.role) for pod in scene.pods])
    try:
        check_orders(orders, scene)
        audience.say([*scene.notes, *say_gpus(scene)])
        with ExitStack() as stack:
            folder = asked["keep"] or Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix="trainshed-"))
            )
            rehearsal = asyncio.run(conduct(scene, orders, folder, cluster, audience.watch))
    except (FaultError, RoomError) as wrong:
        raise click.UsageError(str(wrong)) from None
    audience.say(rehearsal.notes)
    write_rehearsal(rehearsal, asked["record"], asked["picture"])
    return 0 if rehearsal.verdict.is_well else 1


def _find_manifests(root: Path, job: str | None, asked: Mapping[str, Any]) -> tuple[list[str], str | None]:
    """The paths to read, and the cluster that they are for, if they are for one."""
    if (job is None) == (not asked["manifests"]):
        raise click.UsageError("name a JOB, or --manifest FILE, and not both")
    if job is None:
        return list(asked["manifests"]), asked["cluster"]
    folder, cluster = find_rendered(root, job, asked["cluster"])
    return [str(folder)], cluster


def _with_command(scene: Scene, command: str | None) -> Scene:
    """The scene with what images would start put where a container does not say."""
    if command is None:
        return scene
    words = shlex.split(command)
    for pod in scene.pods:
        for container in pod.body["spec"]["containers"]:
            container.setdefault("command", words)
    return scene
