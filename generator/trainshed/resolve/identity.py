"""Who a team's pods are for the cloud: the words of its provider, and what a service account says of them."""

from collections.abc import Iterator, Mapping

from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.inputs import SpecFile
from trainshed.model.spec import TeamSpec

EXCLUSIVE = ("roleArn", "podIdentity")
"""Two ways to one role: the pod would take the first that it finds."""


def resolve_identity(
    file: SpecFile[TeamSpec], cluster: Cluster, findings: list[Diagnostic]
) -> Mapping[str, str]:
    """The team's cloud identity on the cluster, by the provider's words for it."""
    here = (file.spec.clusters or {}).get(cluster.name)
    identity = here.identity if here else None
    written = identity.model_dump(by_alias=True, exclude_none=True) if identity else {}
    said = {key: str(value).lower() if value is True else value for key, value in written.items() if value}
    findings.extend(_check(file, cluster, said))
    known = {form.key for form in cluster.provider.identities}
    return {key: value for key, value in said.items() if key in known}


def account_annotations(identity: Mapping[str, str], cluster: Cluster) -> dict[str, str]:
    """What the service account says, where the cloud reads it there."""
    return {
        form.annotation: identity[form.key]
        for form in cluster.provider.identities
        if form.annotation and form.key in identity
    }


def _check(file: SpecFile[TeamSpec], cluster: Cluster, said: Mapping[str, str]) -> Iterator[Diagnostic]:
    at = ("clusters", cluster.name, "identity")
    known = sorted(form.key for form in cluster.provider.identities)
    for key in said:
        if key not in known:
            yield error(
                Code.CONFLICTING_CHOICE,
                file.tree.key_source((*at, key)),
                f'provider "{cluster.provider.name}" does not take {key}',
                f"it takes {', '.join(known) or 'no identity'}",
            )
    if all(key in said for key in EXCLUSIVE):
        yield error(
            Code.CONFLICTING_CHOICE,
            file.tree.key_source((*at, EXCLUSIVE[1])),
            f"an identity says {' and '.join(EXCLUSIVE)}",
            "keep one: IRSA names the role here, EKS Pod Identity in an association of the EKS API",
        )
    if "tenantId" in said and "clientId" not in said:
        yield error(
            Code.MISSING_FIELD,
            file.tree.key_source((*at, "tenantId")),
            "a tenant is named, but no identity in it",
            "write clientId: <the client id of the managed identity>",
        )
