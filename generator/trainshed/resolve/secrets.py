"""Secrets that an operator copies from a store: where each comes from, never what it holds."""

from collections.abc import Iterator

from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.inputs import SpecFile
from trainshed.model.spec import TeamSpec
from trainshed.model.spec.team import SecretSource
from trainshed.model.team import ExternalSecret

OPERATOR = "external-secrets"


def resolve_secrets(
    file: SpecFile[TeamSpec], cluster: Cluster, findings: list[Diagnostic]
) -> tuple[ExternalSecret, ...]:
    """The team's Secrets that come from a store on this cluster, by name."""
    secrets: list[ExternalSecret] = []
    for name, source in sorted((file.spec.secrets or {}).items()):
        if source is None or not source.model_fields_set or _is_elsewhere(source, cluster):
            continue
        findings.extend(_check(file, name, source, cluster))
        secrets.append(
            ExternalSecret(
                name=name,
                store=source.store or "",
                store_kind=source.store_kind or "ClusterSecretStore",
                key=source.key or "",
                source=file.tree.key_source(("secrets", name)),
            )
        )
    return tuple(secrets)


def _is_elsewhere(source: SecretSource, cluster: Cluster) -> bool:
    return source.clusters is not None and cluster.name not in source.clusters


def _check(
    file: SpecFile[TeamSpec], name: str, source: SecretSource, cluster: Cluster
) -> Iterator[Diagnostic]:
    at = ("secrets", name)
    for field in ("store", "key"):
        if getattr(source, field) is None:
            yield error(
                Code.MISSING_FIELD,
                file.tree.key_source(at),
                f'Secret "{name}" does not say its {field}',
                f"write {name}: {{store: <a ClusterSecretStore>, key: teams/{file.spec.name}/{name}}}",
            )
    if source.store is not None and OPERATOR not in cluster.operators:
        yield error(
            Code.MISSING_OPERATOR,
            file.tree.value_source((*at, "store")),
            f'cluster "{cluster.name}" has no {OPERATOR}, which copies Secrets from stores',
            f"write operators: {{{OPERATOR}: …}} in {cluster.source.path}; or say which clusters have it, "
            "clusters: […], and make the Secret by hand on the others",
        )
