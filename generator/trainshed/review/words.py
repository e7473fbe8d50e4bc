"""What a reviewer calls a field: patterns of paths, the first that fits wins.

In a pattern `**` is any way, `<x>` one step that the words take up, and every other step one or several names with
`*` inside. A path that no row knows is shown as it is.
"""

import re
from collections.abc import Sequence
from functools import cache

from trainshed.model.review import FieldChange

HIDDEN = ""
"""Words of fields that follow from others, and are not shown."""

ROWS: tuple[tuple[str, str], ...] = (
    ("metadata annotations argocd.argoproj.io/manifest-generate-paths", HIDDEN),
    ("metadata annotations argocd.argoproj.io/sync-options", "sync options of Argo CD"),
    ("metadata annotations argocd.argoproj.io/sync-wave", "sync wave"),
    ("metadata annotations <name>", "annotation <name>"),
    ("** kueue.x-k8s.io/queue-name", "queue"),
    ("** kueue.x-k8s.io/priority-class", "priority"),
    ("** kueue.x-k8s.io/max-exec-time-seconds", "deadline (seconds)"),
    ("** pod-security.kubernetes.io/<mode>", "Pod Security (<mode>)"),
    ("** metadata labels <name>", "label <name>"),
    ("** metadata annotations <name>", "annotation <name>"),
    ("** metadata finalizers", "finalizers"),
    ("spec resources requests storage", "size"),
    # pods
    ("** initContainers <name> image", "image of init container <name>"),
    ("** initContainers <name>", "init container <name>"),
    ("** containers <name> image", "image"),
    ("** containers|initContainers * command", "command"),
    ("** containers|initContainers * args", "arguments"),
    ("** containers|initContainers * workingDir", "working directory"),
    ("** env TRAINSHED_CHECKPOINT_DIR **", "checkpoint folder"),
    ("** env TRAINSHED_CHECKPOINT_RESUME*", "resume"),
    ("** env TRAINSHED_CHECKPOINT_* **", "checkpoints"),
    ("** env TRAINSHED_ATTEMPT **", "attempt"),
    ("** env <name> **", "variable <name>"),
    ("** envFrom **", "variables from"),
    ("** resources limits|requests cpu", "CPU"),
    ("** resources limits|requests memory", "memory"),
    ("** resources limits|requests ephemeral-storage", "local disk"),
    ("** resources limits|requests nvidia.com/gpu|amd.com/gpu|nvidia.com/mig-*|*/gpu*", "GPUs"),
    ("** resources limits|requests <name>", "<name>"),
    ("** containers|initContainers * volumeMounts <path> **", "mount at <path>"),
    ("** containers|initContainers * ports **", "ports"),
    ("** containers|initContainers * securityContext **", "security context"),
    ("** containers <name>", "container <name>"),
    ("** volumes <name> persistentVolumeClaim claimName", "volume <name>"),
    ("** volumes <name> **", "volume <name>"),
    ("** nodeSelector <name>", "node label <name>"),
    ("** affinity **", "affinity"),
    ("** tolerations **", "tolerations"),
    ("** topologySpreadConstraints **", "spread"),
    ("** serviceAccountName", "service account"),
    ("** automountServiceAccountToken", "token of the service account"),
    ("** imagePullSecrets **", "image pull secrets"),
    ("** template spec securityContext <field> **", "security context: <field>"),
    ("** hostNetwork|hostPID|hostIPC", "host namespaces"),
    ("** terminationGracePeriodSeconds", "grace period"),
    ("** priorityClassName", "pod priority"),
    ("** schedulerName", "scheduler"),
    # kinds that carry runs
    ("spec *ReplicaSpecs <role> replicas", "nodes (<role>)"),
    ("spec *ReplicaSpecs <role> restartPolicy", "restart policy (<role>)"),
    ("** replicatedJobs <role> replicas", "groups (<role>)"),
    ("** replicatedJobs <role> template spec parallelism|completions", "nodes (<role>)"),
    ("** workerGroupSpecs <group> replicas|minReplicas|maxReplicas", "Ray workers (<group>)"),
    ("spec tasks <role> replicas", "nodes (<role>)"),
    ("spec parallelism", "pods at once"),
    ("spec completions", "pods"),
    ("spec trainer numNodes", "nodes"),
    ("spec elasticPolicy <field>", "elastic: <field>"),
    ("spec nprocPerNode", "processes a node"),
    ("spec slotsPerWorker", "slots a worker"),
    ("spec runPolicy schedulingPolicy <field>", "gang: <field>"),
    ("** activeDeadlineSeconds", "deadline (seconds)"),
    ("** backoffLimit|backoffLimitPerIndex|maxRestarts|maxRetry", "restarts"),
    ("** ttlSecondsAfterFinished", "kept after the end"),
    ("spec schedule", "schedule"),
    ("spec timeZone", "time zone"),
    ("spec suspend", "suspended"),
    ("spec entrypoint", "command"),
    ("spec runtimeEnvYAML", "Ray runtime environment"),
    # queues
    (
        "spec resourceGroups * flavors <flavor> resources <resource> nominalQuota",
        "quota of <flavor>: <resource>",
    ),
    (
        "spec resourceGroups * flavors <flavor> resources <resource> borrowingLimit",
        "may borrow of <flavor>: <resource>",
    ),
    (
        "spec resourceGroups * flavors <flavor> resources <resource> lendingLimit",
        "lends of <flavor>: <resource>",
    ),
    ("spec resourceGroups * flavors <flavor>", "quota of <flavor>"),
    ("spec resourceGroups * coveredResources", "resources under quota"),
    ("spec resourceGroups **", "quotas"),
    ("spec preemption <field> **", "preemption: <field>"),
    ("spec fairSharing weight", "fair-sharing weight"),
    ("spec cohort|cohortName", "cohort"),
    ("spec nodeLabels <name>", "node label <name>"),
    ("spec hard <resource>", "ceiling: <resource>"),
    ("spec limits **", "limits"),
    ("spec clusterQueue", "cluster queue"),
    # storage
    ("spec capacity storage", "size"),
    ("spec storageClassName", "storage class"),
    ("spec csi **", "where the data is"),
    ("spec accessModes", "access modes"),
    ("spec persistentVolumeReclaimPolicy", "what becomes of the data"),
    # access and network
    ("rules **", "rights"),
    ("subjects **", "who"),
    ("roleRef **", "role"),
    ("spec ingress **", "incoming traffic"),
    ("spec egress **", "outgoing traffic"),
    ("spec podSelector **", "pods it is for"),
    # Argo CD
    ("spec source|sources ** targetRevision", "release"),
    ("spec source|sources ** helm valuesObject **", "values"),
    ("spec source|sources ** helm values", "values"),
    ("spec source|sources ** kustomize **", "patches"),
    ("spec source|sources ** repoURL", "repository"),
    ("spec destination <field>", "destination: <field>"),
    ("spec destinations **", "destinations"),
    ("spec namespaceResourceWhitelist **", "kinds it may sync"),
    ("spec clusterResourceWhitelist **", "cluster-wide kinds it may sync"),
    ("spec sourceRepos", "repositories it may sync"),
    ("spec orphanedResources **", "orphans that it warns of"),
    ("spec roles **", "roles"),
    ("spec syncPolicy syncOptions", "sync options"),
    ("spec syncPolicy **", "sync policy"),
    ("spec ignoreDifferences **", "differences that Argo CD ignores"),
    ("data resource.customizations.health.<kind>", "health of <kind>"),
    ("data|binaryData <name>", "<name>"),
)

_TRAINED = re.compile(
    r"image|command|arguments|working directory|variable .*|mount at .*|Ray runtime environment"
)

_FACTS = (
    re.compile("image"),
    re.compile("command"),
    re.compile("arguments"),
    re.compile("schedule"),
    re.compile("nodes.*|pods|Ray workers.*"),
    re.compile("GPUs"),
    re.compile("CPU"),
    re.compile("memory"),
    re.compile("queue"),
    re.compile("priority"),
    re.compile("deadline.*"),
)
"""What a reviewer asks of a new run, in this order."""

_ROLES = re.compile(r"(?:ReplicaSpecs|replicatedJobs|workerGroupSpecs|tasks) (\S+)")
_STEP = re.compile(r"<(\w+)>")
_NAME = re.compile(r"(<\w+>|\*)")


@cache
def call(path: tuple[str, ...]) -> str:
    """The words for a path; empty for a field that is not worth showing."""
    text = "".join(f" {step.replace(' ', '_')}" for step in path)
    for pattern, words in _compiled():
        match = pattern.fullmatch(text)
        if match:
            return _fill(words, match)
    return ".".join(path)


def _fill(words: str, match: re.Match[str]) -> str:
    return _STEP.sub(lambda step: match[step[1]], words)


def is_trained(field: FieldChange) -> bool:
    """Whether a field of a run says what is trained: code, and what the lineage covers (`resolve.digest`)."""
    return bool(field.added or field.removed) or _TRAINED.fullmatch(field.words) is not None


def rank_fact(words: str) -> int | None:
    """The place of a field among what a reviewer asks of every new run; None for what nobody asks."""
    return next((rank for rank, pattern in enumerate(_FACTS) if pattern.fullmatch(words)), None)


def role_of(path: Sequence[str]) -> str:
    """The part of the kind that a path leads through: a role, a group of workers; empty for none."""
    match = _ROLES.search(" ".join(path))
    return match[1] if match else ""


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The rows as expressions for a path whose every step has a space before it."""
    return tuple((re.compile("".join(map(_step, row.split(" ")))), words) for row, words in ROWS)


def _step(step: str) -> str:
    if step == "**":
        return r"(?: \S+)*?"
    return f" (?:{'|'.join(map(_name, step.split('|')))})"


def _name(name: str) -> str:
    return "".join(map(_part, _NAME.split(name)))


def _part(part: str) -> str:
    if part == "*":
        return r"\S*?"
    return f"(?P<{part[1:-1]}>\\S+)" if part.startswith("<") else re.escape(part)
