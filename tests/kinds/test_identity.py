"""E5 and E6: cloud identities in the words of each provider, Secrets by reference, certificates of one's own."""

import pytest
from kinds.data_specs import bucket, env_of, made, pod, repository, said

ACCOUNTS = {
    "eks": {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/train"},
    "gke": {"iam.gke.io/gcp-service-account": "train@acme.iam.gserviceaccount.com"},
    "aks": {"azure.workload.identity/client-id": "00000000-0000-0000-0000-000000000001"},
}


@pytest.mark.parametrize("provider", ACCOUNTS)
def test_the_service_account_says_who_it_is_to_its_cloud(provider: str) -> None:
    files = repository(provider=provider)
    account = made(files, "team-vision", "ServiceAccount", namespace="team-vision")
    assert account["metadata"]["annotations"] == ACCOUNTS[provider]
    assert account["automountServiceAccountToken"] is False
    template = pod(files)
    assert template["spec"]["serviceAccountName"] == account["metadata"]["name"]


def test_pods_on_azure_carry_the_label_that_its_webhook_looks_for() -> None:
    assert pod(repository(provider="aks"))["metadata"]["labels"]["azure.workload.identity/use"] == "true"
    assert "azure.workload.identity/use" not in pod(repository(provider="eks"))["metadata"]["labels"]


def test_an_identity_of_azure_can_be_of_another_tenant() -> None:
    files = repository(provider="aks", identity="clientId: one, tenantId: two")
    account = made(files, "team-vision", "ServiceAccount", namespace="team-vision")
    assert account["metadata"]["annotations"] == {
        "azure.workload.identity/client-id": "one",
        "azure.workload.identity/tenant-id": "two",
    }


def test_a_pod_that_is_not_root_can_read_the_token_of_its_role() -> None:
    assert pod(repository(provider="eks"))["spec"]["securityContext"]["fsGroup"] == 65532


def test_eks_pod_identity_writes_nothing_and_buckets_take_it() -> None:
    files = repository(
        "data: {shards: {volume: shards, mountPath: /data, readOnly: true}}",
        provider="eks",
        identity="podIdentity: true",
        volumes=bucket("eks"),
    )
    account = made(files, "team-vision", "ServiceAccount", namespace="team-vision")
    assert "annotations" not in account["metadata"]
    volume = made(files, "team-vision", "PersistentVolume", "team-vision.shards")
    assert volume["spec"]["csi"]["volumeAttributes"]["authenticationSource"] == "pod"


def test_a_machine_room_has_no_identity() -> None:
    account = made(repository(provider="onprem"), "team-vision", "ServiceAccount", namespace="team-vision")
    assert "annotations" not in account["metadata"]


@pytest.mark.parametrize(
    ("provider", "identity", "finding"),
    [
        ("onprem", "roleArn: a", 'conflicting-choice: provider "onprem" does not take roleArn'),
        ("gke", "clientId: a", 'conflicting-choice: provider "gke" does not take clientId'),
        ("aks", "podIdentity: true", 'conflicting-choice: provider "aks" does not take podIdentity'),
        (
            "eks",
            "roleArn: a, podIdentity: true",
            "conflicting-choice: an identity says roleArn and podIdentity",
        ),
        ("aks", "tenantId: a", "missing-field: a tenant is named, but no identity in it"),
    ],
)
def test_a_word_of_another_cloud_is_refused(provider: str, identity: str, finding: str) -> None:
    (only,) = said(repository(provider=provider, identity=identity))
    assert only.startswith("specs/teams/vision.yaml:5:")
    assert only.endswith(finding)


def test_a_secret_comes_from_a_store_and_its_value_from_nowhere_here() -> None:
    secrets = "{hub: {store: vault, key: teams/vision/hub}, byhand: }"
    files = repository("env: {TOKEN: {secret: hub, key: token}}", secrets=secrets)
    for namespace in ("team-vision", "vision-free"):
        external = made(files, "team-vision", "ExternalSecret", namespace=namespace)
        assert external["metadata"]["name"] == "hub"
        assert external["spec"]["secretStoreRef"] == {"kind": "ClusterSecretStore", "name": "vault"}
        assert external["spec"]["target"]["name"] == "hub"
        assert external["spec"]["dataFrom"][0]["extract"]["key"] == "teams/vision/hub"
    assert env_of(pod(files))["TOKEN"] == {"secretKeyRef": {"name": "hub", "key": "token"}}


def test_a_list_of_secrets_is_made_by_hand() -> None:
    files = repository("env: {TOKEN: {secret: hub, key: token}}", secrets="[hub]")
    assert said(files) == []
    with pytest.raises(AssertionError):
        made(files, "team-vision", "ExternalSecret")


@pytest.mark.parametrize(
    ("secrets", "finding"),
    [
        ("{hub: {store: vault}}", 'missing-field: Secret "hub" does not say its key'),
        ("{hub: {key: a}}", 'missing-field: Secret "hub" does not say its store'),
    ],
)
def test_half_a_source_is_refused(secrets: str, finding: str) -> None:
    (only,) = said(repository(secrets=secrets))
    assert only.startswith("specs/teams/vision.yaml:10:")
    assert only.endswith(finding)


def test_a_store_needs_its_operator_but_where_it_is_said_not_to_be() -> None:
    files = dict(repository(secrets="{hub: {store: vault, key: a}}"))
    cluster = str(files["specs/clusters/lab.yaml"])
    files["specs/clusters/lab.yaml"] = cluster.replace(", external-secrets: v1.3.2", "")
    (only,) = said(files)
    assert 'missing-operator: cluster "lab" has no external-secrets' in only
    team = str(files["specs/teams/vision.yaml"])
    files["specs/teams/vision.yaml"] = team.replace("key: a}", "key: a, clusters: [other]}")
    assert said(files) == []


def test_certificates_of_ones_own_are_trusted_by_every_container() -> None:
    job = """\
caBundle: {configMap: corporate-ca, key: all.pem}
data: {in: {uri: "s3://acme", mode: prefetch, size: 1Gi, mountPath: /in}}
code: {git: {repo: "https://git.example.com/a.git", commit: "0000000000000000000000000000000000000000"}}"""
    template = pod(repository(job))["spec"]
    containers = [*template["initContainers"], *template["containers"]]
    assert len(containers) == 3
    for container in containers:
        env = {item["name"]: item.get("value") for item in container["env"]}
        assert env["SSL_CERT_FILE"] == "/etc/trainshed-ca/all.pem"
        assert env["GIT_SSL_CAINFO"] == "/etc/trainshed-ca/all.pem"
        assert {"name": "ca-bundle", "mountPath": "/etc/trainshed-ca", "readOnly": True} in container[
            "volumeMounts"
        ]


def test_a_bundle_is_a_config_map_of_the_team() -> None:
    assert said(repository("caBundle: {configMap: corporate}"))[0].startswith(
        "specs/jobs/vision/resnet.yaml:7:23 unknown-config-map: "
    )


@pytest.mark.parametrize(
    ("seccomp", "profile"),
    [
        ("runtime-default", {"type": "RuntimeDefault"}),
        ("profiles/train.json", {"type": "Localhost", "localhostProfile": "profiles/train.json"}),
    ],
)
def test_a_seccomp_profile_is_the_runtimes_or_a_file_of_the_node(
    seccomp: str, profile: dict[str, str]
) -> None:
    template = pod(repository(f"security: {{seccomp: {seccomp}}}"))
    assert template["spec"]["securityContext"]["seccompProfile"] == profile


def test_no_profile_at_all_needs_approval() -> None:
    (only,) = said(repository("security: {seccomp: unconfined}"))
    assert " privileged-unapproved: " in only
    (only,) = said(repository("security: {seccomp: /etc/x.json}"))
    assert " bad-path: " in only
