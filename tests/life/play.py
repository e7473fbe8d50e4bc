"""Commits of a small repository, played on a simulated cluster: specs in, what happens in the cluster out.

The cluster is the engine's (`generator/engine/life`): Argo CD's own sync library against an API in memory, with the
operators and Kueue on the other side. It is played from its beginning each time that somebody looks.
"""

import atexit
import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from repositories import SMALL, Project, Result, write_project

from trainshed.engine.client import Engine
from trainshed.load import load_inputs
from trainshed.resolve.clusters import resolve_clusters
from trainshed.validate.schemas import schema_folders

JsonObject = dict[str, Any]

CLAIM = "PersistentVolumeClaim"
REPOSITORY = "https://git.example.com/ml/training.git"
ROOT = "rendered/lab/argocd/root"
JOB_FILE = "specs/jobs/vision/resnet.yaml"
TEAM_FILE = "specs/teams/vision.yaml"
CLUSTER_FILE = "specs/clusters/lab.yaml"


@cache
def engine() -> Engine:
    """One engine for all plays of this process, which learns kinds once; it ends with the process."""
    with ExitStack() as opened:
        made = opened.enter_context(Engine())
        atexit.register(opened.pop_all().close)
        return made


@dataclass(frozen=True)
class Event:
    """Something that happened to an object; `by` is who did it: `sync <app>`, `prune <app>`, `cascade <app>`, `hand`."""

    what: str
    kind: str
    name: str
    by: str
    why: str


@dataclass(frozen=True)
class App:
    """How an Application shows at rest."""

    name: str
    sync: str
    health: str
    told: JsonObject


@dataclass(frozen=True)
class Outcome:
    """What came of one step, once the world was at rest again."""

    events: tuple[Event, ...]
    apps: Mapping[str, App]
    rested: bool

    @classmethod
    def of(cls, told: JsonObject) -> "Outcome":
        events = (
            Event(one["what"], one["kind"], one["name"], one.get("by", ""), one.get("why", ""))
            for one in told["events"]
        )
        apps = {one["name"]: App(one["name"], one["sync"], one["health"], one) for one in told["apps"]}
        return cls(tuple(events), apps, told["rested"])

    def names(self, what: str, *kinds: str) -> list[str]:
        """The names of the objects of these kinds, or of all, to which that happened."""
        return [one.name for one in self.events if one.what == what and (not kinds or one.kind in kinds)]

    def by(self, what: str, name: str) -> str:
        """Who did that to the object of that name."""
        return next(one.by for one in self.events if (one.what, one.name) == (what, name))

    @property
    def unsynced(self) -> dict[str, JsonObject]:
        """The apps that are not in sync, by name, with what was told of them."""
        return {name: app.told for name, app in self.apps.items() if app.sync != "Synced"}


@dataclass
class Play:
    """A repository and its cluster. What makes something happen gives the number of its step, for `then`."""

    project: Project
    steps: list[JsonObject] = field(default_factory=list[JsonObject])
    settings: list[JsonObject] = field(default_factory=list[JsonObject])
    _played: int = 0
    _outcomes: tuple[Outcome, ...] = ()
    _objects: tuple[JsonObject, ...] = ()

    @classmethod
    def of(cls, folder: Path, files: Mapping[str, str] = SMALL) -> "Play":
        """A cluster on which everything that these specs ask for is merged, and the root applied by hand."""
        play = cls(write_project(folder, files))
        play.settings.append(play.setting())
        play.commit({})
        play.do("apply", folder=ROOT)
        return play

    def commit(self, files: Mapping[str, str | None], *command: str) -> int:
        """Edit specs (None takes a file away), render or run another command, merge."""
        self.project.write({name: text for name, text in files.items() if text is not None})
        for name in (name for name, text in files.items() if text is None):
            (self.project.path / name).unlink()
        said = self.trainshed(*(command or ("render",)))
        assert said.code == 0, said.out + said.err
        return self.merge()

    def trainshed(self, *arguments: str) -> Result:
        """Run the command line in the repository."""
        return self.project.act(*arguments)

    def merge(self) -> int:
        """Argo CD sees the repository as it is now."""
        return self.do("commit", files=self.project.read_tree("rendered"))

    def do(self, what: str, **more: Any) -> int:
        """Any step that the engine's verb `live` knows."""
        self.steps.append({"do": what, **more})
        return len(self.steps) - 1

    def then(self, step: int = -1) -> Outcome:
        """What came of a step, by default of the last."""
        self._look()
        return self._outcomes[step]

    @property
    def objects(self) -> tuple[JsonObject, ...]:
        """Everything that lives in the cluster after the last step."""
        self._look()
        return self._objects

    def starts(self) -> list[str]:
        """The names of the runs that began to train, each as often as it did."""
        self._look()
        return [name for outcome in self._outcomes for name in outcome.names("started")]

    def _look(self) -> None:
        if self._played == len(self.steps):
            return
        request = {"setting": self.settings[0], "repository": REPOSITORY, "steps": self.steps}
        told = engine().call("live", request)
        self._objects = tuple(told["objects"])
        self._outcomes = tuple(map(Outcome.of, told["steps"]))
        self._played = len(self.steps)

    def runs(self, job: str) -> list[str]:
        """The names of a job's runs that are rendered."""
        folder = self.project.path / f"rendered/lab/job-vision-{job}"
        found = (path.stem.partition("-")[2] for path in folder.glob(f"pytorchjob-{job}-*.yaml"))
        return sorted(found)

    def keeps_claims(self) -> bool:
        """Whether there are claims, and none was ever deleted."""
        self._look()
        deleted = [name for outcome in self._outcomes for name in outcome.names("deleted", CLAIM)]
        return not deleted and any(one["kind"] == CLAIM for one in self.objects)

    def find(self, kind: str, name: str) -> JsonObject | None:
        """An object of the cluster, as it was when somebody last looked."""
        found = (one for one in self.objects if (one["kind"], one["metadata"]["name"]) == (kind, name))
        return next(found, None)

    def listing(self, *kinds: str) -> str:
        """What `kubectl get … -o json` prints."""
        items = [one for one in self.objects if one["kind"] in kinds]
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})

    def setting(self) -> JsonObject:
        """Which judges the cluster has, by its spec as it is now."""
        inputs = load_inputs(self.project.path).value
        assert inputs is not None
        (cluster,) = resolve_clusters(inputs.clusters)[0].values()
        folders = schema_folders(cluster, self.project.path)
        return {
            "schemas": [str(folder.resolve()) for folder in folders],
            "kubernetes": cluster.kubernetes,
            "operators": sorted(cluster.operators),
            "around": [],
            "without": [],
        }
