"""What a cluster and a team get around the runs."""

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages.street import body, compile_files


def test_a_quota_of_whole_nodes_holds_jobs_that_fill_them() -> None:
    compiled = compile_files({**SMALL, "specs/jobs/vision/resnet.yaml": JOB + "cpu: 61280m\n"})
    queue = body(compiled, "ClusterQueue", "queues")
    (group,) = queue["spec"]["resourceGroups"]
    assert group["flavors"][0] == {
        "name": "cpu",
        "resources": [
            {"name": "cpu", "nominalQuota": "245120m"},
            {"name": "memory", "nominalQuota": "978040Mi"},
            {"name": "nvidia.com/gpu", "nominalQuota": "0"},
            {"name": "rdma/ib", "nominalQuota": "0"},
        ],
    }


@pytest.mark.parametrize(
    ("provider", "identity", "annotations", "labels"),
    [
        (
            "eks",
            "roleArn: 'arn:aws:iam::1:role/train'",
            {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/train"},
            {},
        ),
        (
            "aks",
            "clientId: 00000000-0000-0000-0000-000000000000",
            {"azure.workload.identity/client-id": "00000000-0000-0000-0000-000000000000"},
            {"azure.workload.identity/use": "true"},
        ),
    ],
)
def test_an_identity_reaches_the_service_account_and_the_pods(
    provider: str, identity: str, annotations: dict[str, str], labels: dict[str, str]
) -> None:
    files = {
        **SMALL,
        "specs/clusters/lab.yaml": CLUSTER.replace("provider: onprem", f"provider: {provider}"),
        "specs/teams/vision.yaml": TEAM.replace("lab: {quota", f"lab: {{identity: {{{identity}}}, quota"),
    }
    compiled = compile_files(files)
    assert body(compiled, "ServiceAccount", "team-vision")["metadata"]["annotations"] == annotations
    job = body(compiled, "Job", "job-vision-resnet")
    cloud = {
        key: value for key, value in job["spec"]["template"]["metadata"]["labels"].items() if "azure" in key
    }
    assert cloud == labels
    assert not {"azure.workload.identity/use"} & job["metadata"]["labels"].keys()
