"""The specs that leaves are set in: all that a leaf may need is there, so that a row names the leaf alone."""

from collections.abc import Collection, Mapping

from properties.leaf_rows import Data

V1 = "trainshed/v1"
CLUSTER: Data = {
    "apiVersion": V1,
    "kind": "Cluster",
    "name": "lab",
    "kubernetes": "1.36",
    "environment": "prod",
    "provider": "eks",
    "operators": {
        "training-operator": {"release": "v1.9.4"},
        "kuberay": {"release": "v1.6.2"},
        "kueue": {"release": "v0.19.2"},
        "jobset": {"release": "v0.12.0"},
        "mpi-operator": {"release": "v0.8.2"},
        "trainer": {"release": "v2.3.0"},
    },
    "kueue": {"elasticJobs": True},
    "cohort": "shared",
    "pools": {
        "h100": {"machine": "aws/p5.48xlarge", "nodes": 9, "labels": {"pool": "h100"}},
        "a100": {"machine": "aws/p4d.24xlarge", "nodes": 9, "labels": {"pool": "a100"}},
        "cpu": {"machine": "aws/m7i.8xlarge", "nodes": 9, "labels": {"pool": "cpu"}},
        "cpu-spot": {
            "machine": "aws/m7i.8xlarge",
            "capacity": "spot",
            "nodes": 9,
            "labels": {"pool": "cpu-spot"},
        },
    },
    "storage": {
        "shared": {"class": "nfs", "driver": "nfs.csi.k8s.io"},
        "home": {"class": "efs", "driver": "efs.csi.aws.com"},
    },
    "security": {"privileged": ["vision"]},
    "argocd": {"repoURL": "https://git.example.com/ml/training.git"},
}
BATCH: Data = {
    **{key: value for key, value in CLUSTER.items() if key not in ("kueue", "cohort")},
    "name": "batch",
    "operators": {"volcano": {"release": "v1.15.1"}},
}
"""The cluster with Volcano in place of Kueue."""

OLD: Data = {
    **{key: value for key, value in CLUSTER.items() if key not in ("kueue", "cohort")},
    "name": "old",
    "operators": {"training-operator": {"release": "v1.9.4", "kinds": ["MPIJob"]}},
}
"""The cluster whose MPIJob is the Training Operator's, without a queue."""

QUOTA = {pool: {"nodes": 4} for pool in ("h100", "a100", "cpu", "cpu-spot")}
TEAM: Data = {
    "apiVersion": V1,
    "kind": "Team",
    "name": "vision",
    "clusters": {
        "lab": {"quota": QUOTA},
        "annex": {"quota": QUOTA},
        "batch": {"quota": QUOTA},
        "old": {"quota": QUOTA},
    },
    "volumes": {
        "data": {"storage": "shared", "size": "1Ti"},
        "checkpoints": {"storage": "shared", "size": "1Ti"},
    },
    "secrets": {"wandb": {}, "registry": {}},
    "configMaps": ["settings", "more"],
    "serviceAccounts": ["robot"],
    "claims": ["old", "older"],
    "privileged": {"namespace": "vision-free", "why": "locked memory"},
    "defaults": {"clusters": {"lab": {}}},
}
TRAINING_JOB: Data = {
    "apiVersion": V1,
    "kind": "TrainingJob",
    "name": "resnet",
    "team": "vision",
    "image": "registry.example.com/vision/train:1.0",
    "run": {"command": ["python", "-m", "train"]},
}
POLICY: Data = {
    "apiVersion": V1,
    "kind": "Policy",
    "name": "labelled",
    "kinds": ["PyTorchJob"],
    "expression": "has(object.metadata.labels)",
    "message": "runs have labels",
}
OTHERS = {
    "apiVersion": V1,
    "kind": "Team",
    "name": "nlp",
    "clusters": {"lab": {}},
    "defaults": {"clusters": {"lab": {}}},
}
SPECS: Mapping[str, Data] = {
    "Cluster": CLUSTER,
    "Annex": CLUSTER | {"name": "annex"},
    "Batch": BATCH,
    "Old": OLD,
    "Team": TEAM,
    "Others": OTHERS,
    "Preset": {"apiVersion": V1, "kind": "Preset", "name": "large", "job": {"labels": {"size": "large"}}},
    "Named": {"apiVersion": V1, "kind": "Preset", "name": "named", "job": {"labels": {"named": "yes"}}},
    "TrainingJob": TRAINING_JOB,
    "Policy": POLICY,
}


def nearby(specs: Mapping[str, Data], clusters: Collection[str]) -> dict[str, Data]:
    """The specs without the other clusters, which would be rendered for nothing."""
    return {
        file: spec
        | {"clusters": {name: spec["clusters"][name] for name in spec["clusters"] if name in clusters}}
        if spec["kind"] == "Team"
        else spec
        for file, spec in specs.items()
        if spec["kind"] != "Cluster" or spec["name"] in clusters
    }


FOLDERS = {
    "Cluster": "clusters",
    "Team": "teams",
    "Preset": "presets",
    "TrainingJob": "jobs",
    "Policy": "policies",
}
BACKENDS: Mapping[str, Data] = {
    "Job": {},
    "Job of PyTorch": {"framework": "pytorch", "gpus": {"perNode": 8}, "run": {"module": "train"}},
    "CronJob": {"schedule": {"cron": "0 2 * * 0"}},
    "PyTorchJob": {"framework": "pytorch", "nodes": {"min": 2, "max": 2}},
    "elastic PyTorchJob": {"framework": "pytorch", "nodes": {"min": 1, "max": 4}},
    "TFJob": {"framework": "tensorflow", "nodes": {"min": 2, "max": 2}},
    "XGBoostJob": {"framework": "xgboost", "nodes": {"min": 2, "max": 2}},
    "PaddleJob": {"framework": "paddle", "nodes": {"min": 2, "max": 2}},
    "JAXJob": {"framework": "jax", "nodes": {"min": 2, "max": 2}},
    "MPIJob": {"framework": "mpi", "nodes": {"min": 2, "max": 2}},
    "MPIJob v1": {
        "framework": "mpi",
        "nodes": {"min": 2, "max": 2},
        "gang": "none",
        "security": {"level": "privileged", "why": "the launcher's init container"},
        "clusters": {"old": {}},
    },
    "RayJob": {"framework": "ray", "rayVersion": "2.40.0", "nodes": {"min": 2, "max": 2}},
    "RayCluster": {"framework": "ray", "backend": "raycluster", "nodes": {"min": 2, "max": 2}, "run": None},
    "Indexed Job": {"nodes": {"min": 2, "max": 2}},
    "sweep": {"sweep": {"grid": {"lr": [1, 2, 3]}}},
    "Volcano Job": {"backend": "volcanojob", "nodes": {"min": 2, "max": 2}, "clusters": {"batch": {}}},
    "TrainJob": {
        "backend": "trainjob",
        "framework": "pytorch",
        "nodes": {"min": 2, "max": 2},
        "procsPerNode": 1,
    },
    "JobSet": {"backend": "jobset", "framework": "pytorch", "nodes": {"min": 2, "max": 2}, "procsPerNode": 1},
    "JobSet with roles": {
        "backend": "jobset",
        "roles": {"worker": {}, "reader": {"nodes": {"min": 2, "max": 2}}},
    },
}
