"""The order of a rehearsal: rooms, the undisturbed play to compare with, the play with its faults, the verdict."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from trainshed.model.rehearsal import Event, Happening
from trainshed.model.verdict import PodLine, Rehearsal, Verdict
from trainshed.rehearse.claims import ClaimFolders, all_claims
from trainshed.rehearse.controllers import control
from trainshed.rehearse.controllers.owned import build_tree
from trainshed.rehearse.end_state import digest_claims
from trainshed.rehearse.faults import Deed, Fault, Schedule, check_name, check_targets, draw_faults
from trainshed.rehearse.kubelet import Kubelet
from trainshed.rehearse.kubelet.setting import Setting
from trainshed.rehearse.last_words import read_last_words
from trainshed.rehearse.mask import Mask
from trainshed.rehearse.play import Play
from trainshed.rehearse.rooms.choose import choose
from trainshed.rehearse.scene import Scene
from trainshed.rehearse.slowness import SlowClaim
from trainshed.rehearse.verdict import compare_plays, interval_of, judge_play

Watch = Callable[[str], AbstractContextManager[Callable[[Event], None]]]
"""Who hears the events of a play with that title, while it is open."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What the person asked for. `random` faults are drawn with `seed`; `times` is None for until it is done.

    `contents` are folders that claims hold copies of from the beginning.
    """

    faults: tuple[Fault, ...] = ()
    random: int = 0
    seed: int = 0
    times: int | None = 1
    limit_seconds: float = 900.0
    rooms: str = "auto"
    compares: bool = True
    contents: Mapping[str, Path] = field(default_factory=dict[str, Path])
    setting: Setting = field(default_factory=Setting)

    @property
    def has_faults(self) -> bool:
        """Whether anything is to happen."""
        return bool(self.faults) or self.random > 0


@dataclass(frozen=True, slots=True)
class Played:
    """One play: the verdict on it alone, its events, what it left in its claims, and who knows why it failed: a pod."""

    verdict: Verdict
    events: tuple[Event, ...]
    left: Mapping[str, str]
    witness: str


def check_orders(orders: Orders, scene: Scene) -> None:
    """Raises FaultError for a fault, or the content of a claim, whose pod or claim the scene does not have."""
    claims = all_claims(scene.pods)
    check_targets(orders.faults, [pod.name for pod in scene.pods], claims)
    for claim in orders.contents:
        check_name("--claim", "claim", claim, claims)


async def rehearse(scene: Scene, orders: Orders, folder: Path, cluster: str, watch: Watch) -> Rehearsal:
    """Play, and judge. All files are below `folder`. `watch` is told of each play, and gives who hears its events.

    Raises RoomError where rooms of that kind cannot be had.
    """
    undisturbed: Played | None = None
    if orders.has_faults and orders.compares:
        calm = replace(orders, faults=(), random=0)
        undisturbed = await _play(scene, calm, folder / "undisturbed", watch("undisturbed, to compare with"))
    drawn = _draw(scene, orders, undisturbed)
    told = replace(orders, faults=(*orders.faults, *drawn))
    played = await _play(scene, told, folder / "rehearsal", watch("with faults" if told.faults else ""))
    verdict = played.verdict
    if undisturbed is not None:
        verdict = compare_plays(verdict, undisturbed.verdict, undisturbed.left, played.left)
    metadata = scene.workload["metadata"]
    return Rehearsal(
        kind=scene.kind,
        namespace=scene.namespace,
        name=metadata["name"],
        cluster=cluster,
        pods=tuple(PodLine(pod.name, pod.role) for pod in scene.pods),
        notes=_notes(scene, played.events),
        events=played.events,
        verdict=verdict,
        last_words=_last_words(played, folder / "rehearsal", orders),
    )


def _last_words(played: Played, folder: Path, orders: Orders) -> tuple[str, ...]:
    if played.verdict.succeeded:
        return ()
    return read_last_words(played.events, folder, Mask.of(orders.setting), played.witness)


def _draw(scene: Scene, orders: Orders, undisturbed: Played | None) -> tuple[Fault, ...]:
    """Over the steps of the undisturbed play; without one over the first `UNKNOWN_STEPS`."""
    steps = undisturbed.verdict.steps if undisturbed else UNKNOWN_STEPS
    seconds = undisturbed.verdict.seconds if undisturbed else 0.0
    return draw_faults(orders.random, orders.seed, [pod.name for pod in scene.pods], steps, seconds)


UNKNOWN_STEPS = 50


async def _play(
    scene: Scene, orders: Orders, folder: Path, audience: AbstractContextManager[Callable[[Event], None]]
) -> Played:
    began = monotonic()
    events: list[Event] = []
    mask = Mask.of(orders.setting)

    rooms, words = await choose(orders.rooms, folder)
    stack = ExitStack()
    hear = stack.enter_context(audience)

    def tell(event: Event) -> None:
        covered = mask.cover(event)
        events.append(covered)
        hear(covered)

    try:
        tell(Event(0.0, Happening.NOTE, text=words))
        claims = ClaimFolders(rooms, all_claims(scene.pods))
        for fault in orders.faults:
            if fault.deed is Deed.FILL:
                await claims.limit(fault.target)
        for claim, content in orders.contents.items():
            claims.copy_into(claim, content)
        play = Play(
            control(build_tree(scene.workload, scene.made, scene.pods)),
            Schedule(orders.faults, orders.times, alone=_pods_alone(scene)),
            tell=tell,
            clock=lambda: monotonic() - began,
            slow=[
                SlowClaim(fault.target, fault.bytes_per_second)
                for fault in orders.faults
                if fault.deed is Deed.SLOW
            ],
        )
        kubelet = Kubelet(rooms, play.hear, orders.setting, began=began)
        ending = await play.run(kubelet, claims, orders.limit_seconds)
        left = digest_claims(claims.seen())
    finally:
        stack.close()
        await rooms.close()
    events.sort(key=lambda event: event.at)
    interval = interval_of(scene.pods, orders.setting.environment)
    witness = ending.finish.pod if ending.finish else ""
    return Played(judge_play(events, ending, interval), tuple(events), left, witness)


def _pods_alone(scene: Scene) -> frozenset[str]:
    """Pods of a Job that have no names in the network: each trains by itself, as the points of a sweep do."""
    is_job = scene.kind in ("batch/Job", "batch/CronJob")
    return frozenset(pod.name for pod in scene.pods if is_job and "subdomain" not in pod.body["spec"])


def _notes(scene: Scene, events: tuple[Event, ...]) -> tuple[str, ...]:
    """What differs from the cluster, each once: what the scene says, and what came to light while it was played."""
    said = [
        event.text for event in events if event.happening is Happening.NOTE and "event" not in event.detail
    ]
    return tuple(dict.fromkeys((*scene.notes, *said)))
