"""Three clusters with a fast network each, and one pre-training run on eight nodes: scenario B10."""

from collections.abc import Mapping
from typing import Any

from stages import street

ARGO_CD = 'argocd: {repoURL: "https://git.example.com/ml/training.git"}\n'
OPERATORS = "operators: {training-operator: v1.9.4, kueue: v0.19.2}\n"


def cluster(name: str, provider: str, pools: str, more: str = "") -> str:
    """A cluster whose team may run privileged jobs."""
    return f"""\
apiVersion: trainshed/v1
kind: Cluster
name: {name}
kubernetes: "1.36"
provider: {provider}
{OPERATORS}security: {{privileged: [nlp]}}
pools:
{pools}{more}{ARGO_CD}"""


AWS = cluster("aws", "eks", "  h100: {machine: aws/p5.48xlarge, nodes: 8}\n")
MEGA = cluster("mega", "gke", "  h100: {machine: gcp/a3-megagpu-8g, nodes: 8}\n")
HIGH = cluster("high", "gke", "  h100: {machine: gcp/a3-highgpu-8g, nodes: 8}\n")
ULTRA = cluster("ultra", "gke", "  h200: {machine: gcp/a3-ultragpu-8g, nodes: 8}\n")
LAB = cluster("lab", "onprem", "  h100: {machine: onprem/dgx-h100, nodes: 8}\n")
ROCE = cluster("roce", "onprem", "  h100: {machine: onprem/hgx-h100, nodes: 8}\n")
CLUSTERS: Mapping[str, str] = {
    "aws": AWS,
    "mega": MEGA,
    "high": HIGH,
    "ultra": ULTRA,
    "lab": LAB,
    "roce": ROCE,
}
TEAM = """\
apiVersion: trainshed/v1
kind: Team
name: nlp
privileged: {namespace: nlp-free, why: the fabric of the nodes}
clusters: {PLACES}
"""
LLM = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: llm
team: nlp
owner: nlp
framework: pytorch
image: registry.example.com/nlp/train:1.0
run: {module: nlp.train}
deadline: 7d
nodes: 8
gpus: 8
"""
FREE = "security: {level: privileged, why: the fabric of the nodes}\n"
APP = "job-nlp-llm"
PLACE = "specs/jobs/nlp/llm.yaml"


def files(job: str, *names: str, **clusters: str) -> dict[str, str]:
    """One job on the named clusters, or on those whose specs are given."""
    specs = {name: CLUSTERS[name] for name in names} | clusters
    pools = {name: "h200" if "h200:" in text else "h100" for name, text in specs.items()}
    quotas = ", ".join(f"{name}: {{quota: {{{pool}: 8}}}}" for name, pool in pools.items())
    return {
        **{f"specs/clusters/{name}.yaml": text for name, text in specs.items()},
        "specs/teams/nlp.yaml": TEAM.replace("PLACES", quotas),
        PLACE: f"{job}clusters: [{', '.join(specs)}]\n",
    }


def worker(job: str, name: str, **clusters: str) -> dict[str, Any]:
    """The template of the workers' pods on a cluster."""
    specs = files(job, **clusters) if clusters else files(job, name)
    body = street.body(street.compile_files(specs), "PyTorchJob", APP, name)
    return body["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]


def container(template: Mapping[str, Any]) -> dict[str, Any]:
    """The training container."""
    (found,) = template["spec"]["containers"]
    return found


def variables(template: Mapping[str, Any]) -> dict[str, str]:
    """Its variables."""
    return {entry["name"]: entry.get("value", "") for entry in container(template)["env"]}


def said(job: str, name: str, **clusters: str) -> list[str]:
    """What is found: `path:line:column code: summary`."""
    return street.resolve(files(job, **clusters) if clusters else files(job, name)).said
