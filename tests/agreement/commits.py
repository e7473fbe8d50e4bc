"""A sequence of commits, and what each is to do to the runs of a cluster. See docs/life.md."""

from dataclasses import dataclass, field
from typing import Literal

CLUSTER = """\
apiVersion: trainshed/v1
kind: Cluster
name: lab
kubernetes: "1.36"
provider: onprem
operators:
  training-operator: v1.8.1
  kuberay: v1.6.2
  kueue: v0.19.2
  jobset: v0.12.0
  trainer: v2.3.0
  mpi-operator: v0.8.2
pools:
  h100: {machine: onprem/dgx-h100, nodes: 6, labels: {pool: h100}}
  cpu: {machine: onprem/cpu-64, nodes: 4, labels: {pool: cpu}}
storage:
  shared: {class: nfs, driver: nfs.csi.k8s.io, reclaim: retain}
argocd: {repoURL: "https://git.example.com/ml/training.git"}
"""
TEAM = """\
apiVersion: trainshed/v1
kind: Team
name: %s
clusters:
  lab: {quota: {%s}}
volumes:
  checkpoints: {storage: shared, size: 1Ti}
defaults: {clusters: [lab]}
"""
VISION = TEAM % ("vision", "h100: 5, cpu: 1")
JOB = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: %s
team: %s
image: registry.example.com/train:1.0
"""
RESNET = (
    JOB % ("resnet", "vision")
    + """\
framework: pytorch
run: {command: [python, -m, train, --lr=0.1]}
procsPerNode: 1
nodes: 2
gpus: 4
fabric: none
memory: 200Gi
checkpoint: {volume: checkpoints, every: 15m}
data: {cache: {mountPath: /cache, create: {storage: shared, size: 1Ti}}}
"""
)
TUNING = """\
run: {command: [python, -m, tune]}
nodes: 2
gpus: 1
fabric: none
memory: 40Gi
"""
SFT = JOB % ("sft", "vision") + "framework: pytorch\nbackend: jobset\n" + TUNING
LORA = JOB % ("lora", "vision") + "framework: pytorch\nbackend: trainjob\n" + TUNING
BERT = JOB % ("bert", "vision") + "framework: horovod\nbackend: mpijob\n" + TUNING
TABLES = (
    JOB % ("tables", "prep")
    + """\
run: {command: [python, -m, tables]}
cpu: 2
memory: 4Gi
data: {out: {mountPath: /out, create: {storage: shared, size: 1Ti}}}
"""
)
FEATURES = (
    JOB % ("features", "prep")
    + """\
framework: ray
rayVersion: 2.40.0
run: {command: [python, -m, features]}
roles:
  head: {cpu: 1, memory: 4Gi}
  worker: {nodes: 2, cpu: 2, memory: 8Gi}
"""
)
CLUSTER_FILE = "specs/clusters/lab.yaml"
VISION_FILE = "specs/teams/vision.yaml"
PREP_FILE = "specs/teams/prep.yaml"
RESNET_FILE = "specs/jobs/vision/resnet.yaml"
SFT_FILE = "specs/jobs/vision/sft.yaml"
LORA_FILE = "specs/jobs/vision/lora.yaml"
BERT_FILE = "specs/jobs/vision/bert.yaml"
TABLES_FILE = "specs/jobs/prep/tables.yaml"
FEATURES_FILE = "specs/jobs/prep/features.yaml"
FIRST = {
    CLUSTER_FILE: CLUSTER,
    VISION_FILE: VISION,
    PREP_FILE: TEAM % ("prep", "cpu: 2"),
    RESNET_FILE: RESNET,
    SFT_FILE: SFT,
    LORA_FILE: LORA,
    BERT_FILE: BERT,
    TABLES_FILE: TABLES,
    FEATURES_FILE: FEATURES,
}
"""Two teams, and a run of each kind: a PyTorchJob, JobSet, TrainJob, MPIJob, Job and RayJob."""

BIGGER = RESNET.replace("memory: 200Gi", "memory: 300Gi")
FASTER = BIGGER.replace("--lr=0.1", "--lr=0.2")
AGAIN = FASTER + "attempt: 2\n"
KEEPING = AGAIN + "whenEdited: keep\n"
KEPT = KEEPING.replace("memory: 300Gi", "memory: 350Gi")
OTHER = AGAIN.replace("--lr=0.2", "--lr=0.3")

Lineage = Literal["same", "another"]


@dataclass(frozen=True)
class Commit:
    """What somebody merges, and the jobs of which a run starts and ends by it; no other run is touched.

    None takes a spec away. `lineage` is that of resnet's new run beside those before. `finishes` is a job whose runs end
    well before the commit; `archives` runs `archive` in place of `render`; `reverts` takes the tree back to before the
    last commit.
    """

    title: str
    files: dict[str, str | None] = field(default_factory=dict[str, str | None])
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    lineage: Lineage | None = None
    finishes: str = ""
    archives: bool = False
    reverts: bool = False


DEFAULTS = VISION.replace("defaults: {", "defaults: {shm: 1Gi, env: {NCCL_DEBUG: INFO}, ")
UPGRADED = CLUSTER.replace("training-operator: v1.8.1", "training-operator: v1.9.4")

COMMITS = (
    Commit("submit", {**FIRST}, starts=("bert", "features", "lora", "resnet", "sft", "tables")),
    Commit("change a team's default", {VISION_FILE: DEFAULTS}),
    Commit("upgrade an operator", {CLUSTER_FILE: UPGRADED}),
    Commit("write a comment", {RESNET_FILE: f"# ours\n{RESNET}"}),
    Commit("more memory", {RESNET_FILE: BIGGER}, ("resnet",), ("resnet",), "same"),
    Commit("another learning rate", {RESNET_FILE: FASTER}, ("resnet",), ("resnet",), "another"),
    Commit("attempt 2", {RESNET_FILE: AGAIN}, ("resnet",), ("resnet",), "same"),
    Commit("whenEdited: keep", {RESNET_FILE: KEEPING}),
    Commit("edit, and keep", {RESNET_FILE: KEPT}, ("resnet",), lineage="same"),
    Commit(
        "archive",
        ends=("bert", "lora", "resnet", "resnet", "sft", "tables"),
        finishes="resnet",
        archives=True,
    ),
    Commit("another default", {VISION_FILE: VISION}),
    Commit("stop", {FEATURES_FILE: FEATURES + "state: stopped\n"}, ends=("features",)),
    Commit("run again", {FEATURES_FILE: FEATURES}, ("features",)),
    Commit("attempt of what was archived", {TABLES_FILE: TABLES + "attempt: 2\n"}, ("tables",)),
    Commit("train something else", {RESNET_FILE: OTHER}, ("resnet",)),
    Commit("train it with more", {RESNET_FILE: OTHER + "priority: high\n"}, ("resnet",), ("resnet",), "same"),
    Commit("revert", reverts=True, starts=("resnet",), ends=("resnet",), lineage="same"),
    Commit("retire", {TABLES_FILE: None, RESNET_FILE: None}, ends=("resnet", "tables")),
)
