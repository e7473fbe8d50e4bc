"""What the job itself says about its pods."""

from trainshed.compile.labels import pod_labels, user_annotations
from trainshed.compile.pod.part import PodPart
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup
from trainshed.model.provenance import FieldPath


def identity(target: Target, _: PodGroup) -> PodPart:
    """Whose the pods are, and who they are to the cluster."""
    fields = {
        "serviceAccountName": target.service_account,
        "imagePullSecrets": [{"name": name} for name in target.image_pull_secrets],
        "terminationGracePeriodSeconds": target.grace_seconds,
    }
    return PodPart(
        labels=pod_labels(target),
        annotations=user_annotations(target),
        pod=fields,
        sources={
            "serviceAccountName": ("serviceAccount",),
            "imagePullSecrets": ("imagePullSecrets",),
            "terminationGracePeriodSeconds": ("gracePeriod",),
            **{key: ("labels", key) for key in target.labels},
            **{key: ("annotations", key) for key in target.annotations},
        },
    )


def own_env(target: Target, group: PodGroup) -> PodPart:
    """The variables of the job and of the role: they win over ours."""
    of_job: dict[str, FieldPath] = {variable.name: ("env", variable.name) for variable in target.env}
    of_role: dict[str, FieldPath] = {
        variable.name: (*group.field, "env", variable.name) for variable in group.env
    }
    return PodPart(env=(*target.env, *group.env), sources=of_job | of_role)
