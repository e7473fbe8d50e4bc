"""Where a cluster's images and repositories come from, and what an air gap leaves out of reach."""

import re
from collections.abc import Iterator, Mapping

from trainshed import catalog
from trainshed.catalog.images import all_images
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.inputs import SpecFile
from trainshed.model.mirror import EVERY_REGISTRY, Mirror
from trainshed.model.source import Source
from trainshed.model.spec import ClusterSpec

_PLACE = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*(:\d+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*")
_ADDRESS = re.compile(r"(https://|ssh://|git@)\S+")


def resolve_mirror(spec: ClusterSpec) -> Mirror:
    """The cluster's mirrors; the longest row first, and the one for every registry last."""
    return Mirror(
        images=_rows(spec.images.mirror if spec.images else None),
        repositories=_rows(spec.argocd.mirrors if spec.argocd else None),
        is_closed=bool(spec.air_gap),
    )


def _rows(written: Mapping[str, str | None] | None) -> tuple[tuple[str, str], ...]:
    rows = {place: mirror for place, mirror in (written or {}).items() if mirror is not None}
    ordered = sorted(rows, key=lambda place: (place == EVERY_REGISTRY, -len(place), place))
    return tuple((place, rows[place].rstrip("/") if "://" not in place else rows[place]) for place in ordered)


def check_mirror(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    """Findings for mirrors that are no places, and for what an air-gapped cluster could not fetch for itself."""
    yield from _check_places(file)
    mirror = resolve_mirror(file.spec)
    if mirror.is_closed:
        yield from _check_operators(file, mirror)


def _check_places(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    images = (file.spec.images and file.spec.images.mirror) or {}
    for registry, place in images.items():
        for word, source in (
            (
                registry if registry != EVERY_REGISTRY else "",
                file.tree.key_source(("images", "mirror", registry)),
            ),
            (place, file.tree.value_source(("images", "mirror", registry))),
        ):
            if word and not _PLACE.fullmatch(word):
                yield error(
                    Code.BAD_IMAGE,
                    source,
                    f'"{word}" is not a registry, or a part of one',
                    "write the host and a path, without https:// and without a tag: mirror.example.com/dockerhub",
                )
    repositories = (file.spec.argocd and file.spec.argocd.mirrors) or {}
    for address, place in repositories.items():
        for word, source in (
            (address, file.tree.key_source(("argocd", "mirrors", address))),
            (place, file.tree.value_source(("argocd", "mirrors", address))),
        ):
            if word and not _ADDRESS.fullmatch(word):
                yield error(
                    Code.BAD_PATH,
                    source,
                    f'"{word}" is not how the address of a repository begins',
                    "write for example https://github.com/: https://git.example.com/mirrors/",
                )


def _check_operators(file: SpecFile[ClusterSpec], mirror: Mirror) -> Iterator[Diagnostic]:
    """An operator is fetched twice: its manifests by Argo CD, its images by the nodes."""
    written = {name: found for name, found in (file.spec.operators or {}).items() if found is not None}
    for name, operator in written.items():
        source = file.tree.value_source(("operators", name, "release"))
        release = catalog.operators()[name].releases.get(operator.release or "")
        if release is None:
            continue
        if not mirror.reaches_repository(release.install.repo_url):
            yield _unreached(source, f"the repository of {name}, {release.install.repo_url}", REPOSITORY)
        beyond = [image for image in all_images(release) if not mirror.reaches_image(image)]
        if beyond:
            yield _unreached(source, f"the image of {name}, {beyond[0]}", IMAGE)
        if "bundled-jobset-value" in release.settings and "jobset" not in written:
            yield _unreached(
                source, f"the JobSet that {name} brings along", "write operators: {jobset: …} as well"
            )


REPOSITORY = "write argocd: {mirrors: {https://github.com/: https://git.example.com/mirrors/}}"
IMAGE = 'write images: {mirror: {<registry>: mirror.example.com/…}}, or "*" for every registry'


def _unreached(source: Source, what: str, advice: str) -> Diagnostic:
    return error(Code.NOT_MIRRORED, source, f"the cluster cannot reach {what}", advice)
