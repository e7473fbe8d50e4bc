"""The line to a node: orders go out, answers and the ends of processes come in. The only place that starts one."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from trainshed.rehearse.rooms.room import NEVER_RAN, RoomError

PROGRAM = Path(__file__).parent / "node" / "__main__.py"
LINE_BYTES = 1 << 24
PATIENCE_SECONDS = 10.0


class Link:
    """A node that is running; `node` is its process, through whose eyes this machine can see what is in its rooms."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.node = 0
        self._process = process
        self._answers: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._ends: dict[int, asyncio.Future[int]] = {}
        self._asked = 0
        self._last_words = "the rooms have ended"
        self._greeted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._listener = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, kind: str, folder: Path) -> "Link":
        """Start a node for `isolated` or `plain` rooms; raises `RoomError` where this machine refuses them."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            str(PROGRAM),
            kind,
            str(folder),
            stdin=PIPE,
            stdout=PIPE,
            start_new_session=True,  # Ctrl-C is for us; we tell it to end
            limit=LINE_BYTES,
        )
        link = cls(process)
        try:
            await asyncio.wait_for(link._greeted, PATIENCE_SECONDS)
        except (TimeoutError, RoomError) as error:
            await link.close()
            raise RoomError(getattr(error, "words", "the rooms do not answer")) from None
        return link

    async def ask(self, do: str, **order: Any) -> int:
        """Give an order and wait until it is carried out; raises `RoomError`. The number of a process, or 0."""
        self._asked += 1
        answer: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        if self._listener.done() or self._process.stdin is None:
            raise RoomError(self._last_words)
        self._answers[self._asked] = answer
        self._process.stdin.write(json.dumps({"id": self._asked, "do": do} | order).encode() + b"\n")
        with suppress(ConnectionError):  # then the listener hears of the end
            await self._process.stdin.drain()
        reply = await answer
        if "refused" in reply:
            raise RoomError(reply["refused"], reply.get("exit_code", NEVER_RAN))
        return reply["process"]

    async def end_of(self, process: int) -> int:
        """The exit code of a process that was started here."""
        return await asyncio.shield(self._ends[process])

    def has_ended(self, process: int) -> bool:
        """Whether a process that was started here is over."""
        return self._ends[process].done()

    async def close(self) -> None:
        """End the node and all that it started."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), PATIENCE_SECONDS)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._listener

    async def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 (it was asked for)
        while line := await self._process.stdout.readline():
            self._hear(json.loads(line))
        error = RoomError(self._last_words)
        for future in (self._greeted, *self._answers.values(), *self._ends.values()):
            if not future.done():
                future.set_exception(error)
                future.exception()  # nobody may be waiting

    def _hear(self, message: Mapping[str, Any]) -> None:
        if "id" in message:
            answer = self._answers.pop(message["id"])
            if message.get("process"):
                self._ends[message["process"]] = asyncio.get_running_loop().create_future()
            if not answer.done():
                answer.set_result(message)
        elif "ended" in message:
            end = self._ends.get(message["ended"])
            if end is not None and not end.done():
                end.set_result(message["exit_code"])
        elif "refused" in message:
            self._last_words = message["refused"]
        else:
            self.node = message["node"]
            if not self._greeted.done():
                self._greeted.set_result(None)


class LinkedProcess:
    """A process that a node has started."""

    def __init__(self, link: Link, number: int, notes: tuple[str, ...] = ()) -> None:
        self._link = link
        self.number = number
        self.notes = notes

    async def wait(self) -> int:
        """Its exit code, 128+n if signal n ended it."""
        return await self._link.end_of(self.number)

    async def signal(self, signal: int, *, everyone: bool = False) -> None:
        """Send a signal to it alone, or to every process of its container."""
        if not self._link.has_ended(self.number):  # the number may be another's by now
            await self._link.ask("signal", process=self.number, signal=int(signal), everyone=everyone)
