"""Small repositories about data: three clouds and a machine room, a team with volumes on each, and jobs that use them."""

from collections.abc import Mapping
from typing import Any

from stages.street import Files, Resolved, bodies, compile_files, resolve

from trainshed.model.manifest import JsonObject

ARGO = '{repoURL: "https://git.example.com/ml/training.git"}'
CLUSTER = """\
apiVersion: trainshed/v1
kind: Cluster
name: lab
kubernetes: "1.36"
provider: %(provider)s
region: eu-central-1
operators: {training-operator: v1.9.4, kueue: v0.19.2, snapscheduler: v3.5.0, external-secrets: v1.3.2}
pools:
  cpu: {machine: onprem/cpu-64, nodes: 8, labels: {pool: cpu}}
storage:
  shared: {class: nfs, driver: nfs.csi.k8s.io}
  home: {class: efs, driver: efs.csi.aws.com}
  fast: {class: local, driver: ebs.csi.aws.com}
%(storage)s
security: {privileged: [vision]}
argocd: %(argo)s
"""
OBJECTS = {
    "eks": "  objects: {driver: s3.csi.aws.com}",
    "gke": "  objects: {driver: gcsfuse.csi.storage.gke.io}",
    "aks": "  objects: {driver: blob.csi.azure.com}",
    "onprem": '  objects: {driver: s3.csi.aws.com, endpoint: "https://minio.example.com"}',
    "openshift": "  objects: {driver: s3.csi.aws.com, region: us-east-1}",
}
BUCKETS = {
    "eks": "s3://acme-shards/imagenet/v2",
    "gke": "gs://acme-shards/imagenet/v2",
    "aks": "az://acmestore/shards/imagenet/v2",
    "onprem": "s3://acme-shards/imagenet/v2",
    "openshift": "s3://acme-shards/imagenet/v2",
}
IDENTITIES = {
    "eks": 'roleArn: "arn:aws:iam::111122223333:role/train"',
    "gke": "gcpServiceAccount: train@acme.iam.gserviceaccount.com",
    "aks": "clientId: 00000000-0000-0000-0000-000000000001",
}
TEAM = """\
apiVersion: trainshed/v1
kind: Team
name: vision
clusters:
  lab: {quota: {cpu: 8}%(identity)s}
volumes:
  checkpoints: {storage: shared, size: 1Ti%(checkpoints)s}
  corpus: {storage: shared, size: 1Ti}
%(volumes)s
secrets: %(secrets)s
configMaps: [corporate-ca]
privileged: {namespace: vision-free, why: locked memory}
defaults: {clusters: [lab]}
"""
JOB = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: %(name)s
team: vision
image: registry.example.com/vision/train:1.0
run: {command: [python, -m, train]}
%(job)s
"""


def repository(
    job: str = "",
    *,
    provider: str = "onprem",
    volumes: str = "",
    identity: str | None = None,
    secrets: str = "[hub]",
    checkpoints: str = "",
    others: Mapping[str, str] = {},
) -> Files:
    """A cluster of the provider, a team with these volumes, and jobs: `resnet`, and others by name."""
    said = IDENTITIES.get(provider, "") if identity is None else identity
    words = {
        "provider": provider,
        "storage": OBJECTS[provider],
        "argo": ARGO,
        "identity": f", identity: {{{said}}}" if said else "",
        "volumes": volumes,
        "secrets": secrets,
        "checkpoints": checkpoints,
    }
    jobs = {"resnet": job, **others}
    return {
        "specs/clusters/lab.yaml": CLUSTER % words,
        "specs/teams/vision.yaml": TEAM % words,
        **{
            f"specs/jobs/vision/{name}.yaml": JOB % {"name": name, "job": lines}
            for name, lines in jobs.items()
        },
    }


def bucket(provider: str, *words: str) -> str:
    """The line of a team's volume `shards`: the provider's bucket."""
    address = f'bucket: "{BUCKETS[provider]}"'
    return f"  shards: {{{', '.join((address, 'storage: objects', *words))}}}"


def made(files: Files, app: str, kind: str, name: str = "", namespace: str = "") -> JsonObject:
    """The one object of a kind and, where they are given, a name and namespace."""
    found = [
        body
        for body in bodies(compile_files(files), [app])
        if body["kind"] == kind
        and name in ("", body["metadata"]["name"])
        and namespace in ("", body["metadata"].get("namespace"))
    ]
    assert len(found) == 1, [body["metadata"]["name"] for body in found]
    return found[0]


def pod(files: Files, job: str = "resnet") -> dict[str, Any]:
    """The pod template of a job on one node."""
    template = made(files, f"job-vision-{job}", "Job")["spec"]["template"]
    return dict(template)


def env_of(template: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of the training container."""
    (container,) = template["spec"]["containers"]
    return {item["name"]: item.get("value", item.get("valueFrom")) for item in container["env"]}


def said(files: Files) -> list[str]:
    """The findings, as `path:line:column code: summary`."""
    found: Resolved = resolve(files)
    return found.said
