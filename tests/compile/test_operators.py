"""The Applications that install operators: from upstream, pinned, and out of one another's way."""

import json
from typing import Any, get_args

import pytest
from repositories import CLUSTER
from stages.street import bodies, compile_files

from trainshed import catalog
from trainshed.model.spec.cluster import OperatorName

OPERATORS = "  training-operator: v1.9.4\n  kuberay: v1.6.2\n  kueue: v0.19.2\n"


def sources_of(name: str, *others: str) -> list[Any]:
    """The sources of one operator's Application, on a cluster that has it and others at their newest."""
    newest = "".join(f"  {each}: {catalog.operators()[each].newest.version}\n" for each in (name, *others))
    compiled = compile_files({"specs/clusters/lab.yaml": CLUSTER.replace(OPERATORS, newest)})
    (found,) = (
        each
        for each in bodies(compiled, ["argocd/platform"])
        if each["kind"] == "Application" and each["metadata"]["name"] == f"lab-operator-{name}"
    )
    return found["spec"]["sources"]


@pytest.mark.parametrize("name", get_args(OperatorName))
def test_every_operator_comes_from_its_release_with_a_pinned_image(name: str) -> None:
    release = catalog.operators()[name].newest
    upstream = sources_of(name)[0]
    assert upstream["repoURL"].startswith("https://github.com/")
    assert upstream["targetRevision"].rpartition("/")[2] == release.version
    assert release.settings["tag"] in json.dumps(upstream.get("helm") or upstream["kustomize"])


def test_an_image_that_a_chart_takes_as_one_text_keeps_its_tag() -> None:
    (upstream,) = sources_of("scheduler-plugins")
    assert upstream["helm"]["valuesObject"] == {
        "scheduler": {"image": "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.34.7"}
    }


def test_crds_that_a_chart_leaves_out_come_beside_it_from_the_same_release() -> None:
    chart, crds = sources_of("external-secrets")
    assert crds == {**{key: chart[key] for key in ("repoURL", "targetRevision")}, "path": "deploy/crds"}


@pytest.mark.parametrize(("others", "bundled"), [((), True), (("jobset",), False)])
def test_trainer_brings_no_second_jobset(others: tuple[str, ...], bundled: bool) -> None:
    (upstream,) = sources_of("trainer", *others)
    assert upstream["helm"]["valuesObject"]["jobset"] == {"install": bundled}
