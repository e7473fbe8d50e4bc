"""The labels and annotations that a job passes through."""

import re

from trainshed.model.codes import Code
from trainshed.resolve.draft import Draft

RESERVED_LABEL_DOMAINS = ("kubernetes.io/", "k8s.io/", "trainshed.dev/", "kubeflow.org/", "ray.io/")
RESERVED_LABELS = frozenset({"controller-uid", "job-name"})
"""What the Job controller called its pods by before such labels had domains; the API server still checks them."""

_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_DOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")


def check_labels(draft: Draft) -> None:
    """Findings for keys that Kubernetes refuses, or that belong to somebody else."""
    for field, words in (("labels", draft.body.labels), ("annotations", draft.body.annotations)):
        for key in words or {}:
            if not is_label_key(key):
                draft.refuse(
                    Code.BAD_LABEL,
                    (field, key),
                    f'"{key}" is not a key that Kubernetes takes',
                    "write domain/name",
                )
            elif key in RESERVED_LABELS or f"{key.rpartition('/')[0]}/".endswith(RESERVED_LABEL_DOMAINS):
                draft.refuse(
                    Code.BAD_LABEL,
                    (field, key),
                    f'"{key}" belongs to Kubernetes, an operator or trainshed',
                    "use a domain of your own; queue, priority and topology have fields of their own",
                )


def is_label_key(key: str) -> bool:
    """A qualified name: at most 63 characters, after a DNS name of at most 253 and a slash if there is one."""
    domain, slash, name = key.rpartition("/")
    is_domain = len(domain) <= 253 and _DOMAIN.fullmatch(domain) is not None
    return _NAME.fullmatch(name) is not None and (is_domain or not slash)
