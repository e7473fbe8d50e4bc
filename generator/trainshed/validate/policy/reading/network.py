"""Network policies between the pods of one namespace, as `networking.k8s.io/v1` defines them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from trainshed.validate.policy.reading.pods import containers
from trainshed.validate.policy.reading.selectors import selects
from trainshed.validate.policy.reading.values import items_at, labels_of, map_at, maps_at
from trainshed.validate.view import ClusterView, MadePod, Member

NAMESPACE_LABEL = "kubernetes.io/metadata.name"
DNS_NAMESPACES = ("kube-system", "openshift-dns")
DNS_PORTS = (53, 5353)

Direction = Literal["Ingress", "Egress"]
RULES: Mapping[Direction, tuple[str, str]] = {"Ingress": ("ingress", "from"), "Egress": ("egress", "to")}


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A namespace: its labels, None where they are not known, and its policies by one label that each asks for."""

    labels: dict[str, str]
    all_known: bool
    policies: Mapping[tuple[str, str] | None, list[Member]]

    def isolating(self, pod: MadePod, direction: Direction) -> list[Member]:
        """The policies that let nothing in or out of a pod but what they allow."""
        labels = labels_of(pod.body)
        near = [member for key in (None, *labels.items()) for member in self.policies.get(key, ())]
        return [
            policy
            for policy in near
            if direction in _types(policy) and selects(map_at(policy.body, "spec", "podSelector"), labels)
        ]

    def lets_through(self, policies: list[Member], direction: Direction, other: MadePod, port: int) -> bool:
        """Whether any of the policies allows TCP traffic from or to another pod of the namespace."""
        field, peers = RULES[direction]
        return any(
            _has_port(rule, "TCP", (port,)) and self._has_peer(rule, peers, other)
            for policy in policies
            for _, rule in maps_at(policy.body, "spec", field)
        )

    def _has_peer(self, rule: Mapping[str, Any], field: str, pod: MadePod) -> bool:
        if not rule.get(field):
            return True
        labels = labels_of(pod.body)
        return any(
            "ipBlock" in peer  # whether that covers pods is for the network plug-in to say
            or (
                selects(peer.get("podSelector"), labels)
                and selects(peer.get("namespaceSelector"), self.labels, all_known=self.all_known)
            )
            for _, peer in maps_at(rule, field)
        )


def neighbourhood(view: ClusterView, namespace: str) -> Neighbourhood:
    """The policies of a namespace."""
    body = view.find("Namespace", "", namespace)
    labels = {**(labels_of(body.body) if body else {}), NAMESPACE_LABEL: namespace}
    policies: dict[tuple[str, str] | None, list[Member]] = {}
    for policy in view.of_kind("NetworkPolicy"):
        if policy.namespace == namespace:
            wanted = map_at(policy.body, "spec", "podSelector", "matchLabels")
            policies.setdefault(next(iter(wanted.items()), None), []).append(policy)
    return Neighbourhood(labels, body is not None, policies)


def answers_names(policies: list[Member]) -> bool:
    """Whether any of the policies lets a pod ask the cluster's DNS."""
    return any(
        _has_port(rule, "UDP", DNS_PORTS) and _reaches_dns(rule)
        for policy in policies
        for _, rule in maps_at(policy.body, "spec", "egress")
    )


def _reaches_dns(rule: Mapping[str, Any]) -> bool:
    return not rule.get("to") or any(
        "ipBlock" in peer
        or (
            "namespaceSelector" in peer
            and any(
                selects(peer["namespaceSelector"], {NAMESPACE_LABEL: name}, all_known=False)
                for name in DNS_NAMESPACES
            )
        )
        for _, peer in maps_at(rule, "to")
    )


def _types(policy: Member) -> list[Any]:
    """Ingress always, and Egress where there are rules for it, unless the policy says itself."""
    implied = ["Ingress", *(["Egress"] if "egress" in map_at(policy.body, "spec") else [])]
    return items_at(policy.body, "spec", "policyTypes") or implied


def _has_port(rule: Mapping[str, Any], protocol: str, wanted: tuple[int, ...]) -> bool:
    return not rule.get("ports") or any(
        port.get("protocol", "TCP") == protocol and any(_covers(port, number) for number in wanted)
        for _, port in maps_at(rule, "ports")
    )


def _covers(port: Mapping[str, Any], number: int) -> bool:
    first = port.get("port")
    if not isinstance(first, int):
        return True  # every port, or one by a name that only the pod can resolve
    last = port.get("endPort")
    return first <= number <= (last if isinstance(last, int) else first)


def open_ports(pod: MadePod) -> Iterator[int]:
    """The TCP ports that the pod's containers say they listen on, but for those where metrics are read."""
    for _, container in containers(pod):
        for _, port in maps_at(container, "ports"):
            number = port.get("containerPort")
            is_tcp = port.get("protocol", "TCP") == "TCP"
            if isinstance(number, int) and is_tcp and "metrics" not in str(port.get("name")):
                yield number
