"""The pods of one run reach each other where they meet, and the cluster's DNS, past every network policy."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity
from trainshed.model.manifest import ObjectId
from trainshed.validate.policy.reading.network import (
    Neighbourhood,
    Policy,
    answers_names,
    neighbourhoods,
    open_ports,
)
from trainshed.validate.policy.reading.values import labels_of, map_at
from trainshed.validate.view import ClusterView, MadePod

UNDECLARED: Mapping[tuple[str, str], int] = {("MPIJob", "worker"): 22}
"""Ports that pods of a kind and role listen on without their containers' saying so."""


@dataclass(frozen=True, slots=True, eq=False)
class Resident:
    """A made pod as policies see it; `entering` and `leaving` are those that isolate it."""

    pod: MadePod
    labels: Mapping[str, str]
    ports: list[int]
    entering: list[Policy]
    leaving: list[Policy]

    @classmethod
    def of(cls, pod: MadePod, place: Neighbourhood) -> "Resident":
        """In its namespace."""
        labels = labels_of(pod.body)
        entering, leaving = place.isolating(labels, "Ingress"), place.isolating(labels, "Egress")
        return cls(pod, labels, _ports(pod), entering, leaving)


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """At most one finding for each run of several pods, at the run."""
    runs: dict[ObjectId, list[MadePod]] = {}
    for pod in view.pods:
        runs.setdefault(pod.owner.identity, []).append(pod)
    places = neighbourhoods(view, {one.namespace for one in runs})
    for run, pods in runs.items():
        if sum(pod.count for pod in pods) > 1 and not any(_is_on_host(pod) for pod in pods):
            yield from _judge(
                [Resident.of(pod, places[run.namespace]) for pod in pods], places[run.namespace]
            )


def _judge(residents: list[Resident], place: Neighbourhood) -> Iterator[Diagnostic]:
    blocked = next(_blocked(residents, place), None)
    if blocked is not None:
        words, policies = blocked
        owner = residents[0].pod.owner
        yield Diagnostic(
            code=Code.PORT_BLOCKED,
            severity=Severity.ERROR,
            summary=f"{owner.identity} cannot work: {words}",
            source=owner.at(),
            detail="add a NetworkPolicy that lets the pods of the run talk to each other and ask for names",
            related=tuple(
                Related(policy.member.at("/spec"), f"{policy.member.identity} isolates them")
                for policy in policies
            ),
        )


def _blocked(residents: list[Resident], place: Neighbourhood) -> Iterator[tuple[str, list[Policy]]]:
    for one in residents:
        out, who = one.leaving, _call(one.pod)
        if out and not answers_names(out):
            yield f"no policy lets {who} ask the cluster's DNS", out
        for other in residents:
            if one is other and one.pod.count == 1:
                continue
            into, whom = other.entering, _call(other.pod)
            for port in other.ports:
                if into and not place.lets_through(into, "Ingress", one.labels, port):
                    yield f"no policy lets {who} into {whom} on port {port}", into
                if out and not place.lets_through(out, "Egress", other.labels, port):
                    yield f"no policy lets {who} out to {whom} on port {port}", out


def _ports(pod: MadePod) -> list[int]:
    undeclared = UNDECLARED.get((pod.owner.identity.kind, pod.role.lower()))
    return [*open_ports(pod), *([undeclared] if undeclared else [])]


def _call(pod: MadePod) -> str:
    return f"its {pod.role}" if pod.role else "its pods"


def _is_on_host(pod: MadePod) -> bool:
    """Policies do not look at pods on the network of their node."""
    return map_at(pod.body, "spec").get("hostNetwork") is True
