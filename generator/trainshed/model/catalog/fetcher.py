"""The catalogue's fetchers: the tools that bring data to a folder before training starts."""

from collections.abc import Mapping

from msgspec import Struct


class Fetcher(Struct, frozen=True):
    """The tool that fetches one scheme of addresses to a folder: a command without a shell, and its variables.

    Both are templates of `{bucket}`, `{account}`, `{path}` (what stands behind the bucket), `{repository}`,
    `{revision}`, `{kind}`, `{reference}` (all that stands behind the scheme) and `{folder}`. `image` is empty where the
    cluster has to name one.
    """

    scheme: str
    title: str
    image: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]
