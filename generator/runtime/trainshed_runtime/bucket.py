"""An object store, through fsspec: `s3://`, `gs://`, `abfs://`, or whatever else fsspec has a file system for."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, BinaryIO


class Bucket:
    """Objects below an address. An object appears whole with its PUT, which stands in for the rename of a folder."""

    def __init__(self, address: str) -> None:
        try:
            import fsspec
        except ImportError as error:
            raise ImportError(
                f"checkpoints at {address} need fsspec: install trainshed-runtime[bucket] and the store's own package"
            ) from error
        self.address = address.rstrip("/")
        # Listings must not be remembered: other writers add to them.
        self._store: Any
        self._store, self._root = fsspec.core.url_to_fs(self.address, use_listings_cache=False)

    def names(self, folder: str = "") -> list[str]:
        """What lies directly below the prefix."""
        try:
            found = self._store.ls(self._path(folder), detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted({str(path).rstrip("/").rpartition("/")[2] for path in found})

    def read(self, path: str, limit: int) -> bytes:
        """The object's bytes."""
        if self._store.size(self._path(path)) > limit:
            raise ValueError(f"{path} has more than {limit} bytes")
        return bytes(self._store.cat_file(self._path(path)))

    @contextmanager
    def open(self, path: str) -> Generator[BinaryIO]:
        """The object, for reading."""
        with self._store.open(self._path(path), "rb") as file:
            yield file

    def sizes(self, folder: str) -> dict[str, int]:
        """The sizes in bytes of the objects directly below the prefix."""
        try:
            found = self._store.ls(self._path(folder), detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return {
            str(one["name"]).rpartition("/")[2]: int(one["size"]) for one in found if one["type"] == "file"
        }

    @contextmanager
    def write(self, path: str) -> Generator[BinaryIO]:
        """A new object, in parts; it is there once the block is left."""
        target = self._path(path)
        self._store.makedirs(target.rpartition("/")[0], exist_ok=True)
        with self._store.open(target, "wb") as file:
            yield file

    def create(self, path: str, data: bytes) -> None:
        """Exclusive by the store's own condition (`If-None-Match` on S3, generation 0 on GCS).

        Stores that fsspec has no condition for only look first: there the bytes are read back as well.
        """
        target = self._path(path)
        self._store.makedirs(target.rpartition("/")[0], exist_ok=True)
        self._store.pipe_file(target, data, mode="create")
        if self._store.cat_file(target) != data:
            raise FileExistsError(path)

    def publish(self, path: str, data: bytes) -> None:
        """A new object with one PUT."""
        target = self._path(path)
        self._store.makedirs(target.rpartition("/")[0], exist_ok=True)
        self._store.pipe_file(target, data)

    def remove(self, path: str) -> None:
        """Take the object, or all below the prefix, away."""
        try:
            self._store.rm(self._path(path), recursive=True)
        except FileNotFoundError:
            return

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}".rstrip("/")
