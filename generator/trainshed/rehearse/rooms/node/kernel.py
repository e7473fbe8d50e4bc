"""The system calls of Linux that Python 3.11 has no name for. All raise `OSError` with the name of the call."""

import ctypes
import os
import struct
from functools import cache

NEW_MOUNTS = 0x00020000
NEW_HOSTNAME = 0x04000000
NEW_IPC = 0x08000000
NEW_USER = 0x10000000
NEW_PROCESSES = 0x20000000
NEW_NETWORK = 0x40000000

NO_SUID, NO_DEVICES, NO_PROGRAMS = 2, 4, 8
REMOUNT = 32
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18

_DETACH = 2
_HERE = -100
_MOUNT_SETATTR = 442  # the same number on every architecture, since Linux 5.12
_WHOLE_TREE = 0x8000
_READ_ONLY = 1
_DEATH_SIGNAL, _SUBREAPER, _NO_NEW_PRIVILEGES = 1, 36, 38


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc(), name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)


def unshare(namespaces: int) -> None:
    """Leave namespaces for new ones; processes: only children that are forked from now on."""
    _call("unshare", ctypes.c_int(namespaces))


def enter(namespace: int) -> None:
    """Join the namespace of an open file of `/proc/<pid>/ns`."""
    _call("setns", ctypes.c_int(namespace), ctypes.c_int(0))


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount a file system, or with `BIND` a folder or file."""
    _call(
        "mount",
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )


def set_read_only(path: str, read_only: bool, *, whole_tree: bool = False) -> None:
    """Make a mount read-only or writable, and with `whole_tree` all mounts below it."""
    wanted = struct.pack("=QQQQ", _READ_ONLY if read_only else 0, 0 if read_only else _READ_ONLY, 0, 0)
    _call(
        "syscall",
        ctypes.c_long(_MOUNT_SETATTR),
        ctypes.c_int(_HERE),
        os.fsencode(path),
        ctypes.c_uint(_WHOLE_TREE if whole_tree else 0),
        wanted,
        ctypes.c_size_t(len(wanted)),
    )


def move_into(root: str) -> None:
    """Make a mount the root of this process, and let go of all that lay outside of it."""
    os.chdir(root)
    _call("pivot_root", b".", b".")
    _call("umount2", b".", ctypes.c_int(_DETACH))
    os.chdir("/")


def set_hostname(name: str) -> None:
    """The name that this host namespace goes by."""
    encoded = name.encode()
    _call("sethostname", encoded, ctypes.c_size_t(len(encoded)))


def die_with_parent(signal: int) -> None:
    """Have the kernel send a signal to this process when its parent ends."""
    _call("prctl", ctypes.c_int(_DEATH_SIGNAL), *map(ctypes.c_ulong, (signal, 0, 0, 0)))


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    _call("prctl", ctypes.c_int(_SUBREAPER), *map(ctypes.c_ulong, (1, 0, 0, 0)))


def gain_no_privileges() -> None:
    """From now on no program can give this process more rights than it has (allowPrivilegeEscalation: false)."""
    _call("prctl", ctypes.c_int(_NO_NEW_PRIVILEGES), *map(ctypes.c_ulong, (1, 0, 0, 0)))


def become(user: int, group: int) -> None:
    """In a new user namespace, be known by these numbers; outside this process stays who it is."""
    own_user, own_group = os.geteuid(), os.getegid()
    unshare(NEW_USER)
    for file, line in (
        ("setgroups", "deny"),  # without this the kernel refuses the map of groups
        ("uid_map", f"{user} {own_user} 1"),
        ("gid_map", f"{group} {own_group} 1"),
    ):
        with open(f"/proc/self/{file}", "w") as stream:
            stream.write(line)
