"""A row for every leaf of a cluster, a team and a preset, but for those of the jobs in them."""

from properties.leaf_rows import Row

LAB, ANNEX, BIG, IN = ("lab",), ("annex",), ("big",), ("in",)
ON_LAB = ("lab", "cpu")
GIT_JOB = {"TrainingJob": {"code": {"git": {"repo": "https://git.example.com/a.git", "commit": "0" * 40}}}}
SAVES = {"TrainingJob": {"checkpoint": {"volume": "checkpoints"}}}
SCALING = {"TrainingJob": {"framework": "ray", "rayVersion": "2.40.0", "nodes": {"min": 1, "max": 2}}}
NO_KUEUE = {"operators": {"kueue": None}, "kueue": None, "cohort": None}
QUEUELESS = {"operators": {"kueue": None}, "kueue": None}
MPI = {"operators": {"mpi-operator": {"release": "v0.8.2"}}}
MACHINE = {"machine": "aws/m7i.8xlarge", "nodes": 9, "labels": {"pool": "big"}}
POOL = {"pools": {"big": MACHINE}}
TAINTED = {"pools": {"big": MACHINE | {"taints": [{"key": "a", "effect": "NoSchedule"}]}}}
STORAGE = {"storage": {"other": {"class": "nfs", "driver": "nfs.csi.k8s.io"}}}
ON_STORAGE = {"Team": {"volumes": {"more": {"storage": "other", "size": "1Ti", "clusters": ["lab"]}}}}
VOLUME = {"volumes": {"more": {"storage": "shared", "size": "1Ti"}}}
HERE = {"clusters": {"lab": {"volumes": {"more": {"storage": "shared", "size": "1Ti"}}}}}
SHARE = {"clusters": {"lab": {"quota": {"h100": {"nodes": 2}}}}}


def _identity(field: str, provider: str) -> Row:
    """A cloud identity, on a cluster of the provider that has it."""
    return Row(f"clusters.*.identity.{field}", "train", names=LAB, beside={"Cluster": {"provider": provider}})


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

CLUSTER_ROWS: tuple[Row, ...] = (
    Row("name", "lab", other="laboratory", needed=True),
    Row("kubernetes", "1.36", other="1.33"),
    Row("provider", "eks", other="gke", given={"pools": {"cpu-spot": {"capacity": "on-demand"}}}),
    Row("region", "eu-west-1"),
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
    Row("cohort", "all"),
    Row("cohort", "all", given=NO_KUEUE),
    Row("priorities.*", 7, names=("urgent",)),
    Row("priorities.*", 7, given=NO_KUEUE, names=("urgent",)),
    Row("pools.*.machine", "aws/m7i.8xlarge", other="aws/m7i.2xlarge", given=POOL, names=BIG),
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
    Row("images.digest", "optional", other="required", needed=True),
    Row("images.git", "registry.example.com/git:2.50", beside=GIT_JOB),
    Row("security.privileged[]", ["nlp", "vision"]),
    *_POLICIES,
    Row("argocd.repoURL", "https://git.example.com/a.git", other="https://git.example.com/b.git"),
    Row("argocd.revision", "release"),
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
    Row("clusters.*.quota.*.borrow", 2, given=SHARE, names=("lab", "h100")),
    Row("clusters.*.quota.*.lend", 1, given=SHARE, names=("lab", "h100")),
    Row("clusters.*.quota.*.borrow", 2, given=SHARE, names=("lab", "h100"), beside={"Cluster": QUEUELESS}),
    Row("clusters.*.quota.*.lend", 1, given=SHARE, names=("lab", "h100"), beside={"Cluster": QUEUELESS}),
    _identity("roleArn", "eks"),
    _identity("gcpServiceAccount", "gke"),
    _identity("clientId", "aks"),
    Row("clusters.*.volumes.*.storage", "home", given=VOLUME, names=("lab", "more")),
    Row("clusters.*.volumes.*.size", "2Ti", given=VOLUME, names=("lab", "more")),
    Row("clusters.*.volumes.*.access", "rwo", given=VOLUME, names=("lab", "more")),
    Row("volumes.*.storage", "home", other="shared", given=VOLUME, names=("more",)),
    Row("volumes.*.size", "2Ti", other="1Ti", given=VOLUME, names=("more",)),
    Row("volumes.*.access", "rwo", given=VOLUME, names=("more",)),
    Row("volumes.*.clusters[]", ["annex", "lab"], given=VOLUME, names=("more",)),
    _declared("secrets", {"envFrom": {"secrets": ["first", "second"]}}),
    _declared("configMaps", {"envFrom": {"configMaps": ["first", "second"]}}),
    _declared("serviceAccounts", {"serviceAccount": "second"}),
    _declared("claims", {"data": {"in": {"claim": "second", "mountPath": "/in"}}}),
    Row("privileged.namespace", "vision-free", other="vision-liberated"),
    Row("privileged.why", "locked memory", other="host paths"),
    *_POLICIES,
    Row("defaults.clusters.*", {}, names=ANNEX),
    Row("defaults.clusters.*.attempt", 2, names=LAB),
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
