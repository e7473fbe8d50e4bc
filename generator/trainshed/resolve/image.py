"""The image, how it is fetched, and whether it can move under a restart."""

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.policy import DEFAULTS, severity_of
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import check_secret


def resolve_image(draft: Draft) -> str:
    """The image, as the cluster fetches it: one that names what it is, and by digest where the cluster demands it."""
    image = draft.body.image
    if image is None:
        draft.refuse(
            Code.MISSING_FIELD, ("name",), "the job names no image", "write image: registry/repository:tag"
        )
        return ""
    return fetched_image(draft, image, ("image",))


def fetched_image(draft: Draft, image: str, field: tuple[str | int, ...]) -> str:
    """An image as the cluster's nodes fetch it, with findings where they cannot or it may be another tomorrow."""
    _check_firmness(draft, image, field)
    if not draft.cluster.mirror.reaches_image(image):
        draft.refuse(
            Code.NOT_MIRRORED,
            field,
            f'cluster "{draft.cluster.name}" cannot reach "{image}"',
            f"{draft.cluster.source.path} says where images come from: add a row for this registry to its"
            " images: {mirror: {…}}; a registry of the site has itself for a mirror",
        )
    return draft.cluster.mirror.image(image)


def _check_firmness(draft: Draft, image: str, field: tuple[str | int, ...]) -> None:
    pinned = "@sha256:" in image
    tag = image.rsplit("/", 1)[-1].partition("@")[0].partition(":")[2]
    if not pinned and _is_demanded(draft, Code.IMAGE_DIGEST):
        draft.refuse(
            Code.IMAGE_DIGEST,
            field,
            f'"{image}" is not pinned by digest',
            f"{_who_demands(draft)} demands it: write {image.partition('@')[0]}@sha256:…",
        )
    elif not pinned and tag in ("", "latest") and _is_demanded(draft, Code.IMAGE_TAG):
        draft.refuse(
            Code.IMAGE_TAG,
            field,
            f'"{image}" may be another image tomorrow',
            "write a tag that stays, or a digest: a restart must run what the first attempt ran",
        )


def _who_demands(draft: Draft) -> str:
    own = Code.IMAGE_DIGEST in draft.team.policies
    return f'team "{draft.team.name}"' if own else f'cluster "{draft.cluster.name}"'


def _is_demanded(draft: Draft, rule: str) -> bool:
    """Whether the rule stops a render. Where it only warns, or the job is excused, the pods' own rule says so."""
    waived = any(waiver.rule == rule for waiver in draft.file.spec.waive or ())
    return not waived and severity_of(rule, DEFAULTS[rule], draft.team.policy_layers) is Severity.ERROR


def resolve_pull_secrets(draft: Draft) -> tuple[str, ...]:
    """The Secrets that the image is fetched with."""
    names = draft.body.image_pull_secrets or ()
    for index, name in enumerate(names):
        check_secret(draft, name, ("imagePullSecrets", index))
    return tuple(dict.fromkeys(names))
