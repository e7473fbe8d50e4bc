"""What pods and objects name, and whether it is there."""

import pytest
from repositories import TEAM
from validate.views import NAMESPACE, Rule, lab, say, see

from trainshed.model.codes import Code
from trainshed.validate.policy import (
    no_such_claim,
    no_such_config_map,
    no_such_namespace,
    no_such_runtime,
    no_such_secret,
    no_such_service_account,
)

TEAM_FILES = {
    "specs/teams/vision.yaml": TEAM + "configMaps: [settings]\nclaims: [data]\nserviceAccounts: [robot]\n"
}
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team-vision}
spec:
  template:
    spec:
      containers: [{name: train, SPEC}]
      FIELD
---
"""


def job(field: str = "dnsPolicy: Default", container: str = "image: a") -> str:
    return JOB.replace("SPEC", container).replace("FIELD", field)


def volume(source: str) -> str:
    return job("volumes: [{name: v, " + source + "}]")


def env(source: str) -> str:
    return job(container="env: [{name: A, valueFrom: {" + source + "}}]")


def made(kind: str, name: str) -> str:
    return f"{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}, namespace: team-vision}}}}\n---\n"


CODES = {
    "PersistentVolumeClaim": Code.NO_SUCH_CLAIM,
    "ConfigMap": Code.NO_SUCH_CONFIG_MAP,
    "Secret": Code.NO_SUCH_SECRET,
    "ServiceAccount": Code.NO_SUCH_SERVICE_ACCOUNT,
}
USES: list[tuple[Rule, str, str, str, str]] = [
    (no_such_claim.check, "PersistentVolumeClaim", "data", volume("persistentVolumeClaim: {claimName: NAME}"), "volumes/0/persistentVolumeClaim/claimName"),
    (no_such_config_map.check, "ConfigMap", "settings", volume("configMap: {name: NAME}"), "volumes/0/configMap/name"),
    (no_such_config_map.check, "ConfigMap", "settings", env("configMapKeyRef: {name: NAME, key: k}"), "containers/0/env/0/valueFrom/configMapKeyRef/name"),
    (no_such_config_map.check, "ConfigMap", "settings", job(container="envFrom: [{configMapRef: {name: NAME}}]"), "containers/0/envFrom/0/configMapRef/name"),
    (no_such_config_map.check, "ConfigMap", "settings", volume("projected: {sources: [{configMap: {name: NAME}}]}"), "volumes/0/projected/sources/0/configMap/name"),
    (no_such_secret.check, "Secret", "wandb", volume("secret: {secretName: NAME}"), "volumes/0/secret/secretName"),
    (no_such_secret.check, "Secret", "wandb", volume("projected: {sources: [{secret: {name: NAME}}]}"), "volumes/0/projected/sources/0/secret/name"),
    (no_such_secret.check, "Secret", "wandb", env("secretKeyRef: {name: NAME, key: k}"), "containers/0/env/0/valueFrom/secretKeyRef/name"),
    (no_such_secret.check, "Secret", "wandb", job(container="envFrom: [{secretRef: {name: NAME}}]"), "containers/0/envFrom/0/secretRef/name"),
    (no_such_secret.check, "Secret", "wandb", job("imagePullSecrets: [{name: NAME}]"), "imagePullSecrets/0/name"),
    (no_such_service_account.check, "ServiceAccount", "robot", job("serviceAccountName: NAME"), "serviceAccountName"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "kind", "declared", "use", "pointer"), USES)
def test_what_a_pod_uses_is_made_or_declared_or_said(
    rule: Rule, kind: str, declared: str, use: str, pointer: str
) -> None:
    plan = lab(TEAM_FILES)
    assert say(rule(see(NAMESPACE + use.replace("NAME", declared), plan))) == []
    assert say(rule(see(NAMESPACE + use.replace("NAME", "mine") + made(kind, "mine"), plan))) == []
    (said,) = say(rule(see(NAMESPACE + use.replace("NAME", "gone"), plan)))
    assert said.startswith(f"error at Job train/spec/template/spec/{pointer}: {CODES[kind]}: pods of ")
    assert said.endswith(f'"gone", and there is no such {kind} in namespace team-vision')


@pytest.mark.parametrize(("rule", "kind", "declared", "use", "pointer"), USES)
def test_of_a_namespace_that_is_not_known_nothing_is_said(
    rule: Rule, kind: str, declared: str, use: str, pointer: str
) -> None:
    assert say(rule(see(use.replace("NAME", "gone")))) == []
    (said,) = say(rule(see(use.replace("NAME", "gone") + made(kind, "other"))))
    assert said.startswith("warning ")


@pytest.mark.parametrize(
    ("rule", "field", "value"),
    [
        (no_such_config_map.check, "configMap", {"name": "train-config"}),
        (no_such_secret.check, "secret", {"secretName": "train-ssh"}),
        (no_such_claim.check, "persistentVolumeClaim", {"claimName": "scratch-train"}),
    ],
)
def test_what_a_controller_makes_for_its_pods_is_there(rule: Rule, field: str, value: dict[str, str]) -> None:
    brought = {"volumes": [{"name": "brought", field: value}]}
    assert say(rule(see(NAMESPACE + job(), lab(), brought))) == []
    written = volume(f"{field}: {value}".replace("'", ""))
    assert len(say(rule(see(NAMESPACE + written, lab())))) == 1


def test_what_is_optional_may_be_missing() -> None:
    optional = env("configMapKeyRef: {name: gone, key: k, optional: true}")
    assert say(no_such_config_map.check(see(NAMESPACE + optional, lab()))) == []


@pytest.mark.parametrize(
    ("rule", "use"),
    [
        (no_such_config_map.check, volume("configMap: {name: kube-root-ca.crt}")),
        (no_such_service_account.check, job("serviceAccountName: default")),
    ],
)
def test_what_every_namespace_has_is_there(rule: Rule, use: str) -> None:
    assert say(rule(see(NAMESPACE + use, lab()))) == []


TRAIN_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train, namespace: team-vision}
spec: {runtimeRef: {name: torch, KIND}}
---
"""
RUNTIME = "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: KIND, metadata: {name: NAME}}\n---\n"


def test_a_runtime_that_is_not_there_is_said() -> None:
    of_cluster = TRAIN_JOB.replace(", KIND", "")
    cluster_wide = RUNTIME.replace("KIND", "ClusterTrainingRuntime")
    assert say(no_such_runtime.check(see(of_cluster + cluster_wide.replace("NAME", "torch"), lab()))) == []
    (said,) = say(no_such_runtime.check(see(of_cluster + cluster_wide.replace("NAME", "jax"), lab())))
    assert said.startswith("error at TrainJob train/spec/runtimeRef/name: no-such-runtime: ")


def test_a_runtime_of_the_namespace_is_looked_for_there() -> None:
    own = TRAIN_JOB.replace("KIND", "kind: TrainingRuntime")
    (said,) = say(no_such_runtime.check(see(NAMESPACE + own, lab())))
    assert said.endswith('"torch", and there is no such TrainingRuntime in namespace team-vision')


def test_runtimes_that_trainer_brings_along_are_not_missed() -> None:
    assert say(no_such_runtime.check(see(TRAIN_JOB.replace(", KIND", ""), lab()))) == []


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: kueue, namespace: argocd}
spec:
  destination: {namespace: team-vision}
  syncPolicy: {syncOptions: [CreateNamespace=true]}
"""


def test_an_object_in_a_namespace_that_nobody_makes_is_said() -> None:
    (said,) = say(no_such_namespace.check(see(job(), lab())))
    assert said.startswith("error at Job train/metadata/namespace: no-such-namespace: ")


@pytest.mark.parametrize("beside", [NAMESPACE, APPLICATION])
def test_a_namespace_is_made_by_a_manifest_or_by_argo_cd(beside: str) -> None:
    assert say(no_such_namespace.check(see(job() + beside, lab()))) == []


def test_kubernetes_makes_namespaces_of_its_own() -> None:
    assert say(no_such_namespace.check(see(job().replace("team-vision", "kube-system"), lab()))) == []
