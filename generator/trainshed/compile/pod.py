"""Pod templates as plain data: restricted by default, sized, and nothing in them that nobody asked for."""

from collections.abc import Iterable, Mapping
from typing import Any

from trainshed.compile.labels import pod_labels, user_annotations
from trainshed.compile.names import (
    PASSWD_FILE,
    code_config_map,
    needs_passwd,
    parameters_config_map,
    passwd_config_map,
)
from trainshed.compile.plain import without_empty
from trainshed.model.catalog import Fabric
from trainshed.model.contract import CODE_DIRECTORY, CONTRACT_DIRECTORY
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Backend, EnvVar, GitCode, PodGroup, Target

UNLIMITED = frozenset({"cpu", "ephemeral-storage"})
PARAMETERS_FILE = "parameters.yaml"
TORCHRUN_KILLS_AFTER = 30
"""Seconds that torchrun gives its processes after SIGTERM unless told otherwise (as torch 2.12 and newer can be)."""

TORCHRUN_LEAVES_WITHIN = 10
"""Seconds that torchrun itself needs to leave once its processes have."""

RESTRICTED: Mapping[str, Any] = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
"""What Pod Security restricted demands of every container."""


def pod_template(
    target: Target,
    group: PodGroup,
    *,
    container: str,
    restart_policy: str = "",
    command: Iterable[str] = (),
    args: Iterable[str] = (),
) -> JsonObject:
    """The template of a group's pods, with the training container first."""
    return {
        "metadata": without_empty({"labels": pod_labels(target), "annotations": user_annotations(target)}),
        "spec": without_empty(
            {
                "restartPolicy": restart_policy,
                "serviceAccountName": target.service_account,
                "automountServiceAccountToken": False,
                "enableServiceLinks": False,
                "securityContext": _pod_security(target),
                "imagePullSecrets": [{"name": name} for name in target.image_pull_secrets],
                "terminationGracePeriodSeconds": target.grace_seconds,
                "nodeSelector": node_selector(group),
                "affinity": node_affinity(group),
                "tolerations": tolerations(group),
                "initContainers": [_clone(target, target.git)] if target.git else [],
                "containers": [_container(target, group, container, list(command), list(args))],
                "volumes": _volumes(target, group),
            }
        ),
    }


def node_selector(group: PodGroup) -> dict[str, str]:
    """The labels of the one pool that the pods may go to."""
    return dict(group.node_terms[0]) if len(group.node_terms) == 1 else {}


def node_affinity(group: PodGroup) -> JsonObject:
    """A term for each of several pools that the pods may go to."""
    if len(group.node_terms) < 2:
        return {}
    terms = [
        {
            "matchExpressions": [
                {"key": key, "operator": "In", "values": [value]} for key, value in term.items()
            ]
        }
        for term in group.node_terms
    ]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def security_context(target: Target, fabric: Fabric | None = None) -> JsonObject:
    """A container's security context: restricted, plus what an approved fabric or privilege needs."""
    if target.privileged:
        return {"privileged": True}
    add = list(fabric.capabilities) if fabric else []
    return without_empty(
        {
            **RESTRICTED,
            "capabilities": without_empty({"drop": ["ALL"], "add": add}),
            "readOnlyRootFilesystem": target.read_only_root or None,
        }
    )


def _pod_security(target: Target) -> JsonObject:
    run_as = target.run_as
    return without_empty(
        {
            "runAsNonRoot": run_as.user != 0,
            "runAsUser": run_as.user,
            "runAsGroup": run_as.group,
            "fsGroup": run_as.fs_group,
            "supplementalGroups": list(run_as.supplemental_groups),
            "fsGroupChangePolicy": "OnRootMismatch" if run_as.fs_group else None,
            "seccompProfile": {"type": "RuntimeDefault"},
        }
    )


def _container(target: Target, group: PodGroup, name: str, command: list[str], args: list[str]) -> JsonObject:
    return without_empty(
        {
            "name": name,
            "image": group.image or target.image,
            "imagePullPolicy": target.image_pull_policy,
            "command": command,
            "args": args,
            "workingDir": target.working_dir or (CODE_DIRECTORY if target.code_files or target.git else ""),
            "env": [_env_entry(variable) for variable in _all_env(target, group)],
            "envFrom": [
                *({"secretRef": {"name": secret}} for secret in target.env_from_secrets),
                *({"configMapRef": {"name": config_map}} for config_map in target.env_from_config_maps),
            ],
            "resources": _resources({**group.requests, **_disk(target)}),
            "securityContext": security_context(target, group.fabric),
            "volumeMounts": _volume_mounts(target, group),
        }
    )


def _disk(target: Target) -> dict[str, str]:
    """Scratch space on the node's disk is asked for, or the scheduler would promise it to several pods."""
    scratch = target.scratch
    return {"ephemeral-storage": scratch.size} if scratch and scratch.medium == "disk" else {}


def _resources(requests: Mapping[str, str]) -> JsonObject:
    """Limits equal requests, but for two.

    The CPU may take what its neighbours leave idle, and a limit of the disk would count logs and image files as well.
    """
    limits = {name: quantity for name, quantity in requests.items() if name not in UNLIMITED}
    return {"requests": dict(requests), "limits": limits}


def _all_env(target: Target, group: PodGroup) -> list[EnvVar]:
    """The contract with the code, then the fabric's needs, then the job's own words, which win."""
    contract = dict(_contract(target))
    fabric = dict(group.fabric.env) if group.fabric else {}
    plain = [EnvVar(name, "value", value) for name, value in {**contract, **fabric}.items()]
    first = [EnvVar("TRAINSHED_FIRING", "field", "metadata.labels['batch.kubernetes.io/job-name']")]
    written = {variable.name: variable for variable in (*plain, *target.env, *group.env)}
    return [*(first if target.backend is Backend.CRONJOB else ()), *written.values()]


def _contract(target: Target) -> Iterable[tuple[str, str]]:
    """What the code may count on: where it is, what it is called, where and how often to save."""
    yield "HOME", "/tmp"
    yield "USER", "train"
    yield "TRAINSHED_JOB", target.job
    yield "TRAINSHED_RUN", target.run
    yield "TRAINSHED_ATTEMPT", str(target.attempt)
    if target.parameters:
        yield "TRAINSHED_PARAMETERS", f"{CONTRACT_DIRECTORY}/{PARAMETERS_FILE}"
    if target.command[:1] == ("torchrun",) and target.grace_seconds > TORCHRUN_KILLS_AFTER:
        yield "TORCH_ELASTIC_SHUTDOWN_TIMEOUT", str(target.grace_seconds - TORCHRUN_LEAVES_WITHIN)
    checkpoint = target.checkpoint
    if checkpoint is None:
        return
    yield "TRAINSHED_CHECKPOINT_DIR", checkpoint.directory
    yield "TRAINSHED_CHECKPOINT_RESUME", checkpoint.resume
    numbers = {
        "TRAINSHED_CHECKPOINT_EVERY_SECONDS": checkpoint.every_seconds,
        "TRAINSHED_CHECKPOINT_EVERY_STEPS": checkpoint.every_steps,
        "TRAINSHED_CHECKPOINT_KEEP_LAST": checkpoint.keep_last,
        "TRAINSHED_CHECKPOINT_KEEP_BEST": checkpoint.keep_best,
        "TRAINSHED_CHECKPOINT_SAVE_SECONDS": checkpoint.save_seconds,
    }
    yield from ((name, str(number)) for name, number in numbers.items() if number)
    yield "TRAINSHED_GRACE_SECONDS", str(target.grace_seconds)


def _env_entry(variable: EnvVar) -> JsonObject:
    if variable.kind == "value":
        return without_empty({"name": variable.name, "value": variable.value})
    source = {
        "secret": {"secretKeyRef": {"name": variable.value, "key": variable.key}},
        "configMap": {"configMapKeyRef": {"name": variable.value, "key": variable.key}},
        "field": {"fieldRef": {"apiVersion": "v1", "fieldPath": variable.value}},
    }[variable.kind]
    return {"name": variable.name, "valueFrom": source}


def tolerations(group: PodGroup) -> list[JsonObject]:
    """What lets the group's pods onto the tainted nodes of its pools."""
    return [
        {
            "key": taint.key,
            "effect": taint.effect,
            **({"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}),
        }
        for taint in group.tolerations
    ]


def _clone(target: Target, git: GitCode) -> JsonObject:
    """An init container that fetches one commit and nothing else: no shell, no history, no moving branch."""
    ssh = "ssh -i /etc/git/ssh-privatekey -o UserKnownHostsFile=/etc/git/known_hosts -o StrictHostKeyChecking=yes"
    mounts: list[JsonObject] = [{"name": "code", "mountPath": CODE_DIRECTORY}]
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
            "args": ["clone", "--depth=1", f"--revision={git.commit}", "--", git.repo, CODE_DIRECTORY],
            "env": [
                {"name": "HOME", "value": "/tmp"},
                *([{"name": "GIT_SSH_COMMAND", "value": ssh}] if git.secret else []),
            ],
            "resources": _resources({"cpu": "100m", "memory": "256Mi"}),
            "securityContext": security_context(target),
            "volumeMounts": mounts,
        }
    )


def _volume_mounts(target: Target, group: PodGroup) -> list[JsonObject]:
    mounts: list[JsonObject] = []
    if target.code_files or target.git:
        mounts.append({"name": "code", "mountPath": CODE_DIRECTORY, "readOnly": True})
    if target.parameters:
        mounts.append({"name": "parameters", "mountPath": CONTRACT_DIRECTORY, "readOnly": True})
    if group.shm:
        mounts.append({"name": "shm", "mountPath": "/dev/shm"})
    if target.scratch:
        mounts.append({"name": "scratch", "mountPath": target.scratch.mount_path})
    if target.read_only_root:
        mounts.append({"name": "tmp", "mountPath": "/tmp"})
    mounts.extend(
        without_empty(
            {
                "name": mount.name,
                "mountPath": mount.mount_path,
                "subPath": mount.sub_path,
                "readOnly": mount.read_only or None,
            }
        )
        for mount in target.mounts
    )
    return mounts


def _volumes(target: Target, group: PodGroup) -> list[JsonObject]:
    volumes: list[JsonObject] = []
    if target.code_files:
        items = [{"key": key, "path": file.mounted_as} for key, file in code_config_map(target).files]
        volumes.append({"name": "code", "configMap": {"name": code_config_map(target).name, "items": items}})
    if target.git:
        volumes.append({"name": "code", "emptyDir": {"sizeLimit": "2Gi"}})
        if target.git.secret:
            volumes.append({"name": "git", "secret": {"secretName": target.git.secret, "defaultMode": 0o440}})
    if needs_passwd(target):
        volumes.append({"name": "passwd", "configMap": {"name": passwd_config_map(target).name}})
    if target.parameters:
        volumes.append({"name": "parameters", "configMap": {"name": parameters_config_map(target).name}})
    if group.shm:
        volumes.append({"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": group.shm}})
    if target.scratch:
        medium = {"medium": "Memory"} if target.scratch.medium == "memory" else {}
        volumes.append({"name": "scratch", "emptyDir": {**medium, "sizeLimit": target.scratch.size}})
    if target.read_only_root:
        volumes.append({"name": "tmp", "emptyDir": {"sizeLimit": "1Gi"}})
    for mount in target.mounts:
        source = {
            "claim": {"persistentVolumeClaim": {"claimName": mount.origin}},
            "configMap": {"configMap": {"name": mount.origin}},
            "secret": {"secret": {"secretName": mount.origin, "defaultMode": 0o440}},
            "hostPath": {"hostPath": {"path": mount.origin}},
        }[mount.kind]
        volumes.append({"name": mount.name, **source})
    return volumes
