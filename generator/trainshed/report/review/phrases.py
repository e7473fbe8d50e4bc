"""Words that all formats of a review share."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from trainshed.model.review import (
    CauseGroup,
    FieldChange,
    ObjectChange,
    ObjectGroup,
    Review,
    Risk,
    RiskKind,
    RunChange,
    RunGroup,
    Verb,
)

MOST_NAMED = 3

_VERBS = {
    Verb.CREATED: "create",
    Verb.CHANGED: "change",
    Verb.REPLACED: "replace",
    Verb.DELETED: "delete",
}

STAYS = "leaves Git, stays in the cluster"
LEGEND = "It compares what was merged with what specs/ render to, and has not asked any cluster."


def name_some(names: Iterable[str], most: int = MOST_NAMED) -> str:
    """`a, b, c and 38 more`, each name once."""
    known = tuple(dict.fromkeys(names))
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return ", ".join(known[:most]) + more


def count(number: int, noun: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def by_kind(risks: Iterable[Risk]) -> Iterator[tuple[RiskKind, list[Risk]]]:
    """The risks of each class, in their order."""
    return ((kind, list(alike)) for kind, alike in groupby(risks, key=lambda risk: risk.kind))


def unexplained(review: Review) -> str:
    """A sentence about what no spec explains; empty for nothing."""
    if not review.unexplained:
        return ""
    return (
        f"{count(review.unexplained, 'object')} {'differs' if review.unexplained == 1 else 'differ'} though no spec "
        "behind it does: another release of trainshed renders it so, or the base was not rendered"
    )


def following(review: Review) -> str:
    """A sentence about the objects that are not listed; empty for none."""
    kinds = ", ".join(f"{number} {kind}" for kind, number in review.following.items())
    return f"and what comes and goes with its run: {kinds}" if kinds else ""


def title_of_causes(group: CauseGroup) -> str:
    """What the edited files are about."""
    noun = group.first.subject.partition(" ")[0]
    if len(group.causes) == 1:
        return group.first.subject
    return f"{noun} {name_some(cause.subject.partition(' ')[2] for cause in group.causes)}"


def place_of_causes(group: CauseGroup) -> str:
    """The edited files."""
    return name_some((str(cause.path) for cause in group.causes), 1)


def lines_of_risk(risk: Risk) -> str:
    """The lines that caused it."""
    return name_some(map(str, risk.sources), 2)


def title_of_runs(group: RunGroup) -> str:
    """Whose runs, and where."""
    jobs = [f"{run.team}/{run.job}" for run in group.runs]
    return f"{name_some(jobs)} on {name_some(run.cluster for run in group.runs)}"


def life_of(run: RunChange) -> str:
    """Its line of life: what was, and what will be."""
    if run.starts and (run.ends or run.keeps):
        return f"{run.ends or ', '.join(run.keeps)} → {run.starts}"
    return f"→ {run.starts}" if run.starts else f"{run.ends} →" if run.ends else ""


def same_for(run: RunChange) -> tuple[str, str]:
    """Another run to which the same happens, and its line of life."""
    return f"the same for {run.team}/{run.job} on {run.cluster}", life_of(run)


def title_of_objects(group: ObjectGroup) -> str:
    """What is changed: one object by its name, several by their kind and number."""
    first = group.first
    if len(group.changes) == 1:
        return f"{first.identity} on {first.app.cluster}"
    names = {change.identity.name for change in group.changes}
    name = f" {first.identity.name}" if len(names) == 1 else ""
    return f"{len(group.changes)} × {first.identity.kind}{name}"


def places_of_objects(changes: Iterable[ObjectChange]) -> str:
    """`aws-prod, gke-research and 38 more, in team-nlp and team-vision`."""
    changes = tuple(changes)
    clusters = name_some(sorted(change.app.cluster for change in changes))
    apps = name_some(sorted(change.app.app for change in changes))
    return f"{clusters}, in {apps}"


def verb_of_objects(group: ObjectGroup) -> str:
    """What happens to them, as an order."""
    return "let go" if group.first.stays else _VERBS[group.verb]


def note_of_objects(group: ObjectGroup) -> str:
    """What the verb alone does not say."""
    first = group.first
    if first.stays:
        return STAYS
    return f"in place of {first.previous.name}" if first.previous and len(group.changes) == 1 else ""


def label_of(field: FieldChange) -> str:
    """The words of a field, with its parts where they differ."""
    return f"{field.words} ({', '.join(field.roles)})" if field.roles else field.words


def lines_of(field: FieldChange) -> str:
    """How much of a long text changes."""
    return f"+{field.added} −{field.removed} lines"


def matrix_of(review: Review) -> tuple[list[str], dict[str, dict[str, dict[Verb, int]]]]:
    """The clusters, and for each app how many objects change there, by verb; runs count with what carries them."""
    apps: dict[str, dict[str, dict[Verb, int]]] = {}
    for group in review.objects:
        for change in group.changes:
            cell = apps.setdefault(change.app.app, {}).setdefault(change.app.cluster, {})
            cell[change.verb] = cell.get(change.verb, 0) + 1
    for runs in review.runs:
        for run in runs.runs:
            verb = _verb_of(run)
            cell = apps.setdefault(f"job-{run.team}-{run.job}", {}).setdefault(run.cluster, {})
            cell[verb] = cell.get(verb, 0) + 1
    clusters = sorted({cluster for cells in apps.values() for cluster in cells})
    return clusters, dict(sorted(apps.items()))


def _verb_of(run: RunChange) -> Verb:
    """What happens to the object that carries a run."""
    if run.starts:
        return Verb.REPLACED if run.ends else Verb.CREATED
    return Verb.DELETED if run.ends else Verb.CHANGED
