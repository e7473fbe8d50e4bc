"""JAXJob: workers only, from release v1.9 of the Training Operator on. Scenario C4."""

from pathlib import Path

from kinds.frameworks import container, judged, project, rendered, replicas, said

SPMD = "framework: jax\nnodes: 2\nrun: {module: shop.train}\n"
OLD = "{training-operator: v1.8.1, kueue: v0.19.2}"


def test_two_nodes_are_two_workers() -> None:
    job = rendered(SPMD, "JAXJob")

    assert replicas(job) == {"Worker": 2}
    assert container(job, "Worker")["name"] == "jax"
    assert container(job, "Worker")["args"] == ["-m", "shop.train"]


def test_an_operator_without_the_kind_is_named_with_its_release() -> None:
    assert said(SPMD, OLD) == ["6:12 release-lacks: training-operator v1.8.1 on lab does not serve JAXJob"]


def test_a_role_beside_its_workers_is_refused() -> None:
    (found,) = said(
        "framework: jax\nroles: {worker: {nodes: 2}, coordinator: {}}\nrun: {module: shop.train}\n"
    )

    assert found.endswith('unknown-value: a JAXJob has no role "coordinator"')


def test_the_judges_accept_it(tmp_path: Path) -> None:
    assert judged(project(tmp_path, SPMD)) == ""
