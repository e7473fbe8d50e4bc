"""How the nodes of an elastic run find one another."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.scalars import Duration, Text
from trainshed.model.spec.written import Written


class Rendezvous(Written):
    """torchrun's rendezvous; its id is the run's name."""

    backend: Literal["c10d", "etcd-v2"] | None = None
    """c10d, which needs nothing else, or etcd-v2, which needs the cluster's etcd."""
    port: Annotated[int, Field(ge=1024, le=65535)] | None = None
    """The port of c10d's store; the operator's own, 23456, unless said otherwise."""
    join_timeout: Duration | None = None
    """How long nodes wait for the least number of them."""
    last_call_timeout: Duration | None = None
    """How long they wait for more once the least number is there."""
    conf: dict[str, Text | None] | None = None
    """Further settings of torchrun's --rdzv-conf."""
