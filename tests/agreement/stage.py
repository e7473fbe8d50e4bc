"""A cluster on which runs are played one after the other, and what was seen of each."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from props import fire, volume_for
from server import NO_KIND, Server

JsonObject = dict[str, Any]

QUIET = 5.0
"""Seconds without news after which a run is as far as it comes."""

PATIENCE = 60.0
"""Seconds after which a run is as far as it will be waited for."""

KUBERNETES = "default-scheduler"
"""The one scheduler of the kit."""

PAUSES = (0, 1, 2, 3)
"""Seconds before each try to create what depends on others."""

WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/workloads"


@dataclass
class Take:
    """One run: its objects; its pods and Workloads by uid, each as it was last seen; its warnings by reason."""

    name: str
    objects: list[JsonObject]
    pods: dict[str, JsonObject] = field(default_factory=dict)
    workloads: dict[str, JsonObject] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether there are pods, a node for each that Kubernetes places, and leave for every Workload."""
        specs = [pod["spec"] for pod in self.pods.values()]
        placed = [spec.get("nodeName") or spec["schedulerName"] != KUBERNETES for spec in specs]
        return bool(placed) and all(placed) and all(map(is_admitted, self.workloads.values()))


@dataclass
class Stage:
    server: Server
    applied: int = 0
    refused: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def apply(self, objects: Iterable[JsonObject]) -> None:
        """Creates objects, namespaces first; what is refused is tried again when the others are there."""
        left = [(body, "") for body in sorted(objects, key=lambda body: body["kind"] != "Namespace")]
        for pause in PAUSES:
            time.sleep(pause)
            said = [(body, self._create(body)) for body, _ in left]
            left = [(body, words) for body, words in said if words]
            self.applied += len(said) - len(left)
            if not left:
                return
        for body, words in left:
            told = self.unknown if words.startswith(NO_KIND) else self.refused
            told.append(f"{body['kind']} {body['metadata']['name']}: {words}")

    def play(self, name: str, objects: list[JsonObject]) -> Take:
        """Applies a run, looks on until nothing more happens, and takes it away."""
        take = Take(name, objects)
        self.apply(objects)
        self.apply(fired := list(map(fire, (body for body in objects if body["kind"] == "CronJob"))))
        self.applied -= len(fired)
        end = time.monotonic() + PATIENCE
        seen, since = "", time.monotonic()
        while time.monotonic() < end and (not take.is_whole or time.monotonic() < since + QUIET):
            self._look(take)
            if seen != (seen := _outline(take)):
                since = time.monotonic()
            time.sleep(0.3)
        for event in self.server.read("/api/v1/events?limit=2000").get("items", []):
            if event["type"] == "Warning" and event["metadata"]["namespace"] in _namespaces(objects):
                take.warnings[f"{event['involvedObject']['kind']} {event['reason']}"] = event["message"]
        self._clear([*fired, *objects], _namespaces(objects))
        return take

    def _create(self, body: JsonObject) -> str:
        namespace = body["metadata"].get("namespace")
        if namespace and self.server.read(f"/api/v1/namespaces/{namespace}")["kind"] != "Namespace":
            space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            self.server.refuses(space, dry_run=False)
        return self.server.refuses(body, dry_run=False)

    def _look(self, take: Take) -> None:
        for namespace in _namespaces(take.objects):
            self._bind_claims(namespace)
            for pod in self.server.read(f"/api/v1/namespaces/{namespace}/pods")["items"]:
                take.pods[pod["metadata"]["uid"]] = pod
        for workload in self.server.read(WORKLOADS).get("items", []):
            take.workloads[workload["metadata"]["uid"]] = workload

    def _bind_claims(self, namespace: str) -> None:
        """Does what storage drivers would: a volume for each claim that has none."""
        for claim in self.server.read(f"/api/v1/namespaces/{namespace}/persistentvolumeclaims")["items"]:
            if not claim["spec"].get("volumeName"):
                self.server.refuses(volume_for(claim), dry_run=False)

    def _clear(self, objects: list[JsonObject], namespaces: set[str]) -> None:
        for body in objects:
            self.server.delete(body)
        end = time.monotonic() + PATIENCE
        pods = [f"/api/v1/namespaces/{namespace}/pods" for namespace in namespaces]
        while time.monotonic() < end and any(
            self.server.read(path).get("items") for path in (*pods, WORKLOADS)
        ):
            time.sleep(0.3)
        for namespace in namespaces:
            self.server.delete_all(f"/api/v1/namespaces/{namespace}/events")


def is_admitted(workload: JsonObject) -> bool:
    """Whether Kueue has let it go, be it finished since."""
    conditions: Iterator[JsonObject] = iter(workload.get("status", {}).get("conditions", []))
    return any(one["type"] == "Admitted" and one["status"] == "True" for one in conditions)


def _namespaces(objects: list[JsonObject]) -> set[str]:
    return {body["metadata"]["namespace"] for body in objects if body["metadata"].get("namespace")}


def _outline(take: Take) -> str:
    pods = [(uid, pod["status"].get("phase")) for uid, pod in take.pods.items()]
    return f"{pods} {[(uid, is_admitted(one)) for uid, one in take.workloads.items()]}"
