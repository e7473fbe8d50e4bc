"""The layers of defaults that a job stands on, and their merging into a draft for each cluster."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.inputs import Inputs, SpecFile
from trainshed.model.spec import ClusterSpec, PresetSpec, TeamSpec, TrainingJobSpec
from trainshed.model.spec.job import JobPart
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import TeamOnCluster
from trainshed.resolve.draft import Draft
from trainshed.resolve.merge import Layer, merge_layers

OWN_WORDS = "the job"
_PART_FIELDS = frozenset(field.alias or name for name, field in JobPart.model_fields.items())


def draft_job(
    file: SpecFile[TrainingJobSpec],
    shelf: "Shelf",
    clusters: Mapping[str, Cluster],
    teams: Mapping[tuple[str, str], TeamOnCluster],
) -> tuple[list[Draft], list[Diagnostic]]:
    """A draft of the job for every cluster it runs on, and what is wrong with the names in between."""
    team = shelf.teams.get(file.spec.team)
    if team is None:
        return [], [_unknown_team(file, shelf.teams)]
    drafts: list[Draft] = []
    findings: list[Diagnostic] = []
    presets = list(_find_presets(file, shelf.presets, findings))
    for name in _find_clusters(file, team, clusters, findings):
        on_cluster = teams.get((team.spec.name, name))
        if on_cluster is None:
            findings.append(_team_not_there(file, team, name))
            continue
        drafts.append(_draft(file, shelf.clusters[name], team, presets, on_cluster, shelf.code))
    return drafts, findings


@dataclass(frozen=True, slots=True)
class Shelf:
    """What jobs take from other files: specs by name, and code by path."""

    clusters: Mapping[str, SpecFile[ClusterSpec]]
    teams: Mapping[str, SpecFile[TeamSpec]]
    presets: Mapping[str, SpecFile[PresetSpec]]
    code: Mapping[PurePosixPath, bytes]

    @classmethod
    def of(cls, inputs: Inputs) -> "Shelf":
        """Of two files that take one name, the last."""
        return cls(
            {file.spec.name: file for file in inputs.clusters},
            {file.spec.name: file for file in inputs.teams},
            {file.spec.name: file for file in inputs.presets},
            inputs.code,
        )


def _draft(
    file: SpecFile[TrainingJobSpec],
    cluster: SpecFile[ClusterSpec],
    team: SpecFile[TeamSpec],
    presets: Iterable[SpecFile[PresetSpec]],
    on_cluster: TeamOnCluster,
    code: Mapping[PurePosixPath, bytes],
) -> Draft:
    """Cluster < team < presets < job; team and job: what they say < for the environment < for the cluster."""
    name, environment = cluster.spec.name, cluster.spec.environment or ""
    merged = merge_layers(
        (
            Layer(f'the defaults of cluster "{name}"', cluster.tree, ("defaults",)),
            Layer(f'the defaults of team "{team.spec.name}"', team.tree, ("defaults",)),
            Layer(
                f'the defaults of team "{team.spec.name}" for {environment}',
                team.tree,
                ("defaults", "environments", environment),
            ),
            Layer(
                f'the defaults of team "{team.spec.name}" on {name}',
                team.tree,
                ("defaults", "clusters", name),
            ),
            *(Layer(f'preset "{preset.spec.name}"', preset.tree, ("job",)) for preset in presets),
            Layer(OWN_WORDS, file.tree),
            Layer(OWN_WORDS, file.tree, ("environments", environment)),
            Layer(OWN_WORDS, file.tree, ("clusters", name)),
        ),
        file.name_source,
    )
    body = JobPart.model_validate({key: value for key, value in merged.data.items() if key in _PART_FIELDS})
    return Draft(file, body, merged.sources, on_cluster.cluster, on_cluster, code)


def _find_presets(
    file: SpecFile[TrainingJobSpec],
    presets: Mapping[str, SpecFile[PresetSpec]],
    findings: list[Diagnostic],
) -> Iterable[SpecFile[PresetSpec]]:
    open_to_team = {
        name: preset for name, preset in presets.items() if preset.spec.team in (None, file.spec.team)
    }
    for index, name in enumerate(file.spec.extends or ()):
        if name in open_to_team:
            yield open_to_team[name]
            continue
        owner = presets.get(name)
        whose = owner and f'preset "{name}" belongs to team "{owner.spec.team}"'
        findings.append(
            error(
                Code.UNKNOWN_PRESET,
                file.tree.value_source(("extends", index)),
                whose or f'preset "{name}" is not described',
                f"take its team out of {owner.path}, or copy its fields"
                if owner
                else did_you_mean(name, open_to_team),
            )
        )


def _find_clusters(
    file: SpecFile[TrainingJobSpec],
    team: SpecFile[TeamSpec],
    clusters: Mapping[str, Cluster],
    findings: list[Diagnostic],
) -> Iterable[str]:
    """The clusters that the job names, else those of its team's defaults."""
    defaults = team.spec.defaults
    owner, path, named = (
        (file, ("clusters",), file.spec.clusters)
        if file.spec.clusters is not None
        else (team, ("defaults", "clusters"), defaults.clusters if defaults else None)
    )
    if not named:
        findings.append(
            error(
                Code.NO_CLUSTER,
                file.name_source,
                f'job "{file.spec.name}" runs on no cluster',
                f"write clusters: [{next(iter(clusters), '…')}], or defaults: {{clusters: …}} in {team.path}",
            )
        )
        return
    for name in sorted(named):
        if name in clusters:
            yield name
        else:
            findings.append(
                error(
                    Code.UNKNOWN_CLUSTER,
                    owner.tree.key_source((*path, name)),
                    f'cluster "{name}" is not described',
                    did_you_mean(name, clusters),
                )
            )


def check_environments(inputs: Inputs, clusters: Mapping[str, Cluster]) -> Iterator[Diagnostic]:
    """Parts for environments that no cluster is: they would never hold."""
    known = {cluster.environment for cluster in clusters.values()} - {""}
    of_jobs = [(file.tree, (), file.spec.environments) for file in inputs.jobs]
    of_teams = [
        (file.tree, ("defaults",), file.spec.defaults.environments)
        for file in inputs.teams
        if file.spec.defaults is not None
    ]
    for tree, path, environments in (*of_jobs, *of_teams):
        for name in sorted(set(environments or {}) - known):
            yield error(
                Code.UNKNOWN_VALUE,
                tree.key_source((*path, "environments", name)),
                f'no cluster has environment "{name}"',
                did_you_mean(name, known) or "write environment: … in a cluster",
            )


def _unknown_team(file: SpecFile[TrainingJobSpec], teams: Mapping[str, SpecFile[TeamSpec]]) -> Diagnostic:
    return error(
        Code.UNKNOWN_TEAM,
        file.tree.value_source(("team",)),
        f'team "{file.spec.team}" is not described',
        did_you_mean(file.spec.team, teams),
    )


def _team_not_there(file: SpecFile[TrainingJobSpec], team: SpecFile[TeamSpec], cluster: str) -> Diagnostic:
    return error(
        Code.TEAM_NOT_ON_CLUSTER,
        file.tree.key_source(("clusters", cluster)),
        f'team "{team.spec.name}" is not on cluster "{cluster}"',
        f"add {cluster} to the clusters in {team.path}, or run the job on "
        f"{', '.join(sorted(team.spec.clusters or {})) or 'a cluster that it is on'}",
    )
