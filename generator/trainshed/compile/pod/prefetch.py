"""What happens to data before a run starts: it is fetched to local disk, and what must be there is looked for."""

from trainshed.compile.plain import without_empty
from trainshed.compile.pod.data import mount_entry
from trainshed.compile.pod.env import env_entry
from trainshed.compile.pod.part import PodPart
from trainshed.compile.pod.resources import resources
from trainshed.compile.pod.security import security_context
from trainshed.compile.pod.trust import trust_env, trust_mounts
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import EnvVar, Mount, PodGroup
from trainshed.model.provenance import FieldPath
from trainshed.model.quantity import sum_quantities
from trainshed.model.storage import Fetch, Requirement

FETCH = {"cpu": "1", "memory": "1Gi"}
LOOK = {"cpu": "10m", "memory": "16Mi"}


def prefetch(target: Target, group: PodGroup) -> PodPart:
    """An init container for each fetch and each file that is required; the fetched data is asked for as disk."""
    inputs = target.inputs
    inits = [_fetch(target, fetch) for fetch in inputs.fetches]
    inits += [_require(target, group, requirement) for requirement in inputs.requirements]
    disk = sum_quantities(fetch.mount.origin for fetch in inputs.fetches)
    fetched: dict[str, FieldPath] = {
        fetch_name(fetch.mount): (*fetch.mount.field, "uri") for fetch in inputs.fetches
    }
    required: dict[str, FieldPath] = {
        require_name(needed.mount): (*needed.mount.field, "requires") for needed in inputs.requirements
    }
    return PodPart(
        inits=tuple(inits),
        requests={"ephemeral-storage": disk} if inputs.fetches else {},
        sources=fetched | required,
    )


def fetch_name(mount: Mount) -> str:
    """The init container that fills a mount."""
    return f"fetch-{mount.name}"


def require_name(mount: Mount) -> str:
    """The init container that looks whether a file is there."""
    return f"require-{mount.name}"


def _fetch(target: Target, fetch: Fetch) -> JsonObject:
    home = EnvVar("HOME", "value", "/tmp")
    return without_empty(
        {
            "name": fetch_name(fetch.mount),
            "image": fetch.image,
            "command": list(fetch.command[:1]),
            "args": list(fetch.command[1:]),
            "env": [env_entry(variable) for variable in (home, *trust_env(target), *fetch.env)],
            "envFrom": [{"secretRef": {"name": fetch.secret}}] if fetch.secret else [],
            "resources": resources(FETCH),
            "securityContext": security_context(target),
            "volumeMounts": [*trust_mounts(target), _writable(fetch)],
        }
    )


def _writable(fetch: Fetch) -> JsonObject:
    """The mount to fetch to, whatever the run itself may do there."""
    return {key: value for key, value in mount_entry(fetch.mount).items() if key != "readOnly"}


def _require(target: Target, group: PodGroup, requirement: Requirement) -> JsonObject:
    """The image's own `test`, so that an empty volume ends the pod and is never trained on."""
    mount = requirement.mount
    return without_empty(
        {
            "name": require_name(mount),
            "image": group.image or target.image,
            "imagePullPolicy": target.image_pull_policy,
            "command": ["test"],
            "args": ["-e", f"{mount.mount_path}/{requirement.path}"],
            "resources": resources(LOOK),
            "securityContext": security_context(target),
            "volumeMounts": [mount_entry(mount)],
        }
    )
