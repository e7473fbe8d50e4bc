"""Buckets as volumes of a team: which storage mounts them, and what a bucket cannot have."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from trainshed.model.catalog import MountFor
from trainshed.model.cluster import Cluster, StorageClass
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.spec.storage import LocalVolume
from trainshed.model.storage import Bucket
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import VolumeClaim
from trainshed.resolve.claims import DEFAULT_ACCESS, FIELDS, Locate

CLAIM_SIZE = "1Ti"
"""What the claim of a bucket asks for: a size has to be there, and means nothing."""


def read_bucket(uri: str, cache: str = "") -> Bucket:
    """The parts of `s3://bucket/prefix`, `gs://bucket/prefix` or `az://account/container/prefix`."""
    scheme, _, rest = uri.partition("://")
    account, rest = ("", rest) if scheme != "az" else (rest.partition("/")[0], rest.partition("/")[2])
    name, _, prefix = rest.partition("/")
    return Bucket(scheme, name, account, prefix, cache)


def resolve_bucket(
    name: str, volume: LocalVolume, cluster: Cluster, locate: Locate
) -> tuple[VolumeClaim | None, list[Diagnostic]]:
    """The claim of a bucket, on storage of the cluster whose driver mounts such buckets."""
    bucket = read_bucket(volume.bucket or "", volume.cache or "")
    storage = cluster.storage.get(volume.storage or "")
    if storage is None:
        return None, [_lack_storage(volume, bucket, cluster, locate)]
    access = volume.access or DEFAULT_ACCESS
    fields = MappingProxyType({field: locate(field) for field in FIELDS})
    claim = VolumeClaim(
        name, storage, CLAIM_SIZE, access, locate(), fields, bucket=bucket, filled_by=volume.filled_by or ""
    )
    return claim, list(_check(claim, volume, cluster, locate))


def _lack_storage(volume: LocalVolume, bucket: Bucket, cluster: Cluster, locate: Locate) -> Diagnostic:
    able = _able(cluster, bucket.scheme)
    if volume.storage is None:
        return error(
            Code.MISSING_FIELD,
            locate("bucket"),
            "the bucket does not say which storage mounts it",
            f"write storage: {able[0]}"
            if able
            else f"{cluster.source.path} describes no storage whose driver mounts {bucket.scheme}:// buckets",
        )
    return error(
        Code.UNKNOWN_STORAGE,
        locate("storage"),
        f'cluster "{cluster.name}" has no storage "{volume.storage}"',
        did_you_mean(volume.storage, cluster.storage),
    )


def _able(cluster: Cluster, scheme: str) -> list[str]:
    return [
        name
        for name, storage in cluster.storage.items()
        if storage.driver.bucket and storage.driver.bucket.scheme == scheme
    ]


def _check(claim: VolumeClaim, volume: LocalVolume, cluster: Cluster, locate: Locate) -> Iterator[Diagnostic]:
    driver, bucket = claim.storage.driver, claim.bucket
    form = driver.bucket
    described = [Related(claim.storage.source, "the storage is described here")]
    if bucket and (form is None or form.scheme != bucket.scheme):
        able = ", ".join(_able(cluster, bucket.scheme)) or "none"
        yield error(
            Code.STORAGE_ACCESS,
            locate("storage"),
            f"{driver.title} does not mount {bucket.scheme}:// buckets",
            f"storage of this cluster that does: {able}",
            described,
        )
    if claim.access == "rwo":
        yield error(
            Code.STORAGE_ACCESS,
            locate("access"),
            "a bucket is not one node's own",
            "write access: rwx, or rox for one that is only read",
        )
    if volume.size is not None:
        yield error(Code.CONFLICTING_CHOICE, locate("size"), "a bucket has no size", "leave size out of it")
    if claim.storage.endpoint and form and not form.mount_options.get(MountFor.ENDPOINT):
        yield error(
            Code.STORAGE_ACCESS,
            locate("storage"),
            f"{driver.title} reaches its own cloud only, not {claim.storage.endpoint}",
            "take storage with another driver",
            described,
        )


def fetch_storage(cluster: Cluster, scheme: str) -> StorageClass | None:
    """The storage that says where buckets of this scheme are, if the cluster describes one."""
    return next((cluster.storage[name] for name in _able(cluster, scheme)), None)


def pod_annotations(claim: VolumeClaim) -> Mapping[str, str]:
    """What the driver looks for on pods that mount the claim."""
    form = claim.storage.driver.bucket if claim.bucket else None
    if form is None or claim.bucket is None:
        return MappingProxyType({})
    return MappingProxyType(
        {**form.pod_annotations, **(form.cache_annotations if claim.bucket.cache else {})}
    )
