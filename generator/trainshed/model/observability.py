"""What lets people see how a run fares: its metrics, its records, whom it tells, and what it logs when it hangs."""

from collections.abc import Mapping

from msgspec import Struct

from trainshed.model.pods import EnvVar
from trainshed.model.provenance import FieldPath


class MetricsPort(Struct, frozen=True):
    """The port and path where the program shows its metrics."""

    port: int
    path: str


class Observability(Struct, frozen=True):
    """How a run is watched: variables of its program, the port that is scraped, and recipients by service.

    `fields` says by name which field of the spec a variable comes from.
    """

    env: tuple[EnvVar, ...]
    metrics: MetricsPort | None
    notify: Mapping[str, tuple[str, ...]]
    fields: Mapping[str, FieldPath]
