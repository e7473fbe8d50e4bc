"""Buckets as static persistent volumes: one for each namespace, in the form that its driver wants."""

from collections.abc import Iterator, Mapping

from trainshed.compile.plain import without_empty
from trainshed.model.catalog import BucketForm, MountFor
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.naming import LABEL_MAX, content_name
from trainshed.model.quantity import parse_quantity
from trainshed.model.storage import Bucket
from trainshed.model.team import ACCESS_MODES, TeamOnCluster, VolumeClaim


def volume_name(namespace: str, name: str) -> str:
    """`<namespace>.<name>`: unique in the cluster, for neither part has a dot; short enough to be a label's value."""
    plain = f"{namespace}.{name}"
    return plain if len(plain) <= LABEL_MAX else content_name("bucket", name[:40], plain.encode())


def bucket_origins(volume: VolumeClaim) -> Origins:
    """From the volume's fields to the words that decide them."""
    fields = volume.fields
    return Origins(
        volume.source,
        (
            ("/spec/accessModes", fields["access"]),
            ("/spec/csi/driver", fields["storage"]),
            ("/spec/csi", fields["bucket"]),
            ("/spec/mountOptions", fields["bucket"]),
        ),
    )


def bucket_volume(
    team: TeamOnCluster, volume: VolumeClaim, namespace: str, metadata: JsonObject
) -> Iterator[JsonObject]:
    """The persistent volume of a bucket; nothing for a volume that is none."""
    form, bucket = volume.storage.driver.bucket, volume.bucket
    if form is None or bucket is None:
        return
    name = volume_name(namespace, volume.name)
    words = _words(team, volume, bucket, name)
    yield {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, **metadata},
        "spec": without_empty(
            {
                "accessModes": [ACCESS_MODES[volume.access].value],
                "capacity": {"storage": volume.size},
                "claimRef": {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "namespace": namespace,
                    "name": volume.name,
                },
                "csi": without_empty(
                    {
                        "driver": volume.storage.driver.name,
                        "volumeHandle": form.volume_handle.format_map(words),
                        "readOnly": volume.access == "rox" or None,
                        "volumeAttributes": _attributes(team, form, bucket, words),
                    }
                ),
                "mountOptions": list(_options(form, volume, words)),
                "persistentVolumeReclaimPolicy": "Retain",
                "volumeMode": "Filesystem",
            }
        ),
    }


def _words(team: TeamOnCluster, volume: VolumeClaim, bucket: Bucket, name: str) -> Mapping[str, str]:
    """What the driver's templates are filled with; what there is none of is empty."""
    storage = volume.storage
    cache = str(int(parse_quantity(bucket.cache)) // 2**20) if bucket.cache else ""
    return {
        "volume": name,
        "bucket": bucket.name,
        "account": bucket.account,
        "prefix": bucket.prefix,
        "region": storage.region,
        "endpoint": storage.endpoint,
        "user": "" if team.user is None else str(team.user),
        "group": "" if team.group is None else str(team.group),
        "clientId": team.identity.get("clientId", ""),
        "cache": bucket.cache,
        "cacheMegabytes": cache,
    }


def _attributes(
    team: TeamOnCluster, form: BucketForm, bucket: Bucket, words: Mapping[str, str]
) -> dict[str, str]:
    """The driver's attributes; with the pods' own cloud identity where the team has one, the driver's where not."""
    own = form.identity_attributes if team.identity and not words["endpoint"] else {}
    templates = {**form.attributes, **own, **(form.cache_attributes if bucket.cache else {})}
    return {key: template.format_map(words) for key, template in templates.items()}


def _options(form: BucketForm, volume: VolumeClaim, words: Mapping[str, str]) -> Iterator[str]:
    causes = {
        MountFor.ALWAYS: True,
        MountFor.WRITE: volume.access != "rox",
        MountFor.USER: bool(words["user"] and words["group"]),
        MountFor.PREFIX: bool(words["prefix"]),
        MountFor.CACHE: bool(words["cache"]),
        MountFor.REGION: bool(words["region"]),
        MountFor.ENDPOINT: bool(words["endpoint"]),
    }
    for cause, holds in causes.items():
        if holds:
            yield from (option.format_map(words) for option in form.mount_options[cause])
