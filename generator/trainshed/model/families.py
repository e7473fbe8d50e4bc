"""Kinds that are alike, by what is alike about them."""

from trainshed.model.backend import CARRIERS, Backend

EVERY = frozenset(Backend)
JOBS = frozenset({Backend.JOB, Backend.CRONJOB})
JOBSETS = frozenset({Backend.JOBSET, Backend.TRAINJOB})
KUBEFLOW = frozenset(kind for kind, carrier in CARRIERS.items() if carrier.operator == "training-operator")
MPI = frozenset({Backend.MPIJOB, Backend.MPIJOB_V1})
RAY = frozenset({Backend.RAYJOB, Backend.RAYCLUSTER})

ONE_PROCESS = frozenset({Backend.TFJOB, Backend.XGBOOSTJOB, Backend.PADDLEJOB, Backend.JAXJOB})
"""Kinds whose pods each run one process."""

LASTING = frozenset({Backend.CRONJOB, Backend.RAYCLUSTER})
"""Kinds that live on when their spec is edited, and so keep their name."""
