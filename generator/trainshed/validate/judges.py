"""Every object put before those who will judge it in the cluster; each refusal at the line that caused it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from trainshed.engine.admission import Court, admit
from trainshed.engine.client import Caller
from trainshed.engine.messages import Admission, Change, JsonObject, QueueVerdict, Refusal, Together
from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity, error
from trainshed.model.manifest import ObjectId
from trainshed.validate.nodes import unknown_labels
from trainshed.validate.policy.reading.values import items_at, map_at, text_at
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
    "argo-cd": (Code.NEVER_IN_SYNC, "Argo CD"),
}
"""The engine's judges: the code of their refusals, and what people call them."""

QUEUE_LABEL = "/metadata/labels/kueue.x-k8s.io~1queue-name"

LOOKED_AT = frozenset(
    {
        "Namespace",
        "LimitRange",
        "ResourceQuota",
        "PriorityClass",
        "RuntimeClass",
        "TrainingRuntime",
        "ClusterTrainingRuntime",
        "LocalQueue",
        "ClusterQueue",
        "AdmissionCheck",
        "RayCluster",
    }
)
"""The kinds that judges look at beside the object that they judge."""

BETTER_SAID = frozenset({"PersistentVolumeClaim"})
"""The kinds whose changes a rule of ours explains better than the API server."""

GIST_LENGTH = 110

ARGO_CD_SETTINGS = "argocd-cm"
"""The ConfigMap that says what Argo CD leaves out of its comparisons."""

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
    if kind in LOOKED_AT or (kind == "ConfigMap" and is_setting(member)):
        yield member.body
    elif kind == "Application":
        yield from _kueue_settings(member.body)


def is_setting(config: Member) -> bool:
    """Whether a ConfigMap tells an operator what to make, or Argo CD what to compare."""
    return config.identity.name == ARGO_CD_SETTINGS or bool(SETTINGS & set(map_at(config.body, "data")))


def _kueue_settings(application: JsonObject) -> Iterator[JsonObject]:
    """The ConfigMap that Kueue's chart will make of an Application's values."""
    spec = map_at(application, "spec")
    for source in (map_at(spec, "source"), *items_at(spec, "sources")):
        text = text_at(source, "helm", "valuesObject", "managerConfig", "controllerManagerConfigYaml")
        if text:
            yield {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": "kueue-manager-config",
                    "namespace": text_at(spec, "destination", "namespace"),
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
            places=tuple(map(tuple, pod["places"])),
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
        code, _ = JUDGES[refusal.judge]
        yield error(
            Code.REFUSED_CHANGE if refusal.change else code,
            member.at(refusal.pointer),
            f"{_verdict(refusal, member, cluster)}: {_gist(refusal.message)}",
            "\n".join(_detail(refusal, member, releases)),
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


def explain_together(
    together: Together,
    members: Sequence[Member],
    refused: Collection[ObjectId],
    court: Court,
    cluster: str,
    releases: Mapping[str, str],
) -> Iterator[Diagnostic]:
    """A finding for each run that its queue could never admit, and for what no quota of its namespace holds.

    Nothing more is said of runs that are refused before they could wait, or whose queue is not there.
    """
    nodes = [body for body in court.around if body["kind"] == "Node"]
    for run in together.runs:
        member = members[run.index]
        if member.identity not in refused and run.pointer != QUEUE_LABEL:
            asked = [] if run.admissible else unknown_labels(member.body, nodes)
            unknown = f"no pool says which nodes have the label {asked[0]}" if asked else run.unchecked
            yield from _explain_run(
                member, replace(run, unchecked=unknown), cluster, _sign("kueue", releases)
            )
    for index, refusal in together.refusals:
        yield from explain_refusals(members[index], Admission((refusal,), (), ()), cluster, releases)


def _explain_run(member: Member, run: QueueVerdict, cluster: str, signed: str) -> Iterator[Diagnostic]:
    if run.unchecked:
        yield Diagnostic(
            code=Code.UNJUDGED,
            severity=Severity.WARNING,
            summary=f"whether {member.identity} could ever be admitted{_place(cluster)} is not all known",
            source=member.at(run.pointer),
            detail=f"{signed}: {run.unchecked}",
        )
    elif not run.admissible:
        yield error(
            Code.NEVER_ADMITTED,
            member.at(run.pointer),
            f"{member.identity} would wait{_place(cluster)} for ever: its queue can never admit it",
            f"{signed}: {run.reason}\nat {run.pointer or '/'} of {member.path}",
        )


def _verdict(refusal: Refusal, member: Member, cluster: str) -> str:
    if refusal.judge == "argo-cd":
        return f"{member.identity} would never be in sync{_place(cluster)}"
    return f"{JUDGES[refusal.judge][1]} refuses {_describe(refusal, member)}{_place(cluster)}"


def _describe(refusal: Refusal, member: Member) -> str:
    if refusal.change:
        return f"the change of {member.identity}"
    return f"the {refusal.child} that {member.identity} makes" if refusal.child else str(member.identity)


def _gist(words: str) -> str:
    """The first of a judge's words, with the last step of the field's path: the finding's own place says the rest."""
    first = words.partition("\n")[0]
    path, colon, rest = first.partition(": ")
    said = f"{path.rpartition('.')[2]}: {rest}" if colon and " " not in path else first
    return said if len(said) <= GIST_LENGTH else said[: GIST_LENGTH - 1].rstrip() + "…"


def _detail(refusal: Refusal, member: Member, releases: Mapping[str, str]) -> Iterator[str]:
    yield f"{_sign(refusal.judge, releases)}: {refusal.message}"
    if member.at(refusal.pointer).path != member.path:
        yield f"at {refusal.pointer or '/'} of {member.path}"
    if refusal.change:
        yield "give it another name: a new attempt of the job does (`attempt: 2`)"


def _place(cluster: str) -> str:
    return f" on {cluster}" if cluster else ""


def _sign(judge: str, releases: Mapping[str, str]) -> str:
    """The judge and the release whose code speaks; what is not an operator is a part of Kubernetes."""
    return (
        f"{judge} {releases[judge]}"
        if judge in releases
        else f"{judge} of kubernetes {releases['kubernetes']}"
    )


def note_releases(cluster: Cluster, releases: Mapping[str, str]) -> Iterator[Diagnostic]:
    """One note for a cluster that runs other releases than those whose code judges."""
    others = {
        operator.name: f"{operator.name} {operator.release} ({releases[operator.name]})"
        for operator in cluster.operators.values()
        if releases.get(operator.name, operator.release) != operator.release
    }
    source = cluster.sources.find("operators", next(iter(others), ""))
    if not releases["kubernetes"].startswith(f"v{cluster.kubernetes}."):
        others = {"kubernetes": f"Kubernetes {cluster.kubernetes} ({releases['kubernetes']})"} | others
        source = cluster.sources.find("kubernetes")
    if others:
        yield Diagnostic(
            code=Code.RELEASE_DIFFERS,
            severity=Severity.NOTE,
            summary=f"{cluster.name} runs other releases than those whose code judges: {', '.join(others.values())}",
            source=source,
            detail="the schemas and CEL rules are those of the cluster's own releases all the same",
        )
