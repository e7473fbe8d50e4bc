"""Network policies between the pods of one namespace, as `networking.k8s.io/v1` defines them."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, Literal

from trainshed.model.manifest import JsonObject
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
class Policy:
    """A network policy, read: whom it isolates, and what it lets through in each direction that it isolates in."""

    member: Member
    selector: JsonObject
    rules: Mapping[Direction, list[JsonObject]]

    @classmethod
    def of(cls, member: Member) -> "Policy":
        """As it is written."""
        spec = map_at(member.body, "spec")
        isolated = _types(spec)
        rules: dict[Direction, list[JsonObject]] = {
            direction: [rule for _, rule in maps_at(spec, field)]
            for direction, (field, _) in RULES.items()
            if direction in isolated
        }
        return cls(member, map_at(spec, "podSelector"), rules)


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A namespace: its labels, not all where they are not known, and its policies by one label that each asks for."""

    labels: dict[str, str]
    all_known: bool
    policies: Mapping[tuple[str, str] | None, list[Policy]]

    def isolating(self, labels: Mapping[str, str], direction: Direction) -> list[Policy]:
        """The policies that let nothing in or out of a pod with these labels but what they allow."""
        near = [policy for key in (None, *labels.items()) for policy in self.policies.get(key, ())]
        return [policy for policy in near if direction in policy.rules and selects(policy.selector, labels)]

    def lets_through(
        self, policies: list[Policy], direction: Direction, labels: Mapping[str, str], port: int
    ) -> bool:
        """Whether any of the policies allows TCP traffic from or to another pod of the namespace, of these labels."""
        _, peers = RULES[direction]
        return any(
            _has_port(rule, "TCP", (port,)) and self._has_peer(rule, peers, labels)
            for policy in policies
            for rule in policy.rules[direction]
        )

    def _has_peer(self, rule: Mapping[str, Any], field: str, labels: Mapping[str, str]) -> bool:
        return not rule.get(field) or any(
            "ipBlock" in peer  # whether that covers pods is for the network plug-in to say
            or (
                selects(peer.get("podSelector"), labels)
                and selects(peer.get("namespaceSelector"), self.labels, all_known=self.all_known)
            )
            for _, peer in maps_at(rule, field)
        )


def neighbourhoods(view: ClusterView, namespaces: Set[str]) -> dict[str, Neighbourhood]:
    """The policies of each of these namespaces."""
    found: dict[str, dict[tuple[str, str] | None, list[Policy]]] = {name: {} for name in namespaces}
    for member in view.of_kind("NetworkPolicy"):
        if member.namespace in namespaces:
            policy = Policy.of(member)
            wanted = next(iter(map_at(policy.selector, "matchLabels").items()), None)
            found[member.namespace].setdefault(wanted, []).append(policy)
    return {name: _neighbourhood(view, name, policies) for name, policies in found.items()}


def _neighbourhood(
    view: ClusterView, namespace: str, policies: Mapping[tuple[str, str] | None, list[Policy]]
) -> Neighbourhood:
    body = view.find("Namespace", "", namespace)
    labels = {**(labels_of(body.body) if body else {}), NAMESPACE_LABEL: namespace}
    return Neighbourhood(labels, body is not None, policies)


def answers_names(policies: list[Policy]) -> bool:
    """Whether any of the policies lets a pod ask the cluster's DNS."""
    return any(
        _has_port(rule, "UDP", DNS_PORTS) and _reaches_dns(rule)
        for policy in policies
        for rule in policy.rules["Egress"]
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


def _types(spec: JsonObject) -> list[Any]:
    """Ingress always, and Egress where there are rules for it, unless the policy says itself."""
    implied = ["Ingress", *(["Egress"] if "egress" in spec else [])]
    return items_at(spec, "policyTypes") or implied


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
