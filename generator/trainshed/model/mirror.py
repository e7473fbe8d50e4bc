"""Where images and repositories come from on a cluster that does not, or cannot, reach their own hosts."""

from msgspec import Struct

DOCKER_HUB = "docker.io"
EVERY_REGISTRY = "*"


class Mirror(Struct, frozen=True):
    """The mirrors of a cluster: of images by registry, `*` for those without a row; of repositories by address.

    A registry's row may name a part of it as well (`docker.io/library`); the longest that fits wins. `is_closed`
    says that nothing can be reached but the mirrors.
    """

    images: tuple[tuple[str, str], ...] = ()
    repositories: tuple[tuple[str, str], ...] = ()
    is_closed: bool = False

    def image(self, reference: str) -> str:
        """The reference that the cluster's nodes fetch.

        With a row for docker.io `alpine:3` becomes `mirror.example.com/dockerhub/library/alpine:3`. Behind the row
        `*` the registry stays in the path, so that no two images meet. An image without a row, and one that already
        comes from a mirror, stays as it is written.
        """
        known = normalise(reference)
        if not reference or self._is_mirrored(known):
            return reference
        for registry, mirror in self.images:
            if registry == EVERY_REGISTRY:
                return f"{mirror}/{known}"
            if _is_within(known, registry):
                return mirror + known.removeprefix(registry)
        return reference

    def repository(self, url: str) -> str:
        """The address that Argo CD reads a Git repository from."""
        for prefix, mirror in self.repositories:
            if url.startswith(prefix):
                return mirror + url.removeprefix(prefix)
        return url

    def reaches_image(self, reference: str) -> bool:
        """Whether nodes can fetch the image."""
        known = normalise(reference)
        rows = {registry for registry, _ in self.images}
        covered = EVERY_REGISTRY in rows or any(_is_within(known, registry) for registry in rows)
        return not self.is_closed or covered or self._is_mirrored(known)

    def reaches_repository(self, url: str) -> bool:
        """Whether Argo CD can read the repository."""
        return not self.is_closed or any(url.startswith(place) for row in self.repositories for place in row)

    def _is_mirrored(self, known: str) -> bool:
        return any(_is_within(known, mirror) for _, mirror in self.images)


def normalise(reference: str) -> str:
    """An image reference with its registry, as container runtimes complete it: `alpine` is docker.io/library/alpine.

    The first part is a registry if it has a dot or a colon, or is localhost
    (github.com/distribution/reference `normalize.go`).
    """
    first, slash, _ = reference.partition("/")
    if slash and (first == "localhost" or "." in first or ":" in first):
        return reference
    return f"{DOCKER_HUB}/{reference}" if slash else f"{DOCKER_HUB}/library/{reference}"


def _is_within(reference: str, place: str) -> bool:
    """Whether an image lies in a registry, or in a part of it."""
    return reference.startswith(f"{place.rstrip('/')}/")
