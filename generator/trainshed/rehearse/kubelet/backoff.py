"""How long a kubelet waits before it restarts a container.

At once after the first crash, then 10 seconds, doubling to five minutes; ten minutes without a crash begin anew
(https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy). All of it `hurry` times shorter.
"""

FIRST_SECONDS = 10.0
LONGEST_SECONDS = 300.0
FORGOTTEN_AFTER_SECONDS = 600.0


class Backoff:
    """The waiting times of one container."""

    def __init__(self, hurry: float) -> None:
        self._hurry = hurry
        self._next = 0.0

    def next_pause(self, ran_seconds: float) -> float:
        """How long to wait after a run of this length."""
        if ran_seconds * self._hurry >= FORGOTTEN_AFTER_SECONDS:
            self._next = 0.0
        pause = self._next
        self._next = min(max(pause * 2, FIRST_SECONDS), LONGEST_SECONDS)
        return pause / self._hurry
