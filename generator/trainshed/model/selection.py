"""`--only`: some apps in place of all. An app is always rendered for all its clusters, for they share its base."""

from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from trainshed.model.naming import CLUSTER_APPS, operator_app, team_app
from trainshed.model.suggest import did_you_mean

if TYPE_CHECKING:
    from trainshed.model.plan import Plan, Target

Selects: TypeAlias = Callable[[PurePosixPath], bool]


class SelectionError(ValueError):
    """A selection that means nothing. `advice` says what would."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(f"{message}; {advice}" if advice else message)


class Selection(Struct, frozen=True):
    """Jobs (`name` or `team/name`), teams and clusters; several of one sort add up, several sorts narrow down."""

    jobs: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    clusters: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, words: Iterable[str]) -> "Selection":
        """From `job=NAME`, `team=NAME` and `cluster=NAME`.

        Raises:
            SelectionError: a word has another form.

        """
        sorts: dict[str, set[str]] = {"job": set(), "team": set(), "cluster": set()}
        for word in words:
            sort, equals, name = word.partition("=")
            if not equals or not name or sort not in sorts:
                raise SelectionError(f'"{word}" selects nothing', "write job=NAME, team=NAME or cluster=NAME")
            sorts[sort].add(name)
        return cls(frozenset(sorts["job"]), frozenset(sorts["team"]), frozenset(sorts["cluster"]))

    @property
    def is_all(self) -> bool:
        """Whether everything is selected."""
        return not (self.jobs or self.teams or self.clusters)

    def choose(self, plan: "Plan") -> "Plan":
        """The plan with the targets of the selected jobs only; clusters and teams stay, for others lean on them.

        Raises:
            SelectionError: a name is unknown.

        """
        self._check_names(plan)
        apps = {target.app for target in plan.targets if self._wants(target)}
        return replace(plan, targets=tuple(target for target in plan.targets if target.app in apps))

    def select_paths(self, plan: "Plan") -> Selects:
        """Whether a generated file belongs to what is selected; `plan` is the whole plan."""
        if self.is_all:
            return lambda _: True
        apps = {target.app for target in plan.targets if self._wants(target)}
        projects: set[str] = set()
        folders: set[PurePosixPath] = set()
        if not self.jobs:
            for team in plan.teams:
                if self._wants_team(team.name, team.cluster.name):
                    apps.add(team_app(team.name))
                    projects.add(team.name)
            if not self.teams:
                apps |= {*CLUSTER_APPS} | {
                    operator_app(name) for c in self.clusters for name in plan.clusters[c].operators
                }
                folders = {PurePosixPath("rendered", cluster, "argocd") for cluster in self.clusters}
        return lambda path: _belongs(path, apps, projects) or not folders.isdisjoint(path.parents)

    def _wants(self, target: "Target") -> bool:
        return (
            not self.jobs or not self.jobs.isdisjoint({target.job, f"{target.team.name}/{target.job}"})
        ) and (self._wants_team(target.team.name, target.cluster.name))

    def _wants_team(self, team: str, cluster: str) -> bool:
        return (not self.teams or team in self.teams) and (not self.clusters or cluster in self.clusters)

    def _check_names(self, plan: "Plan") -> None:
        jobs = {target.job for target in plan.targets} | {f"{t.team.name}/{t.job}" for t in plan.targets}
        known = {"job": jobs, "team": {team.name for team in plan.teams}, "cluster": set(plan.clusters)}
        for sort, names in (("job", self.jobs), ("team", self.teams), ("cluster", self.clusters)):
            for name in sorted(names - known[sort]):
                raise SelectionError(f'there is no {sort} "{name}"', did_you_mean(name, known[sort]))


def _belongs(path: PurePosixPath, apps: set[str], projects: set[str]) -> bool:
    """`overlays/<app>/…`, `rendered/<cluster>/<app>/…`, and the app's own Application or project."""
    parts = path.parts
    if parts[0] == "overlays":
        return len(parts) > 1 and parts[1] in apps
    if len(parts) < 4 or parts[2] != "argocd":
        return len(parts) > 2 and parts[2] in apps
    cluster = parts[1]
    named = {f"application-{cluster}-{app}.yaml" for app in apps} | {
        f"appproject-{cluster}-{p}.yaml" for p in projects
    }
    return parts[-1] in named
