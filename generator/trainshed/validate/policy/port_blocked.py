"""The pods of one run reach each other where they meet, and the cluster's DNS, past every network policy."""

from collections.abc import Iterator, Mapping

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity
from trainshed.model.manifest import ObjectId
from trainshed.validate.policy.reading.network import Neighbourhood, answers_names, neighbourhood, open_ports
from trainshed.validate.policy.reading.values import map_at
from trainshed.validate.view import ClusterView, MadePod, Member

UNDECLARED: Mapping[tuple[str, str], int] = {("MPIJob", "worker"): 22}
"""Ports that pods of a kind and role listen on without their containers' saying so."""


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """At most one finding for each run of several pods, at the run."""
    runs: dict[ObjectId, list[MadePod]] = {}
    for pod in view.pods:
        runs.setdefault(pod.owner.identity, []).append(pod)
    places = {namespace: neighbourhood(view, namespace) for namespace in {one.namespace for one in runs}}
    for pods in runs.values():
        if sum(pod.count for pod in pods) > 1 and not any(_is_on_host(pod) for pod in pods):
            yield from _judge(pods, places[pods[0].owner.namespace])


def _judge(pods: list[MadePod], place: Neighbourhood) -> Iterator[Diagnostic]:
    blocked = next(_blocked(pods, place), None)
    if blocked is not None:
        words, policies = blocked
        owner = pods[0].owner
        yield Diagnostic(
            code=Code.PORT_BLOCKED,
            severity=Severity.ERROR,
            summary=f"{owner.identity} cannot work: {words}",
            source=owner.at(),
            detail="add a NetworkPolicy that lets the pods of the run talk to each other and ask for names",
            related=tuple(
                Related(policy.at("/spec"), f"{policy.identity} isolates them") for policy in policies
            ),
        )


def _blocked(pods: list[MadePod], place: Neighbourhood) -> Iterator[tuple[str, list[Member]]]:
    leaving = [place.isolating(pod, "Egress") for pod in pods]
    entering = [place.isolating(pod, "Ingress") for pod in pods]
    for one, out in zip(pods, leaving, strict=True):
        if out and not answers_names(out):
            yield f"no policy lets {_call(one)} ask the cluster's DNS", out
        for other, into in zip(pods, entering, strict=True):
            if one is other and one.count == 1:
                continue
            for port in _ports(other):
                if into and not place.lets_through(into, "Ingress", one, port):
                    yield f"no policy lets {_call(one)} into {_call(other)} on port {port}", into
                if out and not place.lets_through(out, "Egress", other, port):
                    yield f"no policy lets {_call(one)} out to {_call(other)} on port {port}", out


def _ports(pod: MadePod) -> list[int]:
    undeclared = UNDECLARED.get((pod.owner.identity.kind, pod.role.lower()))
    return [*open_ports(pod), *([undeclared] if undeclared else [])]


def _call(pod: MadePod) -> str:
    return f"its {pod.role}" if pod.role else "its pods"


def _is_on_host(pod: MadePod) -> bool:
    """Policies do not look at pods on the network of their node."""
    return map_at(pod.body, "spec").get("hostNetwork") is True
