"""What data asks of the pods beyond its mounts: what is fetched, what must be there, what the code is told."""

from types import MappingProxyType

from trainshed import catalog
from trainshed.model.codes import Code
from trainshed.model.pods import EnvVar, Mount
from trainshed.model.spec.storage import DataMount
from trainshed.model.storage import Fetch, Inputs, Requirement
from trainshed.resolve.buckets import fetch_storage, pod_annotations, read_bucket
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import check_secret

HUB_BRANCH = "main"
"""The revision of a hub's repository where the address names none."""


def resolve_inputs(draft: Draft, mounts: tuple[Mount, ...]) -> Inputs:
    """The inputs of a job whose mounts are known."""
    body, volumes = draft.body, draft.team.volumes
    data = {name: entry for name, entry in sorted((body.data or {}).items()) if entry is not None}
    mounted = {mount.name: mount for mount in mounts if mount.field[0] == "data"}
    for name, entry in data.items():
        _check_address(draft, name, entry)
    claims = (volumes.get(mount.origin) for mount in mounts if mount.kind in ("claim", "readOnlyClaim"))
    annotations = {key: value for claim in claims if claim for key, value in pod_annotations(claim).items()}
    return Inputs(
        fetches=tuple(
            _fetch(draft, entry, mounted[name])
            for name, entry in data.items()
            if entry.mode == "prefetch" and entry.uri is not None and name in mounted
        ),
        requirements=tuple(
            Requirement(mounted[name], entry.requires)
            for name, entry in data.items()
            if entry.requires is not None and name in mounted
        ),
        env=tuple(variable for name, entry in data.items() for variable in _env(name, entry)),
        secrets=_secrets(draft, data),
        annotations=MappingProxyType(annotations),
        fields=MappingProxyType(
            {variable.name: ("data", name) for name, entry in data.items() for variable in _env(name, entry)}
        ),
    )


def _check_address(draft: Draft, name: str, data: DataMount) -> None:
    if data.uri is None:
        return
    scheme = data.uri.partition("://")[0]
    if data.mode == "mount":
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("data", name, "mode"),
            "an address is not mounted by a job: a bucket has a volume, which its team owns",
            f'write volumes: {{{name}: {{bucket: "{data.uri}", storage: …}}}} in {draft.team.source.path}, '
            f"and here {{volume: {name}, mountPath: …}}",
        )
    elif data.mode == "prefetch" and not draft.cluster.fetch_images.get(scheme):
        title = catalog.fetchers()[scheme].title
        draft.refuse(
            Code.MISSING_CHOICE,
            ("data", name, "mode"),
            f"cluster {draft.cluster.name} names no image that fetches {scheme}:// addresses",
            f"write images: {{fetch: {{{scheme}: <an image with {title}>}}}} in {draft.cluster.source.path}",
        )


def _secrets(draft: Draft, data: dict[str, DataMount]) -> tuple[str, ...]:
    """Secrets that the code itself takes whole, to reach what it is told the address of."""
    body = draft.body
    named = [
        (entry.credentials, ("data", name, "credentials"), entry.mode != "prefetch")
        for name, entry in data.items()
    ]
    named += [
        (kept.credentials, (field, "credentials"), True)
        for field, kept in (("checkpoint", body.checkpoint), ("output", body.output))
        if kept is not None
    ]
    for secret, at, _ in named:
        if secret is not None:
            check_secret(draft, secret, at)
    return tuple(dict.fromkeys(secret for secret, _, by_code in named if secret is not None and by_code))


def _env(name: str, data: DataMount) -> list[EnvVar]:
    """`TRAINSHED_DATA_<NAME>`: where the data is, and how it is shared out."""
    variable = f"TRAINSHED_DATA_{name.upper().replace('-', '_')}"
    place = data.mount_path if data.uri is None or data.mode == "prefetch" else data.uri
    env = [EnvVar(variable, "value", place)] if place and (data.uri or data.shard) else []
    return [*env, EnvVar(f"{variable}_SHARD", "value", data.shard)] if data.shard else env


def _fetch(draft: Draft, data: DataMount, mount: Mount) -> Fetch:
    uri = data.uri or ""
    scheme, _, reference = uri.partition("://")
    fetcher = catalog.fetchers()[scheme]
    words = _bucket_words(draft, uri, scheme) if scheme in ("s3", "gs", "az") else _hub_words(reference)
    words |= {"reference": reference, "folder": mount.mount_path}
    env = {name: template.format_map(words) for name, template in fetcher.env.items()}
    return Fetch(
        mount=mount,
        image=draft.cluster.fetch_images.get(scheme, ""),
        command=tuple(template.format_map(words) for template in fetcher.command),
        env=tuple(EnvVar(name, "value", value) for name, value in env.items() if value),
        secret=data.credentials or "",
    )


def _bucket_words(draft: Draft, uri: str, scheme: str) -> dict[str, str]:
    bucket = read_bucket(uri)
    storage = fetch_storage(draft.cluster, scheme)
    return {
        "bucket": bucket.name,
        "account": bucket.account,
        "path": f"/{bucket.prefix}" if bucket.prefix else "",
        "region": storage.region if storage else "",
        "endpoint": storage.endpoint if storage else "",
        "provider": "Other" if storage and storage.endpoint else "AWS",
    }


def _hub_words(reference: str) -> dict[str, str]:
    repository, _, revision = reference.partition("@")
    is_dataset = repository.startswith("datasets/")
    return {
        "kind": "dataset" if is_dataset else "model",
        "repository": repository.removeprefix("datasets/"),
        "revision": revision or HUB_BRANCH,
    }
