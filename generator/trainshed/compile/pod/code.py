"""Code and parameters that are not in the image: mounted from ConfigMaps, or cloned by an init container."""

from trainshed.compile.names import (
    PASSWD_FILE,
    code_config_map,
    needs_passwd,
    parameters_config_map,
    passwd_config_map,
    runtime_config_map,
    runtime_keys,
)
from trainshed.compile.plain import without_empty
from trainshed.compile.pod.env import env_entry
from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.compile.pod.resources import resources
from trainshed.compile.pod.security import security_context
from trainshed.compile.pod.trust import trust_env, trust_mounts
from trainshed.model.contract import CODE_DIRECTORY, CONTRACT_DIRECTORY, RUNTIME_DIRECTORY
from trainshed.model.families import RAY
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import EnvVar, GitCode, PodGroup

PARAMETERS_FILE = "parameters.yaml"
_MOUNT = {"name": "code", "mountPath": CODE_DIRECTORY, "readOnly": True}


def code_files(target: Target, _: PodGroup) -> PodPart:
    """The files that travel with the run."""
    if not target.code_files:
        return NO_PART
    config = code_config_map(target)
    items = [{"key": key, "path": file.mounted_as} for key, file in config.files]
    volume = {"name": "code", "configMap": {"name": config.name, "items": items}}
    return PodPart(volumes=(volume,), mounts=(_MOUNT,), source=("code",))


def git_clone(target: Target, _: PodGroup) -> PodPart:
    """A commit that an init container clones, and the key that it needs for that."""
    git = target.git
    if git is None:
        return NO_PART
    volumes: list[JsonObject] = [{"name": "code", "emptyDir": {"sizeLimit": "2Gi"}}]
    if git.secret:
        volumes.append({"name": "git", "secret": {"secretName": git.secret, "defaultMode": 0o440}})
    if needs_passwd(target):
        volumes.append({"name": "passwd", "configMap": {"name": passwd_config_map(target).name}})
    return PodPart(
        volumes=tuple(volumes),
        mounts=(_MOUNT,),
        inits=(_clone(target, git),),
        source=("code", "git"),
        sources={"git": ("code", "git", "secret")},
    )


def training_runtime(target: Target, _: PodGroup) -> PodPart:
    """The training runtime, where the run carries it. Its launcher says where it lies, but not to Ray's."""
    if target.runtime != "carried":
        return NO_PART
    items = [{"key": key, "path": path} for key, path in runtime_keys().items()]
    volume = {"name": "runtime", "configMap": {"name": runtime_config_map(target).name, "items": items}}
    mount = {"name": "runtime", "mountPath": RUNTIME_DIRECTORY, "readOnly": True}
    of_workers = (EnvVar("PYTHONPATH", "value", RUNTIME_DIRECTORY),) if target.backend in RAY else ()
    return PodPart(volumes=(volume,), mounts=(mount,), env=of_workers, source=("runtime",))


def parameters(target: Target, _: PodGroup) -> PodPart:
    """The hyper-parameters as a file."""
    if not target.parameters:
        return NO_PART
    volume = {"name": "parameters", "configMap": {"name": parameters_config_map(target).name}}
    mount = {"name": "parameters", "mountPath": CONTRACT_DIRECTORY, "readOnly": True}
    where = EnvVar("TRAINSHED_PARAMETERS", "value", f"{CONTRACT_DIRECTORY}/{PARAMETERS_FILE}")
    return PodPart(volumes=(volume,), mounts=(mount,), env=(where,), source=("parameters",))


def _clone(target: Target, git: GitCode) -> JsonObject:
    """An init container that fetches one commit and no more than is asked for: no shell, no moving branch."""
    ssh = "ssh -i /etc/git/ssh-privatekey -o UserKnownHostsFile=/etc/git/known_hosts -o StrictHostKeyChecking=yes"
    mounts: list[JsonObject] = [{"name": "code", "mountPath": CODE_DIRECTORY}]
    mounts.extend(trust_mounts(target))
    if git.secret:
        mounts.append({"name": "git", "mountPath": "/etc/git", "readOnly": True})
    if needs_passwd(target):
        mounts.append(
            {"name": "passwd", "mountPath": "/etc/passwd", "subPath": PASSWD_FILE, "readOnly": True}
        )
    return without_empty(
        {
            "name": "clone-code",
            "image": git.image,
            "command": ["git"],
            "args": ["clone", *_clone_options(git), "--", git.repo, CODE_DIRECTORY],
            "env": [
                {"name": "HOME", "value": "/tmp"},
                *map(env_entry, trust_env(target)),
                *([{"name": "GIT_SSH_COMMAND", "value": ssh}] if git.secret else []),
            ],
            "resources": resources({"cpu": "100m", "memory": "256Mi"}),
            "securityContext": security_context(target),
            "volumeMounts": mounts,
        }
    )


def _clone_options(git: GitCode) -> list[str]:
    """As much of the history as is asked for, and the one commit."""
    depth = [f"--depth={git.depth}"] if git.depth else []
    submodules = ["--recurse-submodules", "--shallow-submodules"] if git.submodules else []
    return [*depth, *submodules, f"--revision={git.commit}"]
