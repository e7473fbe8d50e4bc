"""Claims on a cluster's storage, checked against what the storage's driver can do."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Protocol

from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.quantity import parse_quantity
from trainshed.model.source import Source
from trainshed.model.spec.storage import Claim
from trainshed.model.storage import Snapshots
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import ACCESS_MODES, VolumeClaim


class Locate(Protocol):
    """From the fields of a claim to where the first of them was written; from none to the claim itself."""

    def __call__(self, *fields: str) -> Source:
        """The place to point at."""
        ...


DEFAULT_ACCESS = "rwx"
FIELDS = ("storage", "size", "access", "bucket", "snapshots", "filledBy")
"""The fields of a volume that findings about what is rendered point at."""


def resolve_claim(
    name: str,
    claim: Claim,
    cluster: Cluster,
    locate: Locate,
    *,
    snapshots: Snapshots | None = None,
    filled_by: str = "",
) -> tuple[VolumeClaim | None, list[Diagnostic]]:
    """A claim on the cluster's storage, checked against what the storage's driver can do."""
    if claim.storage is None or claim.size is None:
        missing = "storage" if claim.storage is None else "size"
        detail = f"write for example {{storage: {next(iter(cluster.storage), 'shared')}, size: 100Gi}}"
        return None, [
            error(Code.MISSING_FIELD, locate(), f'volume "{name}" does not say its {missing}', detail)
        ]
    storage = cluster.storage.get(claim.storage)
    if storage is None:
        return None, [
            error(
                Code.UNKNOWN_STORAGE,
                locate("storage"),
                f'cluster "{cluster.name}" has no storage "{claim.storage}"',
                did_you_mean(claim.storage, cluster.storage),
            )
        ]
    access = claim.access or DEFAULT_ACCESS
    fields = {field: locate(field) for field in FIELDS}
    resolved = VolumeClaim(
        name=name,
        storage=storage,
        size=claim.size,
        access=access,
        source=locate(),
        fields=MappingProxyType(fields),
        snapshots=snapshots,
        filled_by=filled_by,
    )
    return resolved, list(_check_claim(resolved, cluster, locate))


def _check_claim(claim: VolumeClaim, cluster: Cluster, locate: Locate) -> Iterator[Diagnostic]:
    driver = claim.storage.driver
    if driver.static_only:
        yield error(
            Code.STORAGE_ACCESS,
            locate("storage"),
            f"{driver.title} cannot make volumes for claims",
            "write bucket: <its address>; or make the volume by hand and name its claim under the team's claims",
        )
    elif claim.access == "rox":
        yield error(
            Code.STORAGE_ACCESS,
            locate("access"),
            "a claim that can only be read would stay as empty as it is made",
            "write access: rwx, and readOnly: true where it is mounted; rox is for buckets",
        )
    elif ACCESS_MODES[claim.access] not in driver.access_modes:
        able = [
            name
            for name, storage in cluster.storage.items()
            if ACCESS_MODES[claim.access] in storage.driver.access_modes
        ]
        yield error(
            Code.STORAGE_ACCESS,
            locate("access", "storage"),
            f'{driver.title} ("{claim.storage.name}") cannot be mounted {claim.access}',
            f"storage of this cluster that can: {', '.join(able) or 'none'}; or write access: rwo for one node",
            related=[Related(claim.storage.source, "the storage is described here")],
        )
    smallest = driver.min_bytes
    if parse_quantity(claim.size) <= 0:
        yield error(
            Code.STORAGE_SIZE, locate("size"), f"a claim of {claim.size} holds nothing", "write size: 100Gi"
        )
    elif parse_quantity(claim.size) < smallest:
        yield error(
            Code.STORAGE_SIZE,
            locate("size"),
            f"{claim.size} is less than {driver.title} can make",
            f"the smallest is {smallest // 2**30}Gi",
        )
