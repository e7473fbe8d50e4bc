"""Findings that no repository can cause by itself, and the tests that prove them in place of a case."""

from dataclasses import dataclass

from trainshed.model.codes import Code


@dataclass(frozen=True, slots=True)
class Proof:
    """A code, the test that proves it, why it takes no case, and how the finding reads."""

    code: Code
    file: str
    test: str
    why: str
    example: str


REFUSED_BY_JUDGES = {
    Code.REFUSED_DECODING: 'the API server refuses Secret team/hub on lab: Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 2',
    Code.REFUSED_SCHEMA: 'the API server refuses JobSet team/train on lab: replicatedJobs[1]: Duplicate value: {"name":"workers"}',
    Code.REFUSED_RULE: "the API server refuses ClusterQueue gpus on lab: resources[0]: Invalid value: borrowingLimit must be nil when cohort is empty",
    Code.REFUSED_KUBERNETES: 'the API server refuses Job team/train on lab: restartPolicy: Required value: valid values: "OnFailure", "Never"',
    Code.REFUSED_KUEUE: "Kueue refuses Job team/long on lab: labels[kueue.x-k8s.io/queue-name]: Too long: may not be more than 63 bytes",
    Code.REFUSED_TRAINING_OPERATOR: "the Training Operator refuses PyTorchJob team/train on lab: replicas: Forbidden: must be 1",
    Code.REFUSED_KUBERAY: "KubeRay refuses RayJob team/sidecar on lab: ClusterSelector is not supported in SidecarMode",
    Code.REFUSED_JOBSET: "JobSet refuses JobSet team/missing on lab: coordinator replicatedJob two does not exist",
    Code.REFUSED_MPI_OPERATOR: "the MPI Operator refuses MPIJob team/launchers on lab: replicas: Invalid value: 2: must be 1",
    Code.REFUSED_TRAINER: "Kubeflow Trainer refuses ClusterTrainingRuntime replicas on lab: replicas: Invalid value: 2: always must be 1",
    Code.POD_SECURITY: 'Pod Security refuses the Pod that Job team/train makes on lab: violates PodSecurity "baseline:latest": hostPath volumes (volume "host")',
    Code.LIMIT_RANGE: 'a LimitRange refuses the Pod that Job team/train makes on lab: pods "train-xxxxx" is forbidden: maximum cpu usage per Pod is 12, but limit is 16',
    Code.RESOURCE_QUOTA: 'a ResourceQuota refuses Job team/train on lab: pods "train-xxxxx" is forbidden: failed quota: quota: must specify limits.memory for: train',
}


ELSEWHERE = (
    Proof(
        Code.BUILD_FAILED,
        "findings/test_own_faults.py",
        "test_a_kustomization_that_cannot_be_built_is_our_own_fault",
        "people write no kustomization: only a fault of overlay could cause it",
        "Kustomize cannot build overlays/job-vision-resnet/lab",
    ),
    Proof(
        Code.BUILD_DIFFERS,
        "findings/test_own_faults.py",
        "test_a_build_that_gives_something_else_is_our_own_fault",
        "people write no kustomization: only a fault of overlay could cause it",
        "overlays/job-vision-resnet/lab does not build the ConfigMap team-vision/settings that was compiled",
    ),
    Proof(
        Code.DISK_FULL,
        "report/test_commit.py",
        "test_a_full_disk_leaves_the_old_tree",
        "a full disk cannot be had without the rights to mount one",
        "cannot write rendered/x/b/job.yaml: no space left on device",
    ),
    Proof(
        Code.UNWRITABLE_FILE,
        "report/test_commit.py",
        "test_a_missing_permission_leaves_the_old_tree",
        "root writes everywhere, so the test has to run as somebody else",
        "cannot write into the folder rendered/x/a",
    ),
    Proof(
        Code.TREE_LOCKED,
        "report/test_commit.py",
        "test_a_second_render_gives_up_when_its_patience_ends",
        "a command waits twenty seconds for another",
        "another trainshed command is writing the generated files",
    ),
    Proof(
        Code.REHEARSAL_MISSING,
        "rehearse/cli/test_rehearse.py",
        "test_a_missing_program_is_said_at_the_manifest_before_anything_starts",
        "check runs nothing: only a rehearsal needs programs",
        'there is no "mpirun" on this machine',
    ),
    Proof(
        Code.NO_SUCH_QUEUE,
        "validate/test_queues.py",
        "test_a_label_that_names_no_queue_of_the_namespace_is_said",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        'Job team-vision/train waits in queue "vision", and there is no such LocalQueue in namespace team-vision',
    ),
    Proof(
        Code.NO_SUCH_CLUSTER_QUEUE,
        "validate/test_queues.py",
        "test_a_queue_that_leads_to_no_cluster_queue_is_said",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        'LocalQueue team-vision/vision leads to "research", and there is no such ClusterQueue',
    ),
    Proof(
        Code.NO_SUCH_FLAVOR,
        "validate/test_queues.py",
        "test_a_quota_of_a_flavor_that_is_not_there_is_said",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        'ClusterQueue research gives a quota of flavor "h100", and there is no such ResourceFlavor',
    ),
    Proof(
        Code.RESOURCE_UNCOVERED,
        "validate/test_queues.py",
        "test_a_resource_without_a_quota_is_said_at_the_request_for_it",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        "Job team-vision/train asks for nvidia.com/gpu, which its queue does not cover",
    ),
    Proof(
        Code.NO_SUCH_PRIORITY_CLASS,
        "validate/test_queues.py",
        "test_a_priority_that_is_not_there_is_said",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        'Job team-vision/train waits with priority "high", and there is no such WorkloadPriorityClass',
    ),
    Proof(
        Code.NO_SUCH_CLAIM,
        "validate/test_references.py",
        "test_what_a_pod_uses_is_made_or_declared_or_said",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        'pods of Job team-vision/train mount claim "gone", and there is no such PersistentVolumeClaim in namespace team-vision',
    ),
    Proof(
        Code.NO_SUCH_CONFIG_MAP,
        "validate/test_references.py",
        "test_what_a_pod_uses_is_made_or_declared_or_said",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        'pods of Job team-vision/train use ConfigMap "gone", and there is no such ConfigMap in namespace team-vision',
    ),
    Proof(
        Code.NO_SUCH_SECRET,
        "validate/test_references.py",
        "test_what_a_pod_uses_is_made_or_declared_or_said",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        'pods of Job team-vision/train use Secret "gone", and there is no such Secret in namespace team-vision',
    ),
    Proof(
        Code.NO_SUCH_SERVICE_ACCOUNT,
        "validate/test_references.py",
        "test_what_a_pod_uses_is_made_or_declared_or_said",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        'pods of Job team-vision/train run as service account "gone", and there is no such ServiceAccount in namespace team-vision',
    ),
    Proof(
        Code.NO_SUCH_RUNTIME,
        "validate/test_references.py",
        "test_a_runtime_that_is_not_there_is_said",
        "no backend of ours is a TrainJob yet",
        'TrainJob team-vision/train starts from runtime "torch", and there is no such ClusterTrainingRuntime',
    ),
    Proof(
        Code.NO_SUCH_NAMESPACE,
        "validate/test_references.py",
        "test_an_object_in_a_namespace_that_nobody_makes_is_said",
        "resolve follows every reference and compile makes what it names: only manifests of another origin can lack it",
        'Job team-vision/train is in namespace "team-vision", and there is no such Namespace',
    ),
    Proof(
        Code.CLAIM_ACCESS,
        "validate/test_claims.py",
        "test_pods_on_several_nodes_that_mount_a_claim_of_one_node_are_said",
        "resolve says volume-access first: only manifests of another origin come so far",
        "2 pods of Job team-vision/train mount PersistentVolumeClaim team-vision/data, which serves one node only",
    ),
    Proof(
        Code.CLAIM_READ_ONLY,
        "validate/test_claims.py",
        "test_a_claim_that_can_only_be_read_is_not_mounted_for_writing",
        "no access of ours makes a claim that can only be read",
        "pods of Job team-vision/train mount PersistentVolumeClaim team-vision/data for writing",
    ),
    Proof(
        Code.PORT_BLOCKED,
        "validate/test_network.py",
        "test_a_namespace_that_denies_all_blocks_the_run",
        "compile lets the pods of a run talk: only manifests of another origin can block them",
        "PyTorchJob team-vision/train cannot work: no policy lets its Master ask the cluster's DNS",
    ),
    Proof(
        Code.NAMES_COLLIDE,
        "validate/test_names.py",
        "test_names_that_agree_up_to_the_cut_collide",
        "resolve keeps names short enough: only manifests of another origin are cut",
        "RayJob team-vision/train and Job team-vision/train both come to a Job called train",
    ),
    Proof(
        Code.PROJECT_FORBIDS,
        "validate/test_argocd.py",
        "test_a_kind_that_the_project_does_not_list_is_forbidden_at_the_object",
        "compile writes Argo CD's objects: only a fault of its own, or manifests of another origin, could cause it",
        "AppProject argocd/vision does not allow Secret team-vision/token in Application argocd/run",
    ),
    Proof(
        Code.WAVE_DEADLOCK,
        "validate/test_argocd.py",
        "test_a_claim_that_waits_for_its_consumer_in_an_earlier_wave_waits_for_ever",
        "compile writes Argo CD's objects: only a fault of its own, or manifests of another origin, could cause it",
        "PersistentVolumeClaim team-vision/data is not bound before Job team-vision/train is there, which a later wave would bring",
    ),
    Proof(
        Code.GPU_REQUEST,
        "validate/test_policies.py",
        "test_bare_pods_are_warned_at_the_word",
        "compile writes no such pod: only manifests of another origin, or an operator, can",
        "Pod team-vision/train requests 1 nvidia.com/gpu without a limit",
    ),
    Proof(
        Code.HOST_NETWORK,
        "validate/test_policies.py",
        "test_bare_pods_are_warned_at_the_word",
        "compile writes no such pod: only manifests of another origin, or an operator, can",
        "pods of Pod team-vision/train use the network of their node",
    ),
    Proof(
        Code.SEALED_OLDER,
        "sealed/test_what_stays.py",
        "test_one_note_a_team_and_one_a_cluster_say_what_is_older",
        "it takes a run that was rendered before, and stops nothing",
        '8 runs of team "vision" are sealed under older defaults than today\'s',
    ),
    Proof(
        Code.UNKNOWN_BASE,
        "load/test_git_base.py",
        "test_shallow_clone_says_how_to_fetch_the_base",
        "it takes --base, and a Git repository around the files",
        '"origin/main" is not in this clone',
    ),
    *(
        Proof(
            code,
            "judges/test_judges.py",
            "test_the_judges_refuse_what_is_marked_and_nothing_else",
            "resolve says it in the spec's words first: only manifests of another origin come so far",
            example,
        )
        for code, example in REFUSED_BY_JUDGES.items()
    ),
    Proof(
        Code.NEVER_ADMITTED,
        "validate/test_hearing.py",
        "test_a_run_that_is_larger_than_its_queue_waits_for_ever",
        "resolve says quota-exceeded first: only manifests of another origin come so far",
        "Job team/train would wait on lab for ever: its queue can never admit it",
    ),
    Proof(
        Code.UNJUDGED,
        "validate/test_hearing.py",
        "test_a_judge_that_cannot_be_asked_is_said_and_is_no_pass",
        "the judges of a whole installation can be asked about all that compile makes",
        "JobSet could not be asked about JobSet team/train on lab",
    ),
)
