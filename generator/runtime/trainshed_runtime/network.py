"""Brings the ranks together, by an interface that is named, and says what is wrong when they do not meet."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed import HashStore, PrefixStore, Store, TCPStore  # pyright: ignore[reportPrivateImportUsage] - documented

_SIOCGIFADDR = 0x8915  # linux/sockios.h


class NetworkError(RuntimeError):
    """The ranks do not come together; the message says who, where, and what was tried."""


def init_process_group(
    backend: str | None = None, *, connect_seconds: float = 300, timeout: timedelta | None = None
) -> torch.device:
    """Join the other ranks that RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT tell of; alone where they are not set.

    Takes NCCL for tensors on GPUs and gloo for those on the CPU. The variables that name an interface are kept if they
    are set; else both use the interface that leads to MASTER_ADDR.

    Args:
        backend: one for all tensors, in place of these.
        connect_seconds: how long to wait for the others.
        timeout: how long a collective may take; PyTorch's own default if not given.

    Returns:
        The device of this rank.

    Raises:
        NetworkError: no such interface, nobody at MASTER_ADDR, the port is taken, or a rank that does not come.

    """
    device = _device()
    backend = backend or ("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    if "WORLD_SIZE" not in os.environ:
        dist.init_process_group(backend, store=HashStore(), rank=0, world_size=1, timeout=timeout)
        return device
    _name_interface(os.environ["MASTER_ADDR"])
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    until = time.monotonic() + connect_seconds
    store = _meet(rank, connect_seconds)
    _roll_call(store, rank, world_size, until)
    try:
        dist.init_process_group(backend, store=store, rank=rank, world_size=world_size, timeout=timeout)
    except (RuntimeError, ValueError) as error:
        raise NetworkError(
            f"rank {rank} cannot set {backend} up over {_interfaces_named()}: {error}"
        ) from error
    return device


def _device() -> torch.device:
    if not torch.cuda.is_available():
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
    torch.cuda.set_device(device)
    return device


def _meet(rank: int, connect_seconds: float) -> Store:
    """The store that all ranks share: rank 0's own, or that of the torchrun above it, which outlasts a restart."""
    host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    owned = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True"
    serves = rank == 0 and owned
    if not serves:
        _wait_for_listener(host, port, rank, connect_seconds)
    try:
        store = TCPStore(
            host,
            port,
            is_master=serves,
            timeout=timedelta(seconds=connect_seconds),
            wait_for_workers=False,
            multi_tenant=True,
        )
    except (RuntimeError, ValueError) as error:
        if serves and "EADDRINUSE" in str(error):
            words = f"rank 0 cannot listen on port {port}: another process has it; give another MASTER_PORT"
        else:
            words = f"rank {rank} cannot reach the store at {host}:{port}: {error}"
        raise NetworkError(words) from error
    restart = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    return store if owned else PrefixStore(f"restart-{restart}", store)


def _wait_for_listener(host: str, port: int, rank: int, connect_seconds: float) -> None:
    until = time.monotonic() + connect_seconds
    tries, wait = 0, 0.1
    while True:
        tries += 1
        try:
            socket.create_connection((host, port), timeout=min(5.0, connect_seconds)).close()
            return
        except OSError as error:
            if time.monotonic() + wait > until:
                raise NetworkError(_unreachable(host, port, rank, tries, connect_seconds, error)) from error
        time.sleep(wait)
        wait = min(2 * wait, 5.0)


def _unreachable(host: str, port: int, rank: int, tries: int, seconds: float, error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        advice = f"the name {host} does not resolve: is it the service of rank 0's pod?"
    else:
        advice = f"is rank 0's pod up, and does the network policy let port {port} through?"
    return (
        f"rank {rank} finds nobody at {host}:{port} ({tries} tries in {seconds:g} s, last: {error}); {advice}"
    )


def _roll_call(store: Store, rank: int, world_size: int, until: float) -> None:
    """Wait for every rank to say that it is there, and name those that do not come."""
    present = PrefixStore("present", store)
    present.set(str(rank), socket.gethostname())
    for other in range(world_size):
        try:
            present.wait([str(other)], timedelta(seconds=max(0.001, until - time.monotonic())))
        except RuntimeError:
            missing = [str(each) for each in range(world_size) if not present.check([str(each)])]
            names = ", ".join(missing[:8]) + (" and more" if len(missing) > 8 else "")
            raise NetworkError(
                f"rank {rank} waited in vain for rank {names} of {world_size}: they reached no store at "
                f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}; look at their pods"
            ) from None


def _name_interface(master: str) -> None:
    """Name the interface that leads to rank 0, and check the one that is named already."""
    present = [name for _, name in socket.if_nameindex()]
    for variable in ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"):
        wanted = os.environ.get(variable, "")
        if wanted and not _names_one(wanted, present):
            raise NetworkError(f"{variable} is {wanted!r}, but this machine has {', '.join(present)}")
        if not wanted and (name := _interface_towards(master)):
            os.environ[variable] = name


def _names_one(wanted: str, present: list[str]) -> bool:
    """Whether an interface fits: names or prefixes after commas, `=` for exactly these, `^` for all but these.

    Source: NCCL's documentation of NCCL_SOCKET_IFNAME. Gloo takes names alone.
    """
    if wanted.startswith("^"):
        return True
    names = tuple(name.partition(":")[0] for name in wanted.removeprefix("=").split(","))
    return any(name in names if wanted.startswith("=") else name.startswith(names) for name in present)


def _interface_towards(host: str) -> str | None:
    """The interface by which packets for the host leave; `None` where that cannot be told, or is no way to others."""
    with suppress(OSError):
        family, _, _, _, address = socket.getaddrinfo(host, 9, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(address)  # sends nothing: only the route is looked up
            source = ipaddress.ip_address(probe.getsockname()[0])
        alone = os.environ.get("LOCAL_WORLD_SIZE") == os.environ["WORLD_SIZE"]
        if alone or not source.is_loopback:
            return next((name for name, address in _addresses() if address == source), None)
    return None


def _addresses() -> Iterator[tuple[str, ipaddress.IPv4Address | ipaddress.IPv6Address]]:
    """The addresses of this machine's interfaces, IPv4 from the kernel, IPv6 from its table."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            with suppress(OSError):
                answer = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                yield name, ipaddress.ip_address(answer[20:24])
    with suppress(OSError):
        for line in Path("/proc/net/if_inet6").read_text().splitlines():
            digits, *_, name = line.split()
            yield name, ipaddress.ip_address(bytes.fromhex(digits))


def _interfaces_named() -> str:
    return ", ".join(
        f"{name}={os.environ.get(name, '')}" for name in ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME")
    )
