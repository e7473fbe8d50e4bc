"""The variables, the command and the words of a container, as a kubelet makes them."""

import base64
import json

import pytest
from rehearse.kubelet.stage import Stage, pod

from trainshed.rehearse.kubelet.expansion import expand
from trainshed.rehearse.kubelet.setting import Setting

PRINT = "import json, os, sys; print(json.dumps([dict(os.environ), sys.argv[1:]]))"
CONFIG = {"metadata": {"name": "parameters"}, "data": {"RATE": "0.1", "LAYERS": "2"}}
SECRET = {"metadata": {"name": "token"}, "data": {"key": base64.b64encode(b"s3cret").decode()}}
SETTING = Setting(config_maps=(CONFIG,), secrets=(SECRET,), environment={"OMP_NUM_THREADS": "1"})


def variables(stage: Stage, env: list[object], **fields: object) -> dict[str, str]:
    assert stage.run(pod(PRINT, env=env, **fields)).succeeded, stage.texts()
    return json.loads(stage.log())[0]


def value_from(kind: str, **reference: object) -> list[object]:
    return [{"name": "ASKED", "valueFrom": {kind: reference}}]


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("$(A)/x", "1/x"),
        ("$$(A)", "$(A)"),
        ("$$$(A)", "$1"),
        ("$(UNKNOWN)", "$(UNKNOWN)"),
        ("$A ${A}", "$A ${A}"),
        ("$(A", "$(A"),
        ("$(A)$(B)", "1$(A)"),
        ("cost: 5$", "cost: 5$"),
    ],
)
def test_references_are_expanded_as_kubernetes_does(text: str, expanded: str) -> None:
    assert expand(text, {"A": "1", "B": "$(A)"}) == expanded


def test_a_variable_knows_those_before_it_and_the_last_of_a_name_counts(stage: Stage) -> None:
    env = [
        {"name": "LATE", "value": "$(RANK)"},
        {"name": "RANK", "value": "0"},
        {"name": "RANK", "value": "1"},
        {"name": "TEXT", "value": "rank $(RANK) of $(PATH)"},
    ]
    found = variables(stage, env)
    assert [found[name] for name in ("LATE", "RANK", "TEXT")] == ["$(RANK)", "1", "rank 1 of $(PATH)"]


def test_commands_are_expanded_with_the_pods_own_variables(stage: Stage) -> None:
    env = [{"name": "STEPS", "value": "20"}]
    stage.run(pod(PRINT, env=env, args=["--steps=$(STEPS)", "$(HOME)", "$$(STEPS)"]))
    assert json.loads(stage.log())[1] == ["--steps=20", "$(HOME)", "$(STEPS)"]
    assert "container main: no variable answers $(HOME), so it stays as it is written" in stage.texts()


@pytest.mark.parametrize(
    ("env", "value"),
    [
        (value_from("fieldRef", fieldPath="metadata.name"), "run-worker-0"),
        (value_from("fieldRef", fieldPath="metadata.namespace"), "team"),
        (value_from("fieldRef", fieldPath="metadata.labels['replica']"), "worker-0"),
        (value_from("fieldRef", fieldPath="metadata.annotations['nobody']"), ""),
        (value_from("configMapKeyRef", name="parameters", key="RATE"), "0.1"),
        (value_from("secretKeyRef", name="token", key="key"), "s3cret"),
        (value_from("resourceFieldRef", resource="limits.memory", divisor="1Mi"), "1536"),
        (value_from("resourceFieldRef", resource="limits.cpu"), "3"),
        (value_from("resourceFieldRef", resource="requests.cpu", divisor="1m"), "2500"),
        (value_from("configMapKeyRef", name="nobody", key="x", optional=True), None),
        (value_from("secretKeyRef", name="token", key="other", optional=True), None),
    ],
)
def test_values_come_from_where_the_pod_says(stage: Stage, env: list[object], value: str | None) -> None:
    stage.setting = SETTING
    resources = {"limits": {"memory": "1.5Gi", "cpu": "2500m"}}
    assert variables(stage, env, resources=resources).get("ASKED") == value


def test_what_the_pod_sets_hides_what_comes_from_whole_config_maps(stage: Stage) -> None:
    stage.setting = SETTING
    sources = [{"prefix": "P_", "configMapRef": {"name": "parameters"}}, {"secretRef": {"name": "token"}}]
    found = variables(stage, [{"name": "P_RATE", "value": "0.2"}], envFrom=sources)
    assert [found[name] for name in ("P_RATE", "P_LAYERS", "key")] == ["0.2", "2", "s3cret"]


def test_nothing_of_this_machine_comes_along_but_its_programs(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("AWS_SECRET_ACCESS_KEY", "mine")
        found = variables(stage, [])
    own = {"PATH", "HOME", "HOSTNAME", "TRAINSHED_PROGRESS", "LC_CTYPE", "TRAINSHED_CONTAINER"}
    own |= {"PYTHONPYCACHEPREFIX", "TRAINSHED_DOORS"}  # the one in isolated rooms, the other in plain ones
    assert set(found) <= own
    assert found["HOSTNAME"] == "run-worker-0"


def test_a_default_holds_only_where_the_pod_says_nothing(stage: Stage) -> None:
    stage.setting = SETTING
    assert variables(stage, [])["OMP_NUM_THREADS"] == "1"
    assert variables(stage, [{"name": "OMP_NUM_THREADS", "value": "4"}])["OMP_NUM_THREADS"] == "4"


def test_a_secret_that_nobody_said_is_a_placeholder_and_is_said(stage: Stage) -> None:
    stage.setting = Setting(secret_values={"known/key": "from the command line"})
    env = [
        *value_from("secretKeyRef", name="unknown", key="key"),
        {"name": "KNOWN", "valueFrom": {"secretKeyRef": {"name": "known", "key": "key"}}},
    ]
    found = variables(stage, env)
    assert found["ASKED"] == "placeholder-of-unknown-key"
    assert found["KNOWN"] == "from the command line"
    assert "secret unknown/key is a placeholder: --secret unknown/key=VALUE gives its value" in stage.texts()
    assert not any("from the command line" in text for text in stage.texts())


@pytest.mark.parametrize(
    ("env", "words"),
    [
        (
            value_from("configMapKeyRef", name="nobody", key="x"),
            'configmap "nobody" is not among the manifests',
        ),
        (value_from("configMapKeyRef", name="parameters", key="x"), 'configmap "parameters" has no key "x"'),
        (value_from("fieldRef", fieldPath="spec.secrets"), '"spec.secrets" is no field'),
        (value_from("fileKeyRef", path="x"), "valueFrom fileKeyRef is not known to rehearse"),
        (value_from("resourceFieldRef", resource="limits.cpu", divisor="many"), "many is no quantity"),
        (value_from("resourceFieldRef", resource="limits.cpu", containerName="x"), 'no container "x"'),
        ([{"name": "", "value": "x"}], '"" is no name of a variable'),
        ([{"name": "A", "value": "zero\0byte"}], "the value of A holds a zero byte"),
    ],
)
def test_what_cannot_be_had_is_said(stage: Stage, env: list[object], words: str) -> None:
    stage.setting = SETTING
    end = stage.run(pod(PRINT, env=env))
    assert end.reason == "CreateContainerConfigError"
    assert any(words in text for text in stage.texts()), stage.texts()
