"""What the conductor asks of the machine: pods that run as processes, and claims that are folders."""

from collections.abc import Sequence
from typing import Protocol

from trainshed.model.rehearsal import PodEnd, PodToRun


class Kubelet(Protocol):
    """Runs pods, and does to them what happens to pods. Says what happened through the `tell` that it was made with."""

    async def run(self, pod: PodToRun) -> PodEnd:
        """From the first init container to the last container's end; restarts as `restartPolicy` says."""
        ...

    async def ask(self, pod: str, command: Sequence[str]) -> int:
        """Run a command beside its first main container; with what code it left, not 0 where the pod is not there."""
        ...

    def kill(self, pod: str) -> None:
        """SIGKILL to every process of its main containers; the kubelet restarts by policy."""
        ...

    async def delete(self, pod: str, *, grace: float | None = None, disrupted: bool = False) -> None:
        """SIGTERM, then SIGKILL once `grace` is over, None for the pod's own; over once the pod is."""
        ...

    def lose(self, pod: str) -> None:
        """Its node is gone, at once."""
        ...

    def freeze(self, pod: str) -> None:
        """Its processes stop where they are."""
        ...

    def thaw(self, pod: str) -> None:
        """And go on."""
        ...


class Claims(Protocol):
    """The folders of claims, by the names of the claims."""

    async def fill(self, claim: str) -> None:
        """Leave no byte free."""
        ...

    def num_bytes(self, claim: str) -> int:
        """What lies in it now."""
        ...
