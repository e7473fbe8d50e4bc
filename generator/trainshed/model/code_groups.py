"""The groups that codes are listed in: what a finding is about, in the order in which a spec meets its judges."""

from collections.abc import Mapping
from types import MappingProxyType

from trainshed.model.codes import Code

_BEGINNINGS: Mapping[Code, str] = MappingProxyType(
    {
        Code.UNREADABLE_FILE: "Files that cannot be taken in",
        Code.YAML_SYNTAX: "YAML that cannot be taken in",
        Code.UNKNOWN_FIELD: "Specs of the wrong shape",
        Code.BAD_NAME: "Values that cannot be what was meant",
        Code.UNKNOWN_TEAM: "References to what does not exist",
        Code.BACKEND_CANNOT: "Wishes that cannot be granted",
        Code.SCHEMA_INVALID: "What is rendered",
        Code.REFUSED_DECODING: "What the judges of the cluster would refuse",
        Code.NO_SUCH_QUEUE: "References between the objects of a cluster",
        Code.CHECKPOINT_MISSING: "Policies",
        Code.UNKNOWN_BASE: "The base of a change",
        Code.REHEARSAL_MISSING: "Rehearsals",
        Code.BAD_SEAL: "Sealed runs",
        Code.STALE_FILE: "Output",
    }
)
"""The first code of each group, and the group's title."""


def group_codes() -> Mapping[str, tuple[Code, ...]]:
    """All codes by the title of their group, both in the order of the table."""
    groups: dict[str, tuple[Code, ...]] = {}
    title = ""
    for code in Code:
        title = _BEGINNINGS.get(code, title)
        groups[title] = (*groups.get(title, ()), code)
    return groups
