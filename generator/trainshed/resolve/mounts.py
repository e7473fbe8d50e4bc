"""What is mounted into the pods: data, checkpoints, results and scratch space, each at a place of its own."""

from trainshed.model.codes import Code
from trainshed.model.contract import CODE_DIRECTORY, CONTRACT_DIRECTORY, LOCAL_CHECKPOINTS, TRUST_DIRECTORY
from trainshed.model.pods import Mount, Scratch
from trainshed.model.team import VolumeClaim
from trainshed.resolve.code import mount_code
from trainshed.resolve.data import resolve_data
from trainshed.resolve.draft import Draft
from trainshed.resolve.found import Mounting
from trainshed.resolve.local_space import LEAST_SIZE, storage_class
from trainshed.resolve.saving import mount_kept

SCRATCH_PATH = "/scratch"

TAKEN = {
    "/dev/shm": "shared memory (see shm)",
    CODE_DIRECTORY: "the code that travels with the run",
    CONTRACT_DIRECTORY: "the run's parameters",
    TRUST_DIRECTORY: "the certificates to trust",
    LOCAL_CHECKPOINTS: "the local tier of checkpoints",
}


def resolve_mounts(
    draft: Draft, max_pods: int, approved: bool
) -> tuple[tuple[Mount, ...], tuple[VolumeClaim, ...]]:
    """Everything mounted, and the claims that the job itself makes."""
    mounting = Mounting(draft, max_pods, approved)
    data = {name: entry for name, entry in sorted((draft.body.data or {}).items()) if entry is not None}
    mounts = [mount for name, entry in data.items() if (mount := resolve_data(mounting, name, entry))]
    mounts += mount_kept(mounting)
    _check_places(draft, mounts)
    return (*mounts, *mount_code(mounting)), tuple(mounting.claims)


def _check_places(draft: Draft, mounts: list[Mount]) -> None:
    places = dict(TAKEN)
    if draft.body.security is not None and draft.body.security.read_only_root:
        places["/tmp"] = "space for temporary files (see readOnlyRoot)"
    if draft.body.scratch is not None:
        path = draft.body.scratch.mount_path or SCRATCH_PATH
        _take_place(draft, places, path, "the scratch space", ("scratch", "mountPath"))
    for mount in mounts:
        field = (*mount.field, "mountPath") if mount.field[0] == "data" else mount.field
        _take_place(draft, places, mount.mount_path, f'"{mount.name}"', field)


def _take_place(
    draft: Draft, places: dict[str, str], path: str, what: str, field: tuple[str | int, ...]
) -> None:
    if path in places:
        draft.refuse(
            Code.MOUNT_TAKEN, field, f"{path} is where {places[path]} is mounted", "mount it somewhere else"
        )
    places[path] = what


def resolve_scratch(draft: Draft) -> Scratch | None:
    """Local space, if the job asks for it."""
    scratch = draft.body.scratch
    if scratch is None:
        return None
    if scratch.size is None:
        draft.refuse(
            Code.MISSING_FIELD, ("scratch",), "the scratch space has no size", "write scratch: 100Gi"
        )
    return Scratch(
        scratch.size or LEAST_SIZE,
        scratch.mount_path or SCRATCH_PATH,
        scratch.medium or "disk",
        storage_class(draft, scratch, "scratch space"),
    )
