"""Addresses of data that is not in the cluster: buckets, models and data sets of a hub, artifacts of a registry."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, WithJsonSchema

from trainshed.model.codes import Code
from trainshed.model.spec.scalars import refuse

_PATH = r"(?:/[A-Za-z0-9_][A-Za-z0-9._=+-]*)"
BUCKETS: Mapping[str, str] = MappingProxyType(
    {
        "s3": rf"[a-z0-9][a-z0-9.-]{{1,61}}[a-z0-9]{_PATH}*",
        "gs": rf"[a-z0-9][a-z0-9._-]{{1,220}}[a-z0-9]{_PATH}*",
        "az": rf"[a-z0-9]{{3,24}}/[a-z0-9][a-z0-9-]{{2,62}}{_PATH}*",
    }
)
"""What stands behind the scheme of an object store: the bucket, or Azure's account and container; then a prefix."""

OTHERS: Mapping[str, str] = MappingProxyType(
    {
        "hf": rf"(?:datasets/)?[A-Za-z0-9][A-Za-z0-9._-]*{_PATH}(?:@[A-Za-z0-9][A-Za-z0-9._-]*)?",
        "oci": rf"[a-z0-9][a-z0-9.-]*(?::[0-9]+)?{_PATH}+(?::[A-Za-z0-9_][A-Za-z0-9._-]*|@sha256:[0-9a-f]{{64}})",
    }
)
"""A repository of the Hugging Face hub and a revision of it; an artifact of a registry by tag or digest."""

_EXAMPLES = {
    "s3": "s3://bucket/prefix",
    "gs": "gs://bucket/prefix",
    "az": "az://account/container/prefix",
    "hf": "hf://datasets/owner/name@revision",
    "oci": "oci://registry/repository:tag",
}


def _check(text: str, schemes: Mapping[str, str]) -> str:
    scheme, _, rest = text.rstrip("/").partition("://")
    if scheme not in schemes or not re.fullmatch(schemes[scheme], rest, re.ASCII) or ".." in rest:
        raise refuse(
            Code.BAD_VALUE,
            f'"{text}" is not the address of {"a bucket" if schemes is BUCKETS else "data"}',
            f"write {', '.join(_EXAMPLES[known] for known in schemes)}; credentials never stand in it",
        )
    return text.rstrip("/")


_DATA = MappingProxyType({**BUCKETS, **OTHERS})


def _check_bucket(text: str) -> str:
    return _check(text, BUCKETS)


def _check_uri(text: str) -> str:
    return _check(text, _DATA)


BucketUri: TypeAlias = Annotated[
    str, AfterValidator(_check_bucket), WithJsonSchema({"type": "string", "pattern": "^(s3|gs|az)://"})
]
"""An object store's bucket and a prefix in it."""

DataUri: TypeAlias = Annotated[
    str, AfterValidator(_check_uri), WithJsonSchema({"type": "string", "pattern": "^(s3|gs|az|hf|oci)://"})
]
"""Anything that code can read, or that can be fetched before it starts."""
