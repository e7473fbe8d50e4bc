"""A bridge, and cables from it into network namespaces, through the kernel's rtnetlink(7)."""

import os
import socket
import struct
from ipaddress import IPv4Address, IPv4Network

BRIDGE = "pods"
PODS = IPv4Network("10.244.0.0/16")
GATEWAY = IPv4Address("10.244.0.1")

_NEW_LINK, _NEW_ADDRESS = 16, 20
_REQUEST, _ACKNOWLEDGE, _EXCLUSIVE, _CREATE = 0x1, 0x4, 0x200, 0x400
_ERROR = 2
_NAME, _MASTER, _LINK_INFO, _NAMESPACE_OF = 3, 10, 18, 19
_INFO_KIND, _INFO_DATA, _PEER = 1, 2, 1
_ADDRESS, _LOCAL = 1, 2
_UP = 1


def make_bridge() -> None:
    """The network that all pods are on, with this namespace at its gateway's address."""
    set_up("lo")
    _ask(_NEW_LINK, _CREATE | _EXCLUSIVE, _link() + _text(_NAME, BRIDGE) + _kind("bridge"))
    set_up(BRIDGE)
    give_address(BRIDGE, str(GATEWAY))


def lay_cable(name: str, process: int) -> None:
    """A cable from the bridge to eth0 in the network namespace of a process."""
    peer = _link() + _text(_NAME, "eth0") + _number(_NAMESPACE_OF, process)
    info = _kind("veth", _attribute(_PEER, peer))
    bridge = _number(_MASTER, socket.if_nametoindex(BRIDGE))
    _ask(_NEW_LINK, _CREATE | _EXCLUSIVE, _link(up=True) + _text(_NAME, name) + bridge + info)


def set_up(name: str) -> None:
    """Switch an interface on."""
    _ask(_NEW_LINK, 0, _link(socket.if_nametoindex(name), up=True))


def give_address(name: str, address: str) -> None:
    """Give an interface an address of the pods' network."""
    packed = IPv4Address(address).packed
    header = struct.pack("=BBBBI", socket.AF_INET, PODS.prefixlen, 0, 0, socket.if_nametoindex(name))
    _ask(
        _NEW_ADDRESS, _CREATE | _EXCLUSIVE, header + _attribute(_LOCAL, packed) + _attribute(_ADDRESS, packed)
    )


def _ask(kind: int, flags: int, body: bytes) -> None:
    header = struct.pack("=IHHII", 16 + len(body), kind, _REQUEST | _ACKNOWLEDGE | flags, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        kernel.send(header + body)
        reply = kernel.recv(65536)
    (answer,) = struct.unpack_from("=H", reply, 4)
    (error,) = struct.unpack_from("=i", reply, 16)
    if answer == _ERROR and error:
        raise OSError(-error, os.strerror(-error), "rtnetlink")


def _link(index: int = 0, *, up: bool = False) -> bytes:
    return struct.pack("=BBHiII", socket.AF_UNSPEC, 0, 0, index, _UP if up else 0, _UP if up else 0)


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def _text(kind: int, value: str) -> bytes:
    return _attribute(kind, value.encode() + b"\0")


def _number(kind: int, value: int) -> bytes:
    return _attribute(kind, struct.pack("=I", value))


def _kind(name: str, data: bytes = b"") -> bytes:
    return _attribute(_LINK_INFO, _text(_INFO_KIND, name) + (_attribute(_INFO_DATA, data) if data else b""))
