"""Team specs become teams on clusters: quotas in nodes, volumes on storage, identities as annotations."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType

from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.inputs import SpecFile
from trainshed.model.naming import LABEL_MAX
from trainshed.model.provenance import FieldPath, Sources
from trainshed.model.source import Source
from trainshed.model.spec import TeamSpec
from trainshed.model.spec.storage import Claim, Volume
from trainshed.model.spec.team import Identity, Quota
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import PoolQuota, TeamOnCluster, VolumeClaim
from trainshed.model.tree import Tree
from trainshed.resolve.claims import resolve_claim
from trainshed.resolve.policies import resolve_settings


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
    findings.extend(_check_pools(teams.values()))
    findings.extend(_check_namespaces(teams.values()))
    findings.extend(_check_lengths(teams.values()))
    return teams, findings


def _resolve(file: SpecFile[TeamSpec], cluster: Cluster, findings: list[Diagnostic]) -> TeamOnCluster:
    spec = file.spec
    here = (spec.clusters or {}).get(cluster.name)
    namespace = spec.namespace or f"team-{spec.name}"
    approved = spec.privileged is not None and spec.name in cluster.privileged_teams
    return TeamOnCluster(
        name=spec.name,
        cluster=cluster,
        namespace=namespace,
        privileged_namespace=spec.privileged.namespace if spec.privileged and approved else "",
        privileged_why=spec.privileged.why if spec.privileged and approved else "",
        owner=spec.owner or "",
        cost_center=spec.cost_center or "",
        groups=spec.groups or (),
        quotas=MappingProxyType(_quotas(file, cluster, (here and here.quota) or {}, findings)),
        service_account_annotations=MappingProxyType(
            _identity(file, cluster, here.identity if here else None, findings)
        ),
        volumes=MappingProxyType(_volumes(file, cluster, findings)),
        secrets=frozenset(spec.secrets or ()),
        config_maps=frozenset(spec.config_maps or ()),
        service_accounts=frozenset(spec.service_accounts or ()),
        claims=frozenset(spec.claims or ()),
        policies=resolve_settings(spec.policies, file.tree),
        source=file.tree.key_source(("clusters", cluster.name)),
        sources=Sources(
            file.name_source,
            {path: file.tree.value_source(path) for path in file.tree.marks},
            MappingProxyType({}),
        ),
    )


def _quotas(
    file: SpecFile[TeamSpec],
    cluster: Cluster,
    written: Mapping[str, Quota | None],
    findings: list[Diagnostic],
) -> dict[str, PoolQuota]:
    quotas: dict[str, PoolQuota] = {}
    for name, quota in written.items():
        path = ("clusters", cluster.name, "quota", name)
        source = file.tree.key_source(path)
        pool = cluster.pools.get(name)
        if pool is None and cluster.sources.has("pools", name):
            continue  # the cluster's own finding says what is wrong with it
        if pool is None:
            findings.append(
                error(
                    Code.UNKNOWN_POOL,
                    source,
                    f'cluster "{cluster.name}" has no pool "{name}"',
                    did_you_mean(name, cluster.pools),
                )
            )
            continue
        if quota is None:
            continue
        problem = _quota_problem(quota, pool.gpus_per_node, bool(cluster.cohort and cluster.has_kueue))
        if problem:
            code, field, summary, detail = problem
            findings.append(error(code, file.tree.key_source((*path, field)), summary, detail))
            continue
        unit = Fraction(1) if quota.nodes is not None else Fraction(1, pool.gpus_per_node)
        amount = quota.nodes if quota.nodes is not None else quota.gpus
        quotas[name] = PoolQuota(
            pool=pool,
            nodes=Fraction(amount or 0) * unit,
            borrow_nodes=None if quota.borrow is None else quota.borrow * unit,
            lend_nodes=None if quota.lend is None else quota.lend * unit,
            source=source,
        )
    return quotas


def _quota_problem(quota: Quota, gpus_per_node: int, has_cohort: bool) -> tuple[Code, str, str, str] | None:
    """Code, field, summary and detail of what is wrong with a quota."""
    if quota.nodes is None and quota.gpus is None:
        return (
            Code.MISSING_CHOICE,
            "nodes",
            "a quota says neither nodes nor gpus",
            "write {nodes: 4} or {gpus: 16}",
        )
    if quota.nodes is not None and quota.gpus is not None:
        return (
            Code.CONFLICTING_CHOICE,
            "gpus",
            "a quota says nodes and gpus",
            "keep one of them: the other follows from it",
        )
    if quota.gpus is not None and not gpus_per_node:
        return (
            Code.CONFLICTING_CHOICE,
            "gpus",
            "this pool's machines have no GPUs",
            "write the quota in nodes",
        )
    if not has_cohort and (quota.borrow is not None or quota.lend is not None):
        return (
            Code.MISSING_CHOICE,
            "lend" if quota.borrow is None else "borrow",
            "borrowing and lending need Kueue and a cohort",
            "write cohort: <name> in the cluster",
        )
    amount = quota.nodes if quota.nodes is not None else quota.gpus or 0
    if quota.lend is not None and quota.lend > amount:
        return (
            Code.INVERTED_RANGE,
            "lend",
            f"{quota.lend} are lent, but only {amount} are the team's own",
            f"write at most lend: {amount}",
        )
    return None


_IDENTITY_FIELDS = {
    "roleArn": "role_arn",
    "gcpServiceAccount": "gcp_service_account",
    "clientId": "client_id",
}


def _identity(
    file: SpecFile[TeamSpec], cluster: Cluster, identity: Identity | None, findings: list[Diagnostic]
) -> dict[str, str]:
    forms = {form.key: form for form in cluster.provider.identities}
    annotations: dict[str, str] = {}
    for key, attribute in _IDENTITY_FIELDS.items():
        value = getattr(identity, attribute) if identity else None
        if value is None:
            continue
        form = forms.get(key)
        if form is None:
            findings.append(
                error(
                    Code.CONFLICTING_CHOICE,
                    file.tree.key_source(("clusters", cluster.name, "identity", key)),
                    f'provider "{cluster.provider.name}" does not take {key}',
                    f"it takes {', '.join(sorted(forms)) or 'no identity'}",
                )
            )
        elif form.annotation:
            annotations[form.annotation] = value
    return annotations


def _volumes(
    file: SpecFile[TeamSpec], cluster: Cluster, findings: list[Diagnostic]
) -> dict[str, VolumeClaim]:
    spec = file.spec
    here = (spec.clusters or {}).get(cluster.name)
    local = (here.volumes if here else None) or {}
    everywhere = {
        name: volume
        for name, volume in (spec.volumes or {}).items()
        if volume is not None and (volume.clusters is None or cluster.name in volume.clusters)
    }
    claims: dict[str, VolumeClaim] = {}
    for name in [*everywhere, *(name for name in local if name not in everywhere)]:
        if name in local and local[name] is None:
            continue
        claim = _merge(everywhere.get(name), local.get(name))
        resolved = resolve_claim(name, claim, cluster, partial(_locate, file.tree, cluster.name, name))
        findings.extend(resolved[1])
        if resolved[0] is not None:
            claims[name] = resolved[0]
    return claims


def _locate(tree: Tree, cluster: str, name: str, *fields: str) -> Source:
    """The first of the fields that is written, on the cluster or everywhere; else the volume's own name."""
    places: tuple[FieldPath, ...] = (("clusters", cluster, "volumes", name), ("volumes", name))
    written = ((*place, field) for field in fields for place in places if (*place, field) in tree.marks)
    field = next(written, None)
    if field is not None:
        return tree.value_source(field)
    return tree.key_source(next(place for place in places if place in tree.marks))


def _merge(everywhere: Volume | None, here: Claim | None) -> Claim:
    written = [
        volume.model_dump(exclude_unset=True, by_alias=True) for volume in (everywhere, here) if volume
    ]
    merged = {key: value for layer in written for key, value in layer.items() if key != "clusters"}
    return Claim.model_validate({key: value for key, value in merged.items() if value is not None})


def _check_pools(teams: Iterable[TeamOnCluster]) -> Iterator[Diagnostic]:
    """Whether the teams of a cluster are promised more of a pool than it has."""
    promised: dict[tuple[str, str], list[PoolQuota]] = {}
    for team in teams:
        for quota in team.quotas.values():
            promised.setdefault((team.cluster.name, quota.pool.name), []).append(quota)
    for (cluster, pool), quotas in promised.items():
        total = sum((quota.nodes for quota in quotas), Fraction(0))
        has = quotas[0].pool.nodes
        if total > has:
            last = max(quotas, key=lambda quota: (str(quota.source.path), quota.source.line))
            yield error(
                Code.POOL_OVERCOMMITTED,
                last.source,
                f'teams are promised {float(total):g} nodes of pool "{pool}" of {cluster}, which has {has}',
                "lower a quota and let the team borrow, or raise the pool's nodes",
                related=[Related(quotas[0].pool.source, "the pool is described here")],
            )


def _check_namespaces(teams: Iterable[TeamOnCluster]) -> Iterator[Diagnostic]:
    """Whether two teams of a cluster share a namespace."""
    owners: dict[tuple[str, str], TeamOnCluster] = {}
    for team in teams:
        for namespace in filter(None, (team.namespace, team.privileged_namespace)):
            first = owners.setdefault((team.cluster.name, namespace), team)
            if first is not team or team.namespace == team.privileged_namespace:
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
