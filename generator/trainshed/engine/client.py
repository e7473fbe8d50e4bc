"""One engine process: started, greeted, asked and ended here, and nowhere else."""

import json
import subprocess
import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol

from trainshed.engine.errors import EngineError, EngineFaultError
from trainshed.engine.messages import LINE_LIMIT, PROTOCOL, Greeting, JsonObject

LAST_WORDS = 40
LAST_WORD_BYTES = 4096
PATIENCE_SECONDS = 5.0


class Caller(Protocol):
    """Whatever answers requests: one engine, or a pool of them."""

    def call_many(self, verb: str, bodies: Sequence[JsonObject]) -> list[JsonObject]:
        """The reply bodies, in the order of the request bodies."""
        ...


class Engine:
    """A context manager around one process; safe to share between threads, which then take turns.

    The process ends when the block does, and also when this process dies in whatever way, for then its
    standard input ends. Ctrl-C in the middle of a call kills it.
    """

    def __init__(self, program: Path | None = None) -> None:
        self._program = program or _shipped_program()
        self._turn = threading.Lock()
        self._calls = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._last_words: deque[bytes] = deque(maxlen=LAST_WORDS)
        self._listener: threading.Thread | None = None

    def __enter__(self) -> "Engine":
        self._process = start(self._program)
        self._listener = threading.Thread(target=self._listen, args=(self._process.stderr,), daemon=True)
        self._listener.start()
        try:
            self.greeting = greet(self)
        except BaseException:
            self.kill()
            self._release(self._process)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        if process is None:
            return
        close(process.stdin)
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        except BaseException:
            self.kill()
            raise
        finally:
            self._release(process)

    def call(self, verb: str, body: JsonObject) -> JsonObject:
        """The body of the engine's reply.

        Raises `EngineError` for a fault or a dead engine, `ValueError` for text that is not Unicode or
        numbers that are not JSON.
        """
        with self._turn:
            self._calls += 1
            line = encode({"id": self._calls, "verb": verb, "body": body})
            try:
                reply = json.loads(self._exchange(line))
            except json.JSONDecodeError as error:
                self.kill()
                raise EngineError(f"the engine's reply to {verb} is not JSON") from error
            except BaseException:
                self.kill()
                raise
            return unwrap(reply, self._calls, verb)

    def call_many(self, verb: str, bodies: Sequence[JsonObject]) -> list[JsonObject]:
        """The reply bodies, in the order of the request bodies."""
        return [self.call(verb, body) for body in bodies]

    def kill(self) -> None:
        """End the process at once; every later call raises `EngineError`."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _exchange(self, line: bytes) -> bytes:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise EngineError("the engine has not been started")
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise self._obituary(process) from error
        reply = process.stdout.readline(LINE_LIMIT + 1)
        if not reply.endswith(b"\n"):
            raise self._obituary(process)
        return reply

    def _obituary(self, process: "subprocess.Popen[bytes]") -> EngineError:
        process.kill()
        code = process.wait()
        if self._listener is not None:
            self._listener.join(PATIENCE_SECONDS)
        words = b"".join(self._last_words).decode("utf-8", "replace").strip()
        last_words = f":\n{words}" if words else ""
        return EngineError(f"the engine ended with exit status {code}{last_words}")

    def _listen(self, stderr: IO[bytes]) -> None:
        while words := stderr.readline(LAST_WORD_BYTES):
            self._last_words.append(words)

    def _release(self, process: "subprocess.Popen[bytes]") -> None:
        if self._listener is not None:
            self._listener.join(PATIENCE_SECONDS)
        for stream in (process.stdin, process.stdout, process.stderr):
            close(stream)
        self._process = None


def start(program: Path) -> "subprocess.Popen[bytes]":
    """The process, with an empty environment and out of reach of the terminal: its parent answers Ctrl-C."""
    try:
        return subprocess.Popen(
            [program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
            start_new_session=True,
        )
    except OSError as error:
        raise EngineError(f"the engine {program} cannot be started: {error.strerror}") from error


def _shipped_program() -> Path:
    """The engine that is installed. Asking Python for it takes a while, and most checks start none."""
    from trainshed_engine import program

    return program()


@contextmanager
def lent(engine: Caller | None) -> Generator[Caller]:
    """The engine that is given, or one of its own for the length of the block."""
    if engine is not None:
        yield engine
    else:
        with Engine() as own:
            yield own


def greet(engine: Engine) -> Greeting:
    """Who answers. Raises `EngineError` for an engine of another make."""
    said = engine.call("hello", {})
    if said.get("protocol") != PROTOCOL:
        raise EngineError(
            f"the engine speaks protocol {said.get('protocol')}, this program speaks {PROTOCOL};"
            " install trainshed and trainshed-engine of one release"
        )
    return Greeting.from_json(said)


def close(stream: IO[bytes] | None) -> None:
    """Close a pipe whose other end may be gone."""
    if stream is not None:
        with suppress(BrokenPipeError):
            stream.close()


def encode(request: JsonObject) -> bytes:
    """One line of the protocol."""
    text = json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    line = text.encode("utf-8") + b"\n"
    if len(line) > LINE_LIMIT:
        raise EngineError(f"a request to the engine is longer than {LINE_LIMIT} bytes; send it in parts")
    return line


def unwrap(reply: Any, number: int, verb: str) -> JsonObject:
    """The body of a reply to request `number`."""
    match reply:
        case {"id": answered, "fault": {"kind": str(kind), "message": str(message)}} if answered == number:
            raise EngineFaultError(verb, kind, message)
        case {"id": answered, "body": dict()} if answered == number:
            return reply["body"]
        case _:
            raise EngineError(f"the engine's reply to {verb} is out of step")
