"""The stable names of findings. What each means in one line; tests and docs walk this table."""

from enum import StrEnum


class Code(StrEnum):
    """A finding's code, as printed in `error[code]`."""

    meaning: str

    def __new__(cls, code: str, meaning: str) -> "Code":
        """A member that is its code, and knows what it means."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    # Files that cannot be taken in.
    UNREADABLE_FILE = "unreadable-file", "a file or folder cannot be read"
    NOT_A_FILE = "not-a-file", "a folder, device, pipe or socket stands where a file belongs"
    SYMLINK = "symlink", "a symbolic link stands where a file or folder belongs"
    FILE_TOO_LARGE = "file-too-large", "a file is larger than a spec or a code file may be"
    FILE_NAME = "file-name", "a file name has characters that do not belong in one"
    ENCODING = "encoding", "a file is not UTF-8 text"
    PATH_ESCAPE = "path-escape", "a path leads out of the repository"

    # YAML that cannot be taken in.
    YAML_SYNTAX = "yaml-syntax", "the text is not YAML"
    YAML_TAB = "yaml-tab", "a tab stands where spaces must indent"
    YAML_CHARACTER = "yaml-character", "a spec holds a character that cannot be seen"
    YAML_TAG = "yaml-tag", "a YAML tag asks for an object to be made"
    YAML_ALIASES = "yaml-aliases", "aliases repeat too much, or what does not exist"
    YAML_DOCUMENTS = "yaml-documents", "several documents stand where one belongs"
    YAML_DEPTH = "yaml-depth", "maps and lists are nested too deeply"
    YAML_LENGTH = "yaml-length", "a single value is too long"
    YAML_NUMBER = "yaml-number", "a number is too large, or is none"
    YAML_KEY = "yaml-key", "a key is not plain text"
    YAML_MERGE = "yaml-merge", "a merge key stands where `extends` belongs"
    DUPLICATE_KEY = "duplicate-key", "a key is written twice in one map"
    EMPTY_FILE = "empty-file", "a spec file holds no spec"

    # Specs of the wrong shape.
    UNKNOWN_FIELD = "unknown-field", "a field does not exist"
    MISSING_FIELD = "missing-field", "a field that must be written is not"
    WRONG_TYPE = "wrong-type", "a value is of the wrong type"
    UNKNOWN_VALUE = "unknown-value", "a value is not one of those that are known"
    BAD_VALUE = "bad-value", "a value is of the right type, but cannot be right"

    UNKNOWN_KIND = "unknown-kind", "a file describes a kind that is not one of ours"
    CLAIM_CHANGED = "claim-changed", "a claim that exists is changed in a way that the API server refuses"

    # Values that cannot be what was meant.
    BAD_NAME = "bad-name", "a name is not one that Kubernetes takes"
    BAD_QUANTITY = "bad-quantity", "a quantity does not parse"
    BAD_DURATION = "bad-duration", "a duration does not parse"
    BAD_IMAGE = "bad-image", "an image reference does not parse"
    BAD_LABEL = "bad-label", "a label's key or value is not one that Kubernetes takes"
    BAD_PATH = "bad-path", "a path in the container is not absolute"
    GIT_COMMIT = "git-commit", "code is named by a branch or tag, which may move"
    MISSING_CHOICE = "missing-choice", "one of several fields has to be written, and none is"
    CONFLICTING_CHOICE = "conflicting-choice", "fields exclude one another, and more than one is written"
    INVERTED_RANGE = "inverted-range", "a range's least is more than its most"
    BAD_CRON = "bad-cron", "a schedule does not parse"
    CRON_NEVER = "cron-never", "a schedule never fires"
    UNKNOWN_TIME_ZONE = "unknown-time-zone", "a time zone is not one of the IANA database"

    # References to what does not exist.
    UNKNOWN_TEAM = "unknown-team", "a job names a team that no file describes"
    UNKNOWN_CLUSTER = "unknown-cluster", "a cluster is named that no file describes"
    TEAM_NOT_ON_CLUSTER = "team-not-on-cluster", "a job runs on a cluster that its team is not on"
    NO_CLUSTER = "no-cluster", "neither job, preset nor team names a cluster"
    UNKNOWN_PRESET = "unknown-preset", "a job extends a preset that no file describes"
    UNKNOWN_VOLUME = "unknown-volume", "a volume is named that the team does not have there"
    UNKNOWN_QUEUE = "unknown-queue", "a queue is named that the team does not have there"
    UNKNOWN_PRIORITY = "unknown-priority", "a priority is named that the cluster does not have"
    UNKNOWN_ACCELERATOR = "unknown-accelerator", "an accelerator is named that the cluster does not have"
    UNKNOWN_POOL = "unknown-pool", "a pool is named that the cluster does not have"
    POOLS_ALIKE = "pools-alike", "nothing tells the nodes of two pools apart"
    UNKNOWN_MACHINE = "unknown-machine", "a machine is named that the catalogue does not have"
    UNKNOWN_STORAGE = "unknown-storage", "a storage is named that the cluster does not have"
    UNKNOWN_DRIVER = "unknown-driver", "a storage driver is named that the catalogue does not have"
    UNKNOWN_RELEASE = "unknown-release", "an operator's release is named that the catalogue does not have"
    UNKNOWN_FABRIC = "unknown-fabric", "a fabric is named that the machine does not have"
    UNKNOWN_SECRET = "unknown-secret", "a Secret is named that the team does not declare"
    UNKNOWN_CONFIG_MAP = "unknown-config-map", "a ConfigMap is named that the team does not declare"
    UNKNOWN_CLAIM = "unknown-claim", "a claim is named that the team does not declare"
    UNKNOWN_SERVICE_ACCOUNT = (
        "unknown-service-account",
        "a service account is named that the team does not declare",
    )
    NAME_TAKEN = "name-taken", "two specs, or two things they make, have one name"
    NAME_TOO_LONG = "name-too-long", "a name leaves no room for what the kind appends to it"

    # Wishes that cannot be granted.
    BACKEND_CANNOT = "backend-cannot", "the kind that carries the run cannot honour a wish"
    BACKEND_GONE = "backend-gone", "a kind is named that its operator no longer has"
    MISSING_OPERATOR = "missing-operator", "the operator that a run needs is not on the cluster"
    RELEASE_LACKS = "release-lacks", "the operator's release on the cluster lacks a feature"
    MPIJOB_CLASH = "mpijob-clash", "two operators on one cluster own the MPIJob kind"
    NO_GANG = "no-gang", "nothing on the cluster starts all pods of a job together"
    ELASTIC_QUEUE = "elastic-queue", "a job that scales while it runs stands in a queue that cannot follow"
    FABRIC_UNUSED = "fabric-unused", "the machines have a fast network that the pods cannot use"
    PRIORITY_UNUSED = "priority-unused", "a priority is written for a job that does not wait in a queue"
    NO_POOL = "no-pool", "no pool of the cluster is what the job asks for"
    TOO_MANY_GPUS = "too-many-gpus", "more GPUs are asked of a node than its machine has"
    TOO_LARGE_FOR_NODE = "too-large-for-node", "more CPU or memory is asked of a node than its machine has"
    QUOTA_EXCEEDED = "quota-exceeded", "a job asks for more than its queue could ever give"
    POOL_OVERCOMMITTED = "pool-overcommitted", "teams are promised more of a pool than it has"
    VOLUME_ACCESS = "volume-access", "a volume that one node can mount is used by several"
    VOLUME_APART = "volume-apart", "a read-only volume is another, empty one in the second namespace"
    STORAGE_ACCESS = "storage-access", "a storage cannot be mounted the way a claim asks"
    STORAGE_SNAPSHOTS = "storage-snapshots", "snapshots are asked of storage that takes none"
    CLAIM_EMPTY = "claim-empty", "every job only reads a volume, and nothing says what fills it"
    STORAGE_SIZE = "storage-size", "a claim is smaller than its storage can make"
    STORAGE_RECLAIM = "storage-reclaim", "checkpoints lie on storage that deletes them with their claim"
    SHM_TOO_LARGE = "shm-too-large", "shared memory does not fit inside the memory"
    GRACE_TOO_SHORT = "grace-too-short", "the grace period is shorter than one save"
    NOTICE_TOO_SHORT = "notice-too-short", "spot capacity gives less notice than one save takes"
    RESERVED_ENV = "reserved-env", "a variable is set that the operator or trainshed sets itself"
    PLAIN_SECRET = "plain-secret", "a secret stands in a spec in clear"
    IMAGE_DIGEST = "image-digest", "an image is not pinned by digest where that is demanded"
    IMAGE_TAG = "image-tag", "an image has neither tag nor digest, or the tag latest"
    NOT_MIRRORED = "not-mirrored", "an air-gapped cluster cannot reach an image or a repository"
    PRIVILEGED_UNAPPROVED = (
        "privileged-unapproved",
        "a privileged job lacks the approval of cluster, team or a reason",
    )
    HOST_PATH_UNAPPROVED = (
        "host-path-unapproved",
        "a path of the node is mounted by a job that is not privileged",
    )
    MOUNT_TAKEN = "mount-taken", "two things are mounted at one place"
    CODE_MISSING = "code-missing", "a code file that a spec names is not there"
    CODE_TOO_LARGE = "code-too-large", "code files together are larger than a ConfigMap may be"
    SWEEP_TOO_LARGE = "sweep-too-large", "a sweep has more points than a Job, or a ConfigMap, can hold"

    BAD_PATCH = "bad-patch", "a patch cannot be made, or changes nothing"

    # What is rendered.
    SCHEMA_INVALID = "schema-invalid", "a rendered object does not fit its schema"
    SCHEMA_UNCHECKED = "schema-unchecked", "a rendered object could not be checked against a schema"
    BUILD_FAILED = "build-failed", "Kustomize cannot build an overlay"
    BUILD_DIFFERS = "build-differs", "an overlay does not build to what was compiled"
    OBJECT_TWICE = "object-twice", "one object is rendered by two apps of one cluster"

    # What the judges of the cluster would refuse: the API server, the operators' webhooks and controllers.
    REFUSED_DECODING = (
        "refused-decoding",
        "the API server cannot decode an object, or does not know a field of it",
    )
    REFUSED_SCHEMA = "refused-schema", "an object does not fit its CRD as the API server reads it"
    REFUSED_RULE = "refused-rule", "a CEL rule of a CRD refuses an object"
    REFUSED_KUBERNETES = "refused-kubernetes", "the API server's own validation refuses an object"
    REFUSED_KUEUE = "refused-kueue", "Kueue refuses an object"
    REFUSED_TRAINING_OPERATOR = "refused-training-operator", "the Training Operator refuses an object"
    REFUSED_KUBERAY = "refused-kuberay", "KubeRay refuses an object"
    REFUSED_JOBSET = "refused-jobset", "JobSet refuses an object"
    REFUSED_MPI_OPERATOR = "refused-mpi-operator", "the MPI Operator refuses an object"
    REFUSED_TRAINER = "refused-trainer", "Kubeflow Trainer refuses an object"
    REFUSED_CHANGE = "refused-change", "a change of an object that exists is refused"
    POD_SECURITY = "pod-security", "a pod is refused at the Pod Security level of its namespace"
    LIMIT_RANGE = "limit-range", "a pod or claim is refused by a LimitRange of its namespace"
    RESOURCE_QUOTA = "resource-quota", "a ResourceQuota of the namespace can never hold what is made there"
    NEVER_ADMITTED = "never-admitted", "Kueue could never admit a run, however empty its queue"
    NEVER_IN_SYNC = "never-in-sync", "Argo CD would never find an object as Git has it"
    UNJUDGED = "unjudged", "a judge could not be asked about an object"
    RELEASE_DIFFERS = "release-differs", "a cluster runs another release than the one that judges"

    # References between the objects of a cluster.
    NO_SUCH_QUEUE = "no-such-queue", "a queue label names a LocalQueue that its namespace does not have"
    NO_SUCH_CLUSTER_QUEUE = "no-such-cluster-queue", "a LocalQueue names a ClusterQueue that is not there"
    NO_SUCH_FLAVOR = "no-such-flavor", "a ClusterQueue names a ResourceFlavor that is not there"
    RESOURCE_UNCOVERED = "resource-uncovered", "a run asks for a resource that its queue does not cover"
    NO_SUCH_PRIORITY_CLASS = "no-such-priority-class", "a priority class is named that is not there"
    NO_SUCH_CLAIM = "no-such-claim", "a pod mounts a claim that its namespace does not have"
    CLAIM_ACCESS = "claim-access", "pods on several nodes mount a claim that one node can mount"
    CLAIM_READ_ONLY = "claim-read-only", "a pod writes to a claim that can only be read"
    NO_SUCH_CONFIG_MAP = "no-such-config-map", "a pod uses a ConfigMap that its namespace does not have"
    NO_SUCH_SECRET = "no-such-secret", "a pod uses a Secret that nobody makes or declares"
    NO_SUCH_SERVICE_ACCOUNT = "no-such-service-account", "a pod runs as a service account that is not there"
    NO_SUCH_RUNTIME = "no-such-runtime", "a TrainJob names a training runtime that is not there"
    NO_SUCH_NAMESPACE = "no-such-namespace", "an object is in a namespace that nobody makes"
    PORT_BLOCKED = "port-blocked", "a network policy blocks the port that the pods of a run meet on"
    NAMES_COLLIDE = "names-collide", "two objects come to one name once it is cut to its limit"
    PROJECT_FORBIDS = "project-forbids", "an Argo CD project does not allow what its app contains"
    WAVE_DEADLOCK = "wave-deadlock", "a sync wave waits for something that a later wave would bring"

    # Policies: what an organisation asks for beyond what works. Each can be waived with a reason.
    CHECKPOINT_MISSING = "checkpoint-missing", "a long run, or one on spot capacity, saves no checkpoint"
    DEADLINE_MISSING = "deadline-missing", "a run has no deadline"
    OWNER_MISSING = "owner-missing", "nobody is named who answers for a run"
    GPU_REQUEST = "gpu-request", "a container asks for a GPU in a way that is not counted"
    PRIVILEGED = "privileged", "a container is privileged"
    HOST_PATH = "host-path", "a pod mounts a path of its node"
    HOST_NETWORK = "host-network", "a pod uses the network of its node"
    RUNS_AS_ROOT = "runs-as-root", "a container may run as root"
    OVER_BUDGET = "over-budget", "a run could use more GPU hours than its team's budget allows"
    HOUSE_RULE = "house-rule", "a rule of this repository's own refuses an object"
    BAD_RULE = "bad-rule", "a rule of this repository's own does not compile, or cannot be evaluated"
    WAIVER_UNUSED = "waiver-unused", "a waiver waives nothing"

    # The base of a change.
    UNKNOWN_BASE = "unknown-base", "the base to compare with is not in the repository"

    # Rehearsals.
    REHEARSAL_MISSING = (
        "rehearsal-missing",
        "a rehearsal needs a program, a script or a module that this machine lacks",
    )

    # Sealed runs.
    BAD_SEAL = "bad-seal", "the seal of a run cannot be read"
    SEAL_MISSING = "seal-missing", "a run was rendered before, and its seal is gone"
    SEALED_CHANGED = "sealed-changed", "a file of a sealed run is not what was sealed"
    SEALED_OLDER = "sealed-older", "runs are sealed under older defaults or releases than today's"
    KEPT_CLASH = "kept-clash", "a new run would change an object of the run that is kept beside it"

    # Output.
    STALE_FILE = "stale-file", "a generated file differs from what the specs say"
    MISSING_FILE = "missing-file", "a generated file is not there"
    FOREIGN_FILE = "foreign-file", "a file among the generated ones is made by no spec"
    NOT_A_FOLDER = "not-a-folder", "something else stands where a folder belongs"
    UNWRITABLE_FILE = "unwritable-file", "a generated file cannot be written"
    DISK_FULL = "disk-full", "there is no space left for the generated files"
    TREE_LOCKED = "tree-locked", "another command is writing the generated files"
    BROKEN_JOURNAL = "broken-journal", "the record of an unfinished render cannot be followed"
