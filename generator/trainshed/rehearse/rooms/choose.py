"""Which rooms this machine can have: tried out, not guessed."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trainshed.rehearse.rooms.isolated import IsolatedRooms
from trainshed.rehearse.rooms.pipe import NamedPipe
from trainshed.rehearse.rooms.plain import DIFFERENCES, PlainRooms
from trainshed.rehearse.rooms.room import ProcessToStart, RoomError, Rooms, RoomToOpen

KINDS = ("auto", "isolated", "plain")
SAMENESS = (
    "isolated rooms: a pod's own paths, names, addresses and users; no network outside, and what is not a volume, "
    "/tmp or /run is read-only"
)
RESTRICTIONS = (
    ("kernel.apparmor_restrict_unprivileged_userns", "1"),  # Ubuntu since 23.10
    ("kernel.unprivileged_userns_clone", "0"),  # Debian before 11
    ("user.max_user_namespaces", "0"),
)
TRIAL = RoomToOpen("trial", "trial", "10.244.255.254")


async def choose(kind: str, folder: Path) -> tuple[Rooms, str]:
    """Rooms of a kind (`KINDS`) that write below `folder`, and the words of which they are and why.

    `auto` takes isolated rooms where a trial of them succeeds. Raises `RoomError` where `isolated` was asked for
    and this machine refuses it.
    """
    folder = folder.resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # values of secrets lie there
    if kind == "plain":
        return await PlainRooms.start(folder), DIFFERENCES
    try:
        return await _try_isolated(folder), SAMENESS
    except RoomError as error:
        words = f"this machine has no isolated rooms ({', '.join((error.words, *_restrictions()))})"
        if kind == "isolated":
            raise RoomError(f"{words}; --rooms plain rehearses without them") from None
        return await PlainRooms.start(folder), f"{words}, so {DIFFERENCES}"


def _restrictions() -> Iterator[str]:
    """The settings of this system that keep people from namespaces."""
    for name, refusing in RESTRICTIONS:
        setting = Path("/proc/sys") / name.replace(".", "/")
        with suppress(OSError):
            if setting.read_text("ascii").strip() == refusing:
                yield f"sysctl {name} is {refusing}"


async def _try_isolated(folder: Path) -> Rooms:
    if sys.platform != "linux":
        raise RoomError(f"they need Linux, and this is {sys.platform}")
    rooms = await IsolatedRooms.start(folder)
    try:
        room = await rooms.open(TRIAL)
        with NamedPipe(folder / ".trial") as pipe:
            process = await room.start(ProcessToStart((sys.executable, "-c", ""), {}, str(pipe.path)))
            await process.wait()
        await room.close()
    except RoomError:
        await rooms.close()
        raise
    return rooms
