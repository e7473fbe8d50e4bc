"""Team specs become teams on clusters: quotas in nodes, volumes on storage, identities as annotations."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.inputs import SpecFile
from trainshed.model.naming import LABEL_MAX
from trainshed.model.spec import TeamSpec
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import TeamOnCluster
from trainshed.resolve.identity import account_annotations, resolve_identity
from trainshed.resolve.policies import resolve_settings
from trainshed.resolve.promises import check_promises, resolve_quotas
from trainshed.resolve.secrets import resolve_secrets
from trainshed.resolve.security import team_user
from trainshed.resolve.volumes import resolve_volumes


def resolve_teams(
    files: tuple[SpecFile[TeamSpec], ...], clusters: Mapping[str, Cluster]
) -> tuple[dict[tuple[str, str], TeamOnCluster], list[Diagnostic]]:
    """The teams by team and cluster name, and what is wrong with them."""
    findings: list[Diagnostic] = []
    teams: dict[tuple[str, str], TeamOnCluster] = {}
    for file in files:
        for name in file.spec.clusters or {}:
            cluster = clusters.get(name)
            if cluster is None:
                findings.append(
                    error(
                        Code.UNKNOWN_CLUSTER,
                        file.tree.key_source(("clusters", name)),
                        f'cluster "{name}" is not described',
                        did_you_mean(name, clusters),
                    )
                )
                continue
            teams[file.spec.name, name] = _resolve(file, cluster, findings)
    findings.extend(check_promises(teams.values()))
    findings.extend(_check_namespaces(teams.values()))
    findings.extend(_check_lengths(teams.values()))
    return teams, findings


def _resolve(file: SpecFile[TeamSpec], cluster: Cluster, findings: list[Diagnostic]) -> TeamOnCluster:
    spec = file.spec
    here = (spec.clusters or {}).get(cluster.name)
    namespace = spec.namespace or f"team-{spec.name}"
    approved = spec.privileged is not None and spec.name in cluster.privileged_teams
    quotas = resolve_quotas(file, cluster, here, findings)
    identity = resolve_identity(file, cluster, findings)
    user, group = team_user(spec, cluster)
    return TeamOnCluster(
        name=spec.name,
        cluster=cluster,
        namespace=namespace,
        namespaces=tuple(dict.fromkeys(spec.namespaces or ())),
        privileged_namespace=spec.privileged.namespace if spec.privileged and approved else "",
        privileged_why=spec.privileged.why if spec.privileged and approved else "",
        owner=spec.owner or "",
        cost_center=spec.cost_center or "",
        groups=spec.groups or (),
        quotas=quotas.own,
        guaranteed=quotas.guaranteed,
        weight=quotas.weight,
        identity=MappingProxyType(identity),
        service_account_annotations=MappingProxyType(account_annotations(identity, cluster)),
        volumes=MappingProxyType(resolve_volumes(file, cluster, findings)),
        secrets=frozenset(spec.secrets or ()),
        external_secrets=resolve_secrets(file, cluster, findings),
        config_maps=frozenset(spec.config_maps or ()),
        service_accounts=frozenset(spec.service_accounts or ()),
        claims=frozenset(spec.claims or ()),
        user=user,
        group=group,
        policies=resolve_settings(spec.policies, file.tree),
        source=file.tree.key_source(("clusters", cluster.name)),
        sources=file.sources,
    )


def _check_namespaces(teams: Iterable[TeamOnCluster]) -> Iterator[Diagnostic]:
    """Whether two teams of a cluster share a namespace."""
    owners: dict[tuple[str, str], TeamOnCluster] = {}
    for team in teams:
        for namespace in team.all_namespaces:
            first = owners.setdefault((team.cluster.name, namespace), team)
            if first is not team or team.all_namespaces.count(namespace) > 1:
                yield error(
                    Code.NAME_TAKEN,
                    team.sources.find("namespace"),
                    f'namespace "{namespace}" of {team.cluster.name} belongs to team "{first.name}"',
                    "give every team, and its second namespace, a name of its own",
                    [Related(first.sources.find("namespace"), f'team "{first.name}" is described here')],
                )


def _check_lengths(teams: Iterable[TeamOnCluster]) -> Iterator[Diagnostic]:
    """Whether `team-<name>` is still a DNS label; a namespace that somebody wrote is checked where it is read."""
    for team in teams:
        if len(team.namespace) > LABEL_MAX:
            yield error(
                Code.NAME_TOO_LONG,
                team.sources.find("name"),
                f'namespace "{team.namespace}" has {len(team.namespace)} characters, Kubernetes takes {LABEL_MAX}',
                "shorten the team's name, or write namespace: <a shorter one>",
            )
