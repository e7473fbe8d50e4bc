"""A row for every leaf of a cluster, a team and a preset, but for those of the jobs in them."""

from collections.abc import Mapping
from typing import Any

from properties.extra_leaves import ETCD, STRETCHED
from properties.leaf_rows import Row

LAB, ANNEX, BIG, IN = ("lab",), ("annex",), ("big",), ("in",)
ON_LAB = ("lab", "cpu")
GIT_JOB = {"TrainingJob": {"code": {"git": {"repo": "https://git.example.com/a.git", "commit": "0" * 40}}}}
SAVES = {"TrainingJob": {"checkpoint": {"volume": "checkpoints"}}}
SCALING = {"TrainingJob": {"framework": "ray", "rayVersion": "2.40.0", "nodes": {"min": 1, "max": 2}}}
NO_KUEUE = {"operators": {"kueue": None}, "kueue": None, "cohort": None}
DRIVING_OUT = {"kueue": {"preemption": {"borrowWithinCohort": {"policy": "lower-priority"}}}}
ON_VOLCANO = {
    "operators": {"kueue": None, "volcano": {"release": "v1.15.1"}},
    "kueue": None,
    "cohort": None,
}
QUEUELESS = {"operators": {"kueue": None}, "kueue": None}
MPI = {"operators": {"mpi-operator": {"release": "v0.8.2"}}}
WATCHED = {"operators": {"prometheus-operator": {"release": "v0.85.0"}}, "monitoring": {}}
UNWELL = {"nodeHealth": [{"label": "a.example.com/a", "notIn": ["ERR"]}]}
ON_GPUS = {"TrainingJob": {"gpus": {"perNode": 1}}}
MACHINE = {"machine": "aws/m7i.8xlarge", "nodes": 9, "labels": {"pool": "big"}}
POOL = {"pools": {"big": MACHINE}}
PARTED = {
    "operators": {"gpu-operator": {"release": "v1.11.1"}},
    "pools": {"big": MACHINE | {"machine": "aws/p4d.24xlarge"}},
}
BY_MPS = PARTED | {"operators": {"gpu-operator": {"release": "v26.7.0"}}}
ON_BIG = {"Team": {"clusters": {"lab": {"quota": {"big": {"nodes": 1}}}}}}
EFA = ("efa",)
ON_EFA = {
    "TrainingJob": {
        "framework": "pytorch",
        "nodes": {"min": 2, "max": 2},
        "gpus": {"type": "h100", "perNode": 8},
        "run": {"command": None, "module": "train"},
    }
}
TAINTED = {"pools": {"big": MACHINE | {"taints": [{"key": "a", "effect": "NoSchedule"}]}}}
STORAGE = {"storage": {"other": {"class": "nfs", "driver": "nfs.csi.k8s.io"}}}
ON_STORAGE = {"Team": {"volumes": {"more": {"storage": "other", "size": "1Ti", "clusters": ["lab"]}}}}
VOLUME = {"volumes": {"more": {"storage": "shared", "size": "1Ti"}}}
OBJECTS = {"storage": {"objects": {"driver": "s3.csi.aws.com"}}}
BUCKET = {"bucket": "s3://acme-a", "storage": "objects"}
ON_BUCKET = {"Team": {"volumes": {"more": BUCKET | {"clusters": ["lab"]}}}}
BUCKETED = {"volumes": {"more": BUCKET | {"clusters": ["lab"]}}}
SNAPPED = {"operators": {"snapscheduler": {"release": "v3.5.0"}}}
NIGHTLY = {"storage": "shared", "size": "1Ti", "clusters": ["lab"], "snapshots": {"cron": "0 3 * * *"}}
SNAPSHOTS = {"volumes": {"more": NIGHTLY}}
ON_SNAPSHOTS = {"Team": SNAPSHOTS}
ON_RECLAIM = {
    "TrainingJob": {"checkpoint": {"create": {"storage": "shared", "size": "1Ti"}, "every": {"time": "15m"}}}
}
VOLUME_HERE = {"volumes": {"more": {"storage": "shared", "size": "1Ti", "clusters": ["lab"]}}}
STORED = {"secrets": {"hub": {"store": "vault", "key": "a", "clusters": ["lab"]}}}
STORES = {"operators": {"external-secrets": {"release": "v1.3.2"}}}
IN_STORES = {"Cluster": STORES, "Annex": STORES}
READS_MORE = {"TrainingJob": {"data": {"in": {"volume": "more", "mountPath": "/in", "readOnly": True}}}}
FETCHES = {
    "TrainingJob": {
        "data": {"in": {"uri": "s3://acme", "mode": "prefetch", "size": "1Gi", "mountPath": "/in"}}
    }
}
HERE = {"clusters": {"lab": {"volumes": {"more": {"storage": "shared", "size": "1Ti"}}}}}
SHARE = {"clusters": {"lab": {"quota": {"h100": {"nodes": 2}}}}}


def _identity(field: str, provider: str) -> Row:
    """A cloud identity, on a cluster of the provider that has it."""
    return Row(f"clusters.*.identity.{field}", "train", names=LAB, beside={"Cluster": {"provider": provider}})


def _volume(leaf: str, names: tuple[str, ...], given: Mapping[str, Any]) -> tuple[Row, ...]:
    """Rows for what a volume may be beside a claim of some size, everywhere or on one cluster."""
    no_size = {"storage": "objects", "size": None, "bucket": "s3://acme-b"}
    bucket = (
        {"clusters": {"lab": {"volumes": {"more": no_size}}}}
        if len(names) > 1
        else {"volumes": {"more": no_size | {"clusters": ["lab"]}}}
    )
    on_lab = {"Cluster": OBJECTS}
    snapped = {"Cluster": SNAPPED}
    return (
        Row(f"{leaf}.bucket", "s3://acme-a", other="s3://acme-b", given=bucket, names=names, beside=on_lab),
        Row(f"{leaf}.cache", "1Gi", given=bucket, names=names, beside=on_lab),
        Row(
            f"{leaf}.snapshots.cron", "0 3 * * *", other="0 4 * * *", given=given, names=names, beside=snapped
        ),
        Row(f"{leaf}.snapshots.keep", 3, given=SNAPSHOTS, names=names, beside=snapped),
        Row(f"{leaf}.filledBy", "hand", given=given, names=names, beside=READS_MORE),
    )


def _declared(field: str, job: dict[str, object]) -> Row:
    """A name that the team declares and the job takes."""
    return Row(f"{field}[]", ["first", "second"], needed=True, beside={"TrainingJob": job})


_POLICIES = (
    Row("policies.*.severity", "warning", names=("deadline-missing",)),
    Row("policies.*.aboveGpuHours", 100, names=("checkpoint-missing",)),
    Row("policies.*.aboveGpuHours", 100, names=("deadline-missing",)),
    Row("policies.*.gpuHours", 500, names=("over-budget",)),
    Row(
        "policies.*.gpuHours",
        500,
        given={"policies": {"over-budget": {"severity": "error"}}},
        names=("over-budget",),
        needed=True,
    ),
)

MEETS_AT_ETCD = {"TrainingJob": STRETCHED | {"rendezvous": {"backend": "etcd-v2"}}}

CLUSTER_ROWS: tuple[Row, ...] = (
    Row("name", "lab", other="laboratory", needed=True),
    Row("kubernetes", "1.36", other="1.33"),
    Row("provider", "eks", other="gke", given={"pools": {"cpu-spot": {"capacity": "on-demand"}}}),
    Row("region", "eu-west-1"),
    Row("etcd.endpoint", "etcd.example.com:2379", other="etcd.example.org:2379", beside=MEETS_AT_ETCD),
    Row("etcd.version", "3.5", other="3.6", given=ETCD, beside=MEETS_AT_ETCD, needed=True),
    Row("environment", "prod"),
    Row("operators.*.release", "v1.9.4", other="v1.8.1", names=("training-operator",)),
    Row("operators.*.kinds[]", ["PyTorchJob", "TFJob"], names=("training-operator",)),
    Row("operators.*.kinds[]", ["RayJob", "RayCluster"], names=("kuberay",)),
    Row("operators.*.kinds[]", ["MPIJob"], names=("mpi-operator",), given=MPI),
    Row("gang", "kueue", other="none", given=NO_KUEUE),
    Row(
        "gang",
        "kueue",
        other="none",
        beside={"TrainingJob": {"framework": "pytorch", "nodes": 2}},
        needed=True,
    ),
    Row("kueue.elasticJobs", True, beside=SCALING, needed=True),
    Row("kueue.elasticJobs", True, given=NO_KUEUE),
    Row("kueue.fairSharing", True),
    Row("kueue.fairSharing", True, given={"cohort": None}),
    Row("kueue.podsReadyTimeout", "45m"),
    Row("kueue.preemption.withinClusterQueue", "never"),
    Row("kueue.preemption.reclaimWithinCohort", "never"),
    Row("kueue.preemption.reclaimWithinCohort", "never", given={"cohort": None}),
    Row("kueue.preemption.borrowWithinCohort.policy", "lower-priority"),
    Row("kueue.preemption.borrowWithinCohort.policy", "lower-priority", given={"cohort": None}),
    Row("kueue.preemption.borrowWithinCohort.maxPriority", 5, given=DRIVING_OUT),
    Row("kueue.preemption.borrowWithinCohort.maxPriority", 5),
    Row("topology.levels.*", "example.com/rack", names=("rack",)),
    Row("topology.levels.*", "example.com/rack", given=ON_VOLCANO, names=("rack",)),
    Row("cohort", "all"),
    Row("cohort", "all", given=NO_KUEUE),
    Row("priorities.*", 7, names=("urgent",)),
    Row("priorities.*", 7, given=NO_KUEUE, names=("urgent",)),
    Row("pools.*.machine", "aws/m7i.8xlarge", other="aws/m7i.2xlarge", given=POOL, names=BIG),
    Row("pools.*.mig", "3g.20gb", other="2g.10gb", given=PARTED, names=BIG),
    Row("pools.*.sharing.timeSlicing", 4, other=2, given=PARTED, names=BIG),
    Row("pools.*.sharing.mps", 4, other=2, given=BY_MPS, names=BIG),
    Row("pools.*.resource", "amd.com/gpu", given=PARTED, names=BIG, beside=ON_BIG),
    Row("pools.*.resources.*", 2, given=PARTED, names=(*BIG, "example.com/fpga"), beside=ON_BIG),
    Row("fabrics.*.resource", "rdma/efa", names=EFA),
    Row("fabrics.*.devices", 16, names=EFA),
    Row("fabrics.*.networks[]", ["fast"], names=EFA, beside=ON_EFA),
    Row("fabrics.*.hugepages", "5Gi", names=EFA),
    Row("fabrics.*.env.*", "1", names=(*EFA, "FI_EFA_USE_HUGE_PAGE"), beside=ON_EFA),
    Row("pools.*.nodes", 9, other=1, names=("cpu",), needed=True),
    Row("pools.*.capacity", "spot", given=POOL, names=BIG),
    Row("pools.*.labels.*", "a", given=POOL, names=(*BIG, "extra")),
    Row("pools.*.taints[].key", "b", other="a", given=TAINTED, names=BIG),
    Row("pools.*.taints[].value", "b", given=TAINTED, names=BIG),
    Row("pools.*.taints[].effect", "NoExecute", other="NoSchedule", given=TAINTED, names=BIG),
    Row("storage.*.class", "fast", given=STORAGE, names=("other",), beside=ON_STORAGE),
    Row(
        "storage.*.driver",
        "nfs.csi.k8s.io",
        other="ebs.csi.aws.com",
        given=STORAGE,
        names=("other",),
        beside=ON_STORAGE,
        needed=True,
    ),
    Row("storage.*.region", "eu-north-1", given=OBJECTS, names=("objects",), beside=ON_BUCKET),
    Row("storage.*.endpoint", "https://a", given=OBJECTS, names=("objects",), beside=ON_BUCKET),
    Row("storage.*.snapshotClass", "kept", given=SNAPPED, names=("shared",), beside=ON_SNAPSHOTS),
    Row("storage.*.reclaim", "retain", other="delete", names=("shared",), beside=ON_RECLAIM, needed=True),
    Row("images.fetch.*", "registry.example.com/rclone:1", names=("s3",), beside=FETCHES),
    Row("images.digest", "optional", other="required", needed=True),
    Row("images.git", "registry.example.com/git:2.50", beside=GIT_JOB),
    Row("images.init", "registry.example.com/alpine:3.22"),
    Row("images.mirror.*", "mirror.example.com", names=("quay.io",)),
    Row("airGap", False, other=True, needed=True),
    Row("mesh", "istio", other="linkerd"),
    Row("nodeHealth[].label", "a.example.com/b", other="a.example.com/a", given=UNWELL, beside=ON_GPUS),
    Row("nodeHealth[].notIn[]", ["ERR", "EVICT"], given=UNWELL, beside=ON_GPUS),
    Row("monitoring.namespace", "watch", given=WATCHED),
    Row("monitoring.serviceAccount", "prometheus", given=WATCHED),
    Row("monitoring.labels.*", "kube-prometheus", given=WATCHED, names=("release",)),
    Row("monitoring.namespace", "watch"),
    Row("security.privileged[]", ["nlp", "vision"]),
    *_POLICIES,
    Row("argocd.repoURL", "https://git.example.com/a.git", other="https://git.example.com/b.git"),
    Row("argocd.revision", "release"),
    Row("argocd.mirrors.*", "https://git.example.com/mirrors/", names=("https://github.com/",)),
    Row("argocd.namespace", "gitops"),
    Row("argocd.destination.name", "far", given={"argocd": {"destination": {}}}),
    Row("argocd.destination.server", "https://far.example.com", given={"argocd": {"destination": {}}}),
)
TEAM_ROWS: tuple[Row, ...] = (
    Row("name", "vision", other="sight", needed=True),
    Row("namespace", "eyes"),
    Row("groups[]", ["vision-engineers", "vision-interns"]),
    Row("owner", "alice"),
    Row("costCenter", "42"),
    Row("clusters.*", {}, names=ANNEX),
    Row("clusters.*.quota.*.nodes", 4, other=3, names=ON_LAB),
    Row(
        "clusters.*.quota.*.gpus",
        8,
        other=16,
        given={"clusters": {"lab": {"quota": {"h100": {"nodes": None}}}}},
        names=("lab", "h100"),
    ),
    Row("clusters.*.quota.*.guaranteed", 2, given=SHARE, names=("lab", "h100")),
    Row(
        "clusters.*.quota.*.guaranteed", 2, given=SHARE, names=("lab", "h100"), beside={"Cluster": QUEUELESS}
    ),
    Row(
        "clusters.*.quota.*.guaranteed", 2, given=SHARE, names=("lab", "h100"), beside={"Cluster": ON_VOLCANO}
    ),
    Row("clusters.*.weight", 3, names=LAB, beside={"Cluster": {"kueue": {"fairSharing": True}}}),
    Row("clusters.*.weight", 3, names=LAB),
    Row("clusters.*.quota.*.borrow", 2, given=SHARE, names=("lab", "h100"), beside={"Cluster": ON_VOLCANO}),
    Row("clusters.*.quota.*.borrow", 2, given=SHARE, names=("lab", "h100")),
    Row("clusters.*.quota.*.lend", 1, given=SHARE, names=("lab", "h100")),
    Row("clusters.*.quota.*.borrow", 2, given=SHARE, names=("lab", "h100"), beside={"Cluster": QUEUELESS}),
    Row("clusters.*.quota.*.lend", 1, given=SHARE, names=("lab", "h100"), beside={"Cluster": QUEUELESS}),
    _identity("roleArn", "eks"),
    _identity("gcpServiceAccount", "gke"),
    _identity("clientId", "aks"),
    Row(
        "clusters.*.identity.tenantId",
        "acme",
        given={"clusters": {"lab": {"identity": {"clientId": "train"}}}},
        names=LAB,
        beside={"Cluster": {"provider": "aks"}},
    ),
    Row("clusters.*.identity.podIdentity", True, given=BUCKETED, names=LAB, beside={"Cluster": OBJECTS}),
    *_volume("clusters.*.volumes.*", ("lab", "more"), HERE),
    *_volume("volumes.*", ("more",), VOLUME_HERE),
    Row("clusters.*.volumes.*.storage", "home", given=VOLUME, names=("lab", "more")),
    Row("clusters.*.volumes.*.size", "2Ti", given=VOLUME, names=("lab", "more")),
    Row("clusters.*.volumes.*.access", "rwo", given=VOLUME, names=("lab", "more")),
    Row("volumes.*.storage", "home", other="shared", given=VOLUME, names=("more",)),
    Row("volumes.*.size", "2Ti", other="1Ti", given=VOLUME, names=("more",)),
    Row("volumes.*.access", "rwo", given=VOLUME, names=("more",)),
    Row("volumes.*.clusters[]", ["annex", "lab"], given=VOLUME, names=("more",)),
    Row("secrets.*.store", "vault", other="safe", given=STORED, names=("hub",), beside=IN_STORES),
    Row("secrets.*.storeKind", "SecretStore", given=STORED, names=("hub",), beside=IN_STORES),
    Row("secrets.*.key", "a", other="b", given=STORED, names=("hub",), beside=IN_STORES),
    Row("secrets.*.clusters[]", ["annex", "lab"], given=STORED, names=("hub",), beside=IN_STORES),
    Row(
        "secrets.*",
        {},
        names=("hub",),
        needed=True,
        beside={"TrainingJob": {"envFrom": {"secrets": ["hub"]}}},
    ),
    _declared("configMaps", {"envFrom": {"configMaps": ["first", "second"]}}),
    _declared("serviceAccounts", {"serviceAccount": "second"}),
    _declared("claims", {"data": {"in": {"claim": "second", "mountPath": "/in"}}}),
    Row("privileged.namespace", "vision-free", other="vision-liberated"),
    Row("privileged.why", "locked memory", other="host paths"),
    *_POLICIES,
    Row("defaults.clusters.*", {}, names=ANNEX),
    Row("defaults.environments.*.attempt", 2, names=("prod",)),
    Row("defaults.environments.*.state", "stopped", names=("prod",)),
    Row("namespaces[]", ["vision-eval", "vision-more"]),
    Row("defaults.clusters.*.attempt", 2, names=LAB),
    Row("defaults.clusters.*.state", "stopped", names=LAB),
)
PRESET_ROWS: tuple[Row, ...] = (
    Row("name", "large", other="huge", beside={"TrainingJob": {"extends": ["large"]}}, needed=True),
    Row("team", "vision", other="nlp", beside={"TrainingJob": {"extends": ["large"]}}, needed=True),
)
POLICY_ROWS: tuple[Row, ...] = (
    Row("name", "paid", other="owned"),
    Row("severity", "warning"),
    Row("kinds[]", ["PyTorchJob", "RayJob"]),
    Row("expression", "has(object.spec)", other="has(object.metadata)"),
    Row("message", "it has to", other="it should"),
    Row("messageExpression", "object.kind + ' has to'"),
)
