"""What resolve and compile agree on about every pod: where things are mounted, and who it is."""

CODE_DIRECTORY = "/code"
"""Where the code that travels with a run, or is cloned for it, is mounted."""

CONTRACT_DIRECTORY = "/etc/trainshed"
"""Where a run's parameters are mounted."""

RUNTIME_DIRECTORY = "/opt/trainshed"
"""Where the training runtime is mounted that a run carries: a folder that Python can start."""

TOLD_TO_STOP = 143
"""With what the runtime's launcher leaves once it has saved because it was told to stop: 128 and SIGTERM's number."""

TRUST_DIRECTORY = "/etc/trainshed-ca"
"""Where the certificates to trust are mounted."""

LOCAL_CHECKPOINTS = "/local-checkpoints"
"""Where the local tier of checkpoints is mounted."""

SERVICE_ACCOUNT = "train"
"""The service account that every team has; its token is not mounted."""

INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
"""The index of a pod among those of its Job; Kubernetes' own name for it."""
