"""How a cluster is shared out: what starts gangs there, how Kueue is set up, how far apart nodes are."""

from collections.abc import Iterator, Mapping

from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.inputs import SpecFile
from trainshed.model.queueing import GANG_OPERATORS, HOSTNAME, Gang, Level, Preemption, Sharing
from trainshed.model.spec import ClusterSpec
from trainshed.model.spec.queueing import KueueSettings
from trainshed.resolve.labels import is_label_key


def resolve_gang(spec: ClusterSpec) -> Gang:
    """What the cluster says; else the first of what is installed."""
    if spec.gang is not None:
        return spec.gang
    installed = (spec.operators or {}).items()
    names = {name for name, operator in installed if operator is not None}
    fitting: list[Gang] = [gang for gang, operator in GANG_OPERATORS.items() if operator in names]
    return fitting[0] if fitting else "none"


def resolve_sharing(spec: ClusterSpec) -> Sharing:
    """How Kueue shares the cluster out, with what it does unless told otherwise."""
    kueue = spec.kueue or KueueSettings()
    written = kueue.preemption
    borrow = written.borrow_within_cohort if written else None
    return Sharing(
        fair=bool(kueue.fair_sharing),
        pods_ready_seconds=kueue.pods_ready_timeout or 0,
        preemption=Preemption(
            within_queue=(written and written.within_cluster_queue) or "lower-priority",
            reclaim=(written and written.reclaim_within_cohort) or ("any" if spec.cohort else "never"),
            borrowing=(borrow and borrow.policy) or "never",
            borrowing_below=borrow.max_priority if borrow else None,
        ),
    )


def resolve_levels(spec: ClusterSpec) -> tuple[Level, ...]:
    """The levels of the topology, the widest first. Hosts are tier 0: what is above them counts from 1."""
    written = (spec.topology and spec.topology.levels) or {}
    labels = [(name, label) for name, label in written.items() if label is not None]
    above = sum(label != HOSTNAME for _, label in labels)
    return tuple(Level(name, label, max(0, above - index)) for index, (name, label) in enumerate(labels))


def check_sharing(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    """Findings for what the installed operators cannot do, and for what contradicts itself."""
    installed = {name for name, operator in (file.spec.operators or {}).items() if operator is not None}
    yield from _check_gang(file, installed)
    yield from _check_levels(file)
    if "kueue" in installed:
        yield from _check_preemption(file)
    else:
        yield from _check_without_kueue(file)


def _check_gang(file: SpecFile[ClusterSpec], installed: set[str]) -> Iterator[Diagnostic]:
    gang = file.spec.gang or "none"
    operator = GANG_OPERATORS.get(gang)
    if operator and operator not in installed:
        yield error(
            Code.MISSING_OPERATOR,
            file.tree.value_source(("gang",)),
            f'gang {gang} needs {operator}, which cluster "{file.spec.name}" does not have',
            f"write operators: {{{operator}: …}}, or leave gang out",
        )
    if gang == "volcano" and "kueue" in installed:
        yield error(
            Code.CONFLICTING_CHOICE,
            file.tree.value_source(("gang",)),
            "Kueue and Volcano would both keep queues, and neither knows what the other lets in",
            "leave one of them out, or write gang: kueue",
        )


def _check_without_kueue(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    """Fields that only mean something to Kueue, on a cluster without it."""
    spec = file.spec
    written = {"cohort": spec.cohort, "priorities": spec.priorities, "kueue": spec.kueue}
    for field, value in written.items():
        if value:
            yield error(
                Code.MISSING_OPERATOR,
                file.tree.key_source((field,)),
                f'{field} is for Kueue, which cluster "{spec.name}" does not have',
                "write operators: {kueue: …}, or leave it out",
            )


_REFUSED: Mapping[str, str] = {
    "reclaimWithinCohort": "nothing can be reclaimed without a cohort",
    "borrowWithinCohort": "nothing can be borrowed without a cohort",
}


def _check_preemption(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    spec = file.spec
    at = ("kueue", "preemption")
    fair = bool(spec.kueue and spec.kueue.fair_sharing)
    if not spec.cohort:
        unused = [(*at, field) for field in _REFUSED if (*at, field) in file.tree.marks]
        for path in (*unused, *([("kueue", "fairSharing")] if fair else [])):
            yield error(
                Code.MISSING_CHOICE,
                file.tree.key_source(path),
                _REFUSED.get(str(path[-1]), "queues share nothing without a cohort"),
                "write cohort: <name>, or leave it out",
            )
        return
    preemption = resolve_sharing(spec).preemption
    if preemption.borrowing != "never" and (fair or preemption.reclaim == "never"):
        why = (
            "Kueue looks at no borrowWithinCohort where it shares fairly"
            if fair
            else "a queue that may not reclaim its own may not drive anybody out to borrow"
        )
        yield error(
            Code.CONFLICTING_CHOICE,
            file.tree.key_source((*at, "borrowWithinCohort")),
            why,
            "leave fairSharing or borrowWithinCohort out" if fair else "write reclaimWithinCohort: any",
        )
    elif preemption.borrowing == "never" and preemption.borrowing_below is not None:
        yield error(
            Code.MISSING_CHOICE,
            file.tree.key_source((*at, "borrowWithinCohort", "maxPriority")),
            "maxPriority says whom a run may drive out that borrows, and it may drive out nobody",
            "write policy: lower-priority beside it",
        )


def check_flavors(cluster: Cluster) -> Iterator[Diagnostic]:
    """A flavor with a topology says by its labels which nodes it means."""
    for pool in cluster.pools.values():
        if cluster.topology and cluster.has_kueue and not pool.labels:
            yield error(
                Code.MISSING_FIELD,
                pool.source,
                f'nothing tells Kueue which nodes are of pool "{pool.name}", whose topology it shall look at',
                f"write a label that they have on the cluster, such as labels: {{pool: {pool.name}}}",
            )


def _check_levels(file: SpecFile[ClusterSpec]) -> Iterator[Diagnostic]:
    """Keys that labels can have, each once, and hosts at the narrow end."""
    levels = resolve_levels(file.spec)
    for number, level in enumerate(levels):
        source = file.tree.value_source(("topology", "levels", level.name))
        if not is_label_key(level.label):
            yield error(
                Code.BAD_LABEL,
                source,
                f'"{level.label}" is not a key that Kubernetes takes',
                "write domain/name",
            )
        elif level.label in [other.label for other in levels[:number]]:
            yield error(
                Code.NAME_TAKEN,
                source,
                f'two levels have the label "{level.label}"',
                "leave one of them out: each level is told by a label of its own",
            )
        elif level.label == HOSTNAME and number != len(levels) - 1:
            yield error(
                Code.CONFLICTING_CHOICE,
                source,
                f'nothing is narrower than a host, and "{levels[-1].name}" stands after it',
                "write the levels from the widest to the narrowest",
            )
