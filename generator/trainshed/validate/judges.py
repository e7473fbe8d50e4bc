"""Every object put before those who will judge it in the cluster; each refusal at the line that caused it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from trainshed.engine.admission import Court, admit, admit_together
from trainshed.engine.client import Caller
from trainshed.engine.messages import Admission, Change, JsonObject, Refusal
from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity, error
from trainshed.model.manifest import ObjectId
from trainshed.validate.view import MadePod, Member

JUDGES: Mapping[str, tuple[Code, str]] = {
    "decoding": (Code.REFUSED_DECODING, "the API server"),
    "schema": (Code.REFUSED_SCHEMA, "the API server"),
    "rule": (Code.REFUSED_RULE, "the API server"),
    "kubernetes": (Code.REFUSED_KUBERNETES, "the API server"),
    "change": (Code.REFUSED_CHANGE, "the API server"),
    "kueue": (Code.REFUSED_KUEUE, "Kueue"),
    "training-operator": (Code.REFUSED_TRAINING_OPERATOR, "the Training Operator"),
    "kuberay": (Code.REFUSED_KUBERAY, "KubeRay"),
    "jobset": (Code.REFUSED_JOBSET, "JobSet"),
    "mpi-operator": (Code.REFUSED_MPI_OPERATOR, "the MPI Operator"),
    "trainer": (Code.REFUSED_TRAINER, "Kubeflow Trainer"),
    "pod-security": (Code.POD_SECURITY, "Pod Security"),
    "limit-range": (Code.LIMIT_RANGE, "a LimitRange"),
    "resource-quota": (Code.RESOURCE_QUOTA, "a ResourceQuota"),
}
"""The engine's judges: the code of their refusals, and what people call them."""

LOOKED_AT = frozenset(
    {
        "Namespace",
        "LimitRange",
        "ResourceQuota",
        "PriorityClass",
        "RuntimeClass",
        "TrainingRuntime",
        "ClusterTrainingRuntime",
    }
)
"""The kinds that judges look at beside the object that they judge."""

BETTER_SAID = frozenset({"PersistentVolumeClaim"})
"""The kinds whose changes a rule of ours explains better than the API server."""

SETTINGS = frozenset({"initContainer.yaml", "controller_manager_config.yaml"})
"""Keys of the ConfigMaps that tell operators what to make and which kinds to look at."""


def convene(
    members: Sequence[Member], cluster: Cluster | None, schemas: Sequence[Path], without: Sequence[str] = ()
) -> Court:
    """Those who judge what is applied to a cluster; everybody, where it is not known."""
    return Court(
        schemas=schemas,
        kubernetes=cluster.kubernetes if cluster else "",
        around=[body for member in members for body in _looked_at(member)],
        operators=sorted(cluster.operators) if cluster else None,
        without=without,
    )


def _looked_at(member: Member) -> Iterator[JsonObject]:
    kind = member.identity.kind
    if kind in LOOKED_AT or (kind == "ConfigMap" and SETTINGS & set(member.body.get("data") or ())):
        yield member.body
    elif kind == "Application":
        yield from _kueue_settings(member.body)


def _kueue_settings(application: JsonObject) -> Iterator[JsonObject]:
    """The ConfigMap that Kueue's chart will make of an Application's values."""
    spec = application["spec"]
    for source in (spec.get("source"), *spec.get("sources", ())):
        values = ((source or {}).get("helm") or {}).get("valuesObject") or {}
        text = (values.get("managerConfig") or {}).get("controllerManagerConfigYaml")
        if text:
            yield {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": "kueue-manager-config",
                    "namespace": spec["destination"].get("namespace", ""),
                },
                "data": {"controller_manager_config.yaml": text},
            }


def ask_judges(
    members: Sequence[Member], before: Mapping[ObjectId, JsonObject], court: Court, engine: Caller
) -> list[Admission]:
    """What the judges say about each object, and about the change of each that was there before."""
    changes = (Change(member.body, before.get(member.identity)) for member in members)
    return list(admit(changes, court, engine=engine))


def pods_of(member: Member, admission: Admission) -> Iterator[MadePod]:
    """The pods that will be made from an admitted object."""
    for pod in admission.pods:
        yield MadePod(
            owner=member,
            role=pod["role"],
            count=pod["count"],
            body=pod["object"],
            places=tuple((inside, outside) for inside, outside in pod["places"]),
            fallback=pod["fallback"],
        )


def explain_refusals(
    member: Member,
    admission: Admission,
    cluster: str,
    releases: Mapping[str, str],
    hushed: frozenset[str] = frozenset(),
) -> Iterator[Diagnostic]:
    """A finding for each refusal, and for each judge that could not be asked; none of those that are hushed."""
    for refusal in admission.refusals:
        if refusal.judge in hushed or (refusal.change and member.identity.kind in BETTER_SAID):
            continue
        code, judge = JUDGES[refusal.judge]
        yield error(
            Code.REFUSED_CHANGE if refusal.change else code,
            member.at(refusal.pointer),
            f"{judge} refuses {_describe(refusal, member)}{_place(cluster)}",
            f"{_sign(refusal.judge, releases)}: {refusal.message}\nat {refusal.pointer or '/'} of {member.path}",
        )
    for judge, reason in admission.unjudged:
        if judge in hushed:
            continue
        yield error(
            Code.UNJUDGED,
            member.at(),
            f"{JUDGES[judge][1]} could not be asked about {member.identity}{_place(cluster)}",
            f"{_sign(judge, releases)}: {reason}",
        )


def ask_together(
    members: Sequence[Member], court: Court, cluster: str, releases: Mapping[str, str], engine: Caller
) -> Iterator[Diagnostic]:
    """A finding for each run that its queue could never admit, and for what no quota of its namespace holds."""
    together = admit_together([member.body for member in members], court, engine=engine)
    for run in together.runs:
        member, signed = members[run.index], _sign("kueue", releases)
        if not run.admissible and not run.unchecked:
            yield error(
                Code.NEVER_ADMITTED,
                member.at(run.pointer),
                f"{member.identity} would wait{_place(cluster)} for ever: its queue can never admit it",
                f"{signed}: {run.reason}\nat {run.pointer or '/'} of {member.path}",
            )
        if run.unchecked:
            yield Diagnostic(
                code=Code.UNJUDGED,
                severity=Severity.WARNING,
                summary=f"whether {member.identity} could ever be admitted{_place(cluster)} is not all known",
                source=member.at(run.pointer),
                detail=f"{signed}: {run.unchecked}",
            )
    for index, refusal in together.refusals:
        member = members[index]
        yield from explain_refusals(member, Admission((refusal,), (), ()), cluster, releases)


def _describe(refusal: Refusal, member: Member) -> str:
    if refusal.change:
        return f"the change of {member.identity}"
    return f"the {refusal.child} that {member.identity} makes" if refusal.child else str(member.identity)


def _place(cluster: str) -> str:
    return f" on {cluster}" if cluster else ""


def _sign(judge: str, releases: Mapping[str, str]) -> str:
    """The judge and the release whose code speaks; what is not an operator's is the API server's own."""
    return f"{judge} {releases.get(judge, releases['kubernetes'])}"


def note_releases(cluster: Cluster, releases: Mapping[str, str]) -> Iterator[Diagnostic]:
    """A note for each release of the cluster that is not the one whose code judges."""
    if not releases["kubernetes"].startswith(f"v{cluster.kubernetes}."):
        yield _note(cluster, "Kubernetes", cluster.kubernetes, releases["kubernetes"], "kubernetes")
    for operator in cluster.operators.values():
        linked = releases.get(operator.name)
        if linked and linked != operator.release:
            yield _note(cluster, operator.name, operator.release, linked, "operators", operator.name)


def _note(cluster: Cluster, name: str, runs: str, linked: str, *field: str) -> Diagnostic:
    return Diagnostic(
        code=Code.RELEASE_DIFFERS,
        severity=Severity.NOTE,
        summary=f"{cluster.name} runs {name} {runs}, and the code that judges is {linked}",
        source=cluster.sources.find(*field),
        detail=f"the schemas and CEL rules are those of {runs} all the same",
    )
