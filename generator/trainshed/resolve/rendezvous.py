"""How the nodes of an elastic run find one another: torchrun's own store, or the cluster's etcd.

The settings of `--rdzv-conf` are those of torch's dynamic rendezvous (pytorch/pytorch,
torch/distributed/elastic/rendezvous/dynamic_rendezvous.py).
"""

from collections.abc import Iterator
from types import MappingProxyType

from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.rendezvous import Etcd, Rendezvous
from trainshed.model.spec.rendezvous import Rendezvous as WrittenRendezvous
from trainshed.resolve.draft import Draft
from trainshed.resolve.objections import Objection, Weight

_SEPARATORS = frozenset(",=")


def object_to_rendezvous(draft: Draft, _: Backend, elastic: bool) -> Iterator[Objection]:
    """The objection of every kind to a rendezvous of nodes that neither come nor go."""
    if draft.body.rendezvous is not None and not elastic:
        yield Objection(
            Weight.WISH,
            Code.BACKEND_CANNOT,
            ("rendezvous",),
            "only the nodes of an elastic job meet at a rendezvous: this job's nodes are told where the first is",
            "write nodes: {min: …, max: …}, or leave it out",
        )


def resolve_rendezvous(draft: Draft) -> Rendezvous | None:
    """The rendezvous, if the job says anything about it."""
    written = draft.body.rendezvous
    if written is None:
        return None
    backend = written.backend or "c10d"
    etcd = _etcd(draft, written) if backend == "etcd-v2" else None
    return Rendezvous(
        backend=backend,
        host=etcd.host if etcd else "",
        port=etcd.port if etcd else written.port or 0,
        conf=MappingProxyType(_conf(draft, written)),
    )


def _conf(draft: Draft, written: WrittenRendezvous) -> dict[str, str]:
    timeouts = {"join_timeout": written.join_timeout, "last_call_timeout": written.last_call_timeout}
    said = {name: str(seconds) for name, seconds in timeouts.items() if seconds is not None}
    for key, value in sorted((written.conf or {}).items()):
        if value is None:
            continue
        at = ("rendezvous", "conf", key)
        if key in said:
            draft.refuse(
                Code.CONFLICTING_CHOICE, at, f"{key} is said twice", "keep it beside conf, with its unit: 10m"
            )
        if not key or not value or _SEPARATORS & set(key + value):
            draft.refuse(
                Code.BAD_VALUE,
                at,
                f'torchrun reads "{key}={value}" as something else',
                'leave out "," and "=", and write a value',
            )
        said[key] = value
    return said


def _etcd(draft: Draft, written: WrittenRendezvous) -> Etcd | None:
    """The cluster's etcd, of a release that still has the API of version 2."""
    etcd, cluster = draft.cluster.etcd, draft.cluster
    field = ("rendezvous", "backend")
    if written.port is not None:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("rendezvous", "port"),
            "the port of etcd is the cluster's to say",
            "leave it out",
        )
    if etcd is None:
        draft.refuse(
            Code.MISSING_OPERATOR,
            field,
            f'cluster "{cluster.name}" has no etcd for rendezvous',
            f"write backend: c10d, which needs none, or etcd: {{endpoint: host:2379}} in {cluster.source.path}",
        )
    elif _minor(etcd.version) >= (3, 6):
        draft.refuse(
            Code.RELEASE_LACKS,
            field,
            f'etcd {etcd.version} of "{cluster.name}" no longer has the API of version 2',
            "write backend: c10d, which needs no etcd",
        )
    return etcd


def _minor(version: str) -> tuple[int, int]:
    major, _, rest = version.partition(".")
    return int(major), int(rest.partition(".")[0] or 0)
