"""Where the Python of pods keeps what it has compiled, for what they import lies in folders that are read-only there.

Installers such as uv leave packages uncompiled, and then every process of every pod would compile them again.
"""

from functools import cache
from itertools import islice
from pathlib import Path

from trainshed.rehearse.kubelet.setting import HERE, PodFacts, Setting
from trainshed.rehearse.rooms.room import Mount

BYTECODE_IN_ROOM = "/.trainshed/bytecode"
PACKAGES_LOOKED_AT = 200


def bytecode_of(facts: PodFacts, setting: Setting) -> Mount | None:
    """The folder that all pods of a rehearsal share, None where they need none; it is there when this returns."""
    if facts.address == HERE or is_compiled(setting.python):
        return None
    folder = facts.folder.parents[1] / "bytecode"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o777)  # pods run as users of their own
    return Mount(BYTECODE_IN_ROOM, str(folder))


@cache
def is_compiled(python: Path) -> bool:
    """Whether most packages beside a folder of programs have their bytecode; also where there are none."""
    packages = islice(python.parent.glob("lib/python3*/site-packages/*/__init__.py"), PACKAGES_LOOKED_AT)
    compiled = [any((package.parent / "__pycache__").glob("__init__.*.pyc")) for package in packages]
    return 2 * sum(compiled) >= len(compiled)
