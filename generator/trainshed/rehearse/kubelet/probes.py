"""Startup, readiness and liveness probes: a command in the container, or a connection from inside of its pod.

Source: https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/. Readiness decides
what controllers wait for; there is no traffic here.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil

from trainshed.model.manifest import JsonObject

HTTP = (
    "import sys, urllib.request as r; "
    "q = r.Request(sys.argv[1], headers=dict(h.split(': ', 1) for h in sys.argv[2:])); "
    "sys.exit(not 200 <= r.build_opener(r.ProxyHandler({})).open(q).status < 400)"
)
LEAST_PERIOD_SECONDS = 0.2
TCP = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2]))).close()"

Run = Callable[[Sequence[str], float], Awaitable[int]]
"""Runs a command in the container for so many seconds at most, and gives its exit code, or 124."""


class Verdict(StrEnum):
    """What a series of probes came to."""

    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe with the API's defaults filled in; `command` is what is run."""

    command: tuple[str, ...]
    delay: float
    period: float
    timeout: float
    failures: int
    successes: int = 1

    def hasten(self, times: float) -> "Probe":
        """The same probe so many times as often, which gives up no sooner."""
        period = max(self.period / times, LEAST_PERIOD_SECONDS)
        failures = ceil((self.delay + self.period * self.failures) / period)
        return replace(self, delay=self.delay / times, period=period, failures=failures)

    async def watch(self, run: Run, *, until: Verdict) -> Verdict:
        """Probe until it passes or has failed, or, for a liveness probe, only until it has failed."""
        await asyncio.sleep(self.delay)
        passed = failed = 0
        while True:
            if await run(self.command, self.timeout) == 0:
                passed, failed = passed + 1, 0
                if until is Verdict.PASSED and passed >= self.successes:
                    return Verdict.PASSED
            else:
                passed, failed = 0, failed + 1
                if failed >= self.failures:
                    return Verdict.FAILED
            await asyncio.sleep(self.period)


def read_probe(
    probe: JsonObject | None, container: JsonObject, address: str, python: str, note: Callable[[str], None]
) -> Probe | None:
    """The probe that a container asks for; one that rehearse cannot run is noted, and counts as passed."""
    if not probe:
        return None
    command = command_of(probe, container, address, python)
    if command is None:
        note("a probe by gRPC, HTTPS or an unknown port counts as passed")
        return None
    return Probe(
        command,
        float(probe.get("initialDelaySeconds") or 0),
        float(probe.get("periodSeconds") or 10),
        float(probe.get("timeoutSeconds") or 1),
        int(probe.get("failureThreshold") or 3),
        int(probe.get("successThreshold") or 1),
    )


def command_of(
    action: JsonObject, container: JsonObject, address: str, python: str
) -> tuple[str, ...] | None:
    """What a probe or a hook does, as a command in its container; None for what rehearse cannot do."""
    if command := (action.get("exec") or {}).get("command"):
        return tuple(map(str, command))
    kind = next((kind for kind in ("httpGet", "tcpSocket") if kind in action), None)
    asked = action.get(kind or "") or {}
    port = port_of(asked.get("port"), container)
    if kind is None or port is None or str(asked.get("scheme") or "HTTP").upper() != "HTTP":
        return None
    host = str(asked.get("host") or address)
    if kind == "tcpSocket":
        return (python, "-I", "-c", TCP, host, str(port))
    url = f"http://{host}:{port}/{str(asked.get('path') or '/').lstrip('/')}"
    headers = [
        f"{header.get('name')}: {header.get('value', '')}" for header in asked.get("httpHeaders") or ()
    ]
    return (python, "-I", "-c", HTTP, url, *headers)


def port_of(port: object, container: JsonObject) -> int | None:
    """A port's number, which may be said by the name that the container gives it."""
    for known in container.get("ports") or ():
        if known.get("name") == port:
            port = known.get("containerPort")
    try:
        return int(str(port))
    except ValueError:
        return None
