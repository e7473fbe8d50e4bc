"""Certificates of one's own authorities, for every library that has a variable for them."""

from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.model.contract import TRUST_DIRECTORY
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import EnvVar, PodGroup

VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO")
"""OpenSSL and Go; Python's requests; curl; the AWS libraries; git. Each takes a file in place of its own."""


def trust(target: Target, _: PodGroup) -> PodPart:
    """The bundle, mounted and named to the libraries."""
    bundle = target.ca_bundle
    if bundle is None:
        return NO_PART
    items = [{"key": bundle.key, "path": bundle.key}]
    volume = {"name": "ca-bundle", "configMap": {"name": bundle.config_map, "items": items}}
    return PodPart(
        volumes=(volume,), mounts=trust_mounts(target), env=trust_env(target), source=("caBundle",)
    )


def trust_env(target: Target) -> tuple[EnvVar, ...]:
    """The variables, for any container of the run."""
    if target.ca_bundle is None:
        return ()
    path = f"{TRUST_DIRECTORY}/{target.ca_bundle.key}"
    return tuple(EnvVar(name, "value", path) for name in VARIABLES)


def trust_mounts(target: Target) -> tuple[JsonObject, ...]:
    """The mount, for any container of the run."""
    if target.ca_bundle is None:
        return ()
    return ({"name": "ca-bundle", "mountPath": TRUST_DIRECTORY, "readOnly": True},)
