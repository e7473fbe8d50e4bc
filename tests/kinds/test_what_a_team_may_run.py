"""The kinds that Argo CD may sync for a team, and its members may look at, follow from the cluster's operators."""

from kinds.frameworks import OPERATORS, V1_ONLY, files
from stages import street

MIRRORED = "framework: tensorflow\nrun: {script: train.py}\n"
OF_THE_OPERATOR = ["JAXJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"]


def synced(operators: str) -> list[str]:
    """The kinds of kubeflow.org that the team's project lets in."""
    projects = street.bodies(street.compile_files(files(MIRRORED, operators)), ["argocd/runs"])
    (project,) = (body for body in projects if body["kind"] == "AppProject")
    allowed = project["spec"]["namespaceResourceWhitelist"]
    return [entry["kind"] for entry in allowed if entry["group"] == "kubeflow.org"]


def viewed(operators: str) -> list[str]:
    """The resources of kubeflow.org that members of the team may look at."""
    bodies = street.bodies(street.compile_files(files(MIRRORED, operators)), ["team-shop"])
    (role, *_) = (body for body in bodies if body["kind"] == "Role")
    (rule,) = (rule for rule in role["rules"] if rule["apiGroups"] == ["kubeflow.org"])
    assert rule["verbs"] == ["get", "list", "watch"]
    return rule["resources"]


def test_every_kind_that_the_operators_serve_may_be_synced_and_looked_at() -> None:
    kinds = sorted([*OF_THE_OPERATOR, "MPIJob"])

    assert synced(OPERATORS) == kinds
    assert viewed(OPERATORS) == [f"{kind.lower()}s" for kind in kinds]


def test_kinds_that_the_operator_is_told_not_to_serve_may_not() -> None:
    assert synced(V1_ONLY.replace("PyTorchJob, MPIJob", "PyTorchJob")) == ["PyTorchJob"]


def test_an_older_operator_lets_fewer_in() -> None:
    assert synced("{training-operator: v1.8.1, kueue: v0.19.2}") == sorted(
        {*OF_THE_OPERATOR, "MPIJob"} - {"JAXJob"}
    )
